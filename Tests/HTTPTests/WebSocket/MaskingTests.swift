import HTTP
import Testing

@Suite("Masking combines byte i with mask byte i mod 4")
struct MaskingTests {
    @Test("every length, alignment and offset agrees with the definition")
    func definition() {
        let mask: UInt32 = 0xD4C3_B2A1
        let parts: [UInt8] = [0xA1, 0xB2, 0xC3, 0xD4]
        for length in 0..<80 {
            for start in 0..<9 {
                for offset in 0..<5 {
                    var bytes = (0..<start + length + 4).map { UInt8(truncatingIfNeeded: $0 &* 37) }
                    let expected = bytes.enumerated().map { index, byte in
                        index >= start && index < start + length
                            ? byte ^ parts[(index - start + offset) % 4] : byte
                    }
                    bytes.withUnsafeMutableBytes {
                        let piece = UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + length])
                        Masking.apply(piece, mask: mask, offset: offset)
                    }
                    guard bytes != expected else { continue }
                    #expect(bytes == expected, "length \(length), start \(start), offset \(offset)")
                }
            }
        }
    }
}
