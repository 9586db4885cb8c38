public import Support

/// Says at the earliest byte whether a stream is UTF-8 (RFC 3629): no overlong forms, no
/// surrogates, nothing beyond U+10FFFF.
///
/// ASCII passes 32 bytes at a time, other characters whole while four bytes can be read; only those
/// at the end of a piece go byte by byte.
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
    public mutating func validate(_ bytes: BorrowedBytes) -> Bool {
        guard let base = unsafe bytes.baseAddress else { return true }
        let count = bytes.count
        var index = 0
        while index < count, due > 0 {
            guard unsafe takeContinuation(base.load(fromByteOffset: index, as: UInt8.self)) else {
                return false
            }
            index &+= 1
        }
        while index < count {
            index = unsafe Self.skipASCII(base, index, count)
            guard unsafe Self.skipCharacters(base, &index, count) else { return false }
            // What is left now is ASCII, or too near to the end to be read as a word.
            guard index &+ 4 > count else { continue }
            while index < count {
                guard unsafe takeByte(base.load(fromByteOffset: index, as: UInt8.self)) else { return false }
                index &+= 1
            }
        }
        return true
    }

    /// The first place from `start` on that may not be ASCII.
    @inline(__always)
    private static func skipASCII(_ base: UnsafeRawPointer, _ start: Int, _ count: Int) -> Int {
        var index = start
        while index &+ 32 <= count {
            let words = unsafe (base + index).loadUnaligned(as: SIMD4<UInt64>.self)
            if (words[0] | words[1] | words[2] | words[3]) & 0x8080_8080_8080_8080 != 0 { break }
            index &+= 32
        }
        while index &+ 8 <= count {
            let marks =
                unsafe UInt64(littleEndian: (base + index).loadUnaligned(as: UInt64.self))
                & 0x8080_8080_8080_8080
            if marks != 0 { return index &+ marks.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < count, unsafe base.load(fromByteOffset: index, as: UInt8.self) < 0x80 { index &+= 1 }
        return index
    }

    /// Moves `index` past the characters that are not ASCII and of which four bytes can be read.
    /// - Returns: false where one is ill-formed.
    @inline(__always)
    private static func skipCharacters(_ base: UnsafeRawPointer, _ index: inout Int, _ count: Int) -> Bool {
        while index &+ 4 <= count {
            let word = unsafe UInt32(littleEndian: (base + index).loadUnaligned(as: UInt32.self))
            if word & 0x80 == 0 {
                // A single blank between two words of another script is no reason to look for more
                // of it.
                guard word & 0x8000 != 0 else { return true }
                index &+= 1
                continue
            }
            if word & 0xC0E0 == 0x80C0 {
                // C0 and C1 would be overlong.
                guard word & 0x1E != 0 else { return false }
                index &+= 2
            } else if word & 0xC0_C0F0 == 0x80_80E0 {
                // E0 80…9F would be overlong, ED A0…BF a surrogate.
                let top = word & 0x200F
                guard top != 0, top != 0x200D else { return false }
                index &+= 3
            } else if word & 0xC0C0_C0F8 == 0x8080_80F0 {
                // F0 80…8F would be overlong; F4 90 and what follows is beyond the last.
                let top = (word & 0x07) << 2 | (word >> 12 & 0x03)
                guard top >= 1, top <= 16 else { return false }
                index &+= 4
            } else {
                return false
            }
        }
        return true
    }

    /// Takes a byte wherever it stands.
    @inline(__always)
    private mutating func takeByte(_ byte: UInt8) -> Bool {
        if due > 0 { return takeContinuation(byte) }
        return byte < 0x80 || begin(byte)
    }

    @inline(__always)
    private mutating func takeContinuation(_ byte: UInt8) -> Bool {
        guard byte >= low, byte <= high else { return false }
        due &-= 1
        low = 0x80
        high = 0xBF
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
