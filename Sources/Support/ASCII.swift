/// Questions about single bytes of text; nothing here knows about Unicode.
public enum ASCII {
    /// Whether the byte is one of 0–9.
    @inlinable
    @inline(__always)
    public static func isDigit(_ byte: UInt8) -> Bool {
        byte &- 48 < 10
    }

    @inlinable
    @inline(__always)
    public static func isLetter(_ byte: UInt8) -> Bool {
        (byte | 0x20) &- 97 < 26
    }

    @inlinable
    @inline(__always)
    public static func isWord(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == 95
    }

    /// The value of a hexadecimal digit in either case; nil for any other byte.
    @inlinable
    @inline(__always)
    public static func hexadecimal(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 48 }
        let letter = (byte | 0x20) &- 97
        return letter < 6 ? letter &+ 10 : nil
    }

    /// The lower-case hexadecimal digit for 0 … 15.
    @inlinable
    @inline(__always)
    public static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? value &+ 48 : value &+ 87
    }
}

extension Collection<UInt8> {
    /// Whether a word occurs in the text; its first letter must not occur in it again.
    package func contains(_ word: StaticString) -> Bool {
        var matched = 0
        let word = BorrowedBytes(word)
        for byte in self {
            matched = byte == word[matched] ? matched + 1 : (byte == word[0] ? 1 : 0)
            if matched == word.count { return true }
        }
        return false
    }
}
