import HTTP
import TestSupport
import Testing

@Suite("UTF8Validator knows UTF-8 at the earliest byte")
struct UTF8ValidatorTests {
    @Test("every scalar's encoding is valid, and incomplete before its last byte")
    func everyScalar() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: Nightly.isOn ? 1 : 7) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(Character(scalar)).utf8)
            var validator = UTF8Validator()
            for (index, byte) in bytes.enumerated() {
                let isValid = withUnsafeBytes(of: byte) { validator.validate($0) }
                guard isValid, validator.isComplete == (index == bytes.count - 1) else {
                    return #expect(Bool(false), "U+\(String(value, radix: 16))")
                }
            }
        }
    }

    @Test("it agrees with the standard library on random bytes, whole and split", arguments: [1, 2, 3])
    func againstStandardLibrary(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] = [
            Array("a".utf8), Array("ä".utf8), Array("€".utf8), Array("😀".utf8), [0x80], [0xC0], [0xE0, 0xA0],
            [0xED, 0x9F],
            [0xF0, 0x90], [0xF4, 0x8F, 0xBF], [0xFF], Array(repeating: 0x41, count: 33),
        ]
        for round in 0..<(Nightly.isOn ? 100_000 : 3_000) {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(12) {
                bytes += pieces[random.below(random.below(3) == 0 ? pieces.count : 4)]
            }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            let place = random.below(bytes.count + 1)
            let heard = bytes.withUnsafeBytes { all in
                var validator = UTF8Validator()
                return validator.validate(UnsafeRawBufferPointer(rebasing: all[..<place]))
                    && validator.validate(UnsafeRawBufferPointer(rebasing: all[place...]))
                    && validator.isComplete
            }
            guard heard != expected else { continue }
            #expect(heard == expected, "seed \(seed), round \(round): \(bytes)")
        }
    }
}
