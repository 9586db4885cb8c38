/// Says at the earliest byte whether a stream is UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing
/// beyond U+10FFFF.
///
/// ASCII passes 32 bytes at a time.
public struct UTF8Validator: Sendable {
    /// Continuation bytes still due, and the range the next one must lie in.
    private var due: UInt8 = 0
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    public init() {}

    /// Whether the bytes so far end with a whole character.
    public var isComplete: Bool { due == 0 }

    /// Takes the next bytes.
    /// - Returns: false as soon as no continuation could make the stream valid.
    public mutating func validate(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let count = bytes.count
        var index = 0
        while index < count {
            if due == 0 {
                while index &+ 32 <= count {
                    let words = (base + index).loadUnaligned(as: SIMD4<UInt64>.self)
                    if (words[0] | words[1] | words[2] | words[3]) & 0x8080_8080_8080_8080 != 0 { break }
                    index &+= 32
                }
                while index &+ 8 <= count {
                    if (base + index).loadUnaligned(as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
                    index &+= 8
                }
                while index < count, base.load(fromByteOffset: index, as: UInt8.self) < 0x80 {
                    index &+= 1
                }
                if index == count { return true }
                guard begin(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
                index &+= 1
            } else {
                let byte = base.load(fromByteOffset: index, as: UInt8.self)
                guard byte >= low, byte <= high else { return false }
                due &-= 1
                low = 0x80
                high = 0xBF
                index &+= 1
            }
        }
        return true
    }

    /// Takes a byte that is not ASCII and begins a character.
    @inline(__always)
    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: due = 1
        case 0xE0...0xEF:
            due = 2
            if byte == 0xE0 { low = 0xA0 }
            if byte == 0xED { high = 0x9F }
        case 0xF0...0xF4:
            due = 3
            if byte == 0xF0 { low = 0x90 }
            if byte == 0xF4 { high = 0x8F }
        default: return false
        }
        return true
    }
}
