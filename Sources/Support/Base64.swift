/// Base64 in the standard alphabet (RFC 4648 §4), always written with padding.
public enum Base64 {
    /// The encoding of `bytes`.
    public static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        bytes.withBorrowedBytes { text.append(base64: $0) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` encodes, nil where it is not base64.
    ///
    /// Canonical is only the text that encoding gives (RFC 4648 §3.5). Otherwise padding may be
    /// left out, and the unused bits of the last digit may have any value.
    public static func bytes(_ text: some Collection<UInt8>, isCanonical: Bool) -> [UInt8]? {
        // On one type of bytes, which a generic collection would read ten times as slowly.
        bytes(of: Array(text), isCanonical: isCanonical)
    }

    private static func bytes(of text: [UInt8], isCanonical: Bool) -> [UInt8]? {
        var digits = text[...]
        if text.count % 4 == 0 {
            for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        } else if isCanonical {
            return nil
        }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for digit in digits {
            guard let value = value(of: digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
            bits &= (1 << count) - 1
        }
        return isCanonical && bits != 0 ? nil : bytes
    }

    /// The digit for the lowest six bits.
    @usableFromInline
    static func digit(_ bits: UInt32) -> UInt8 {
        alphabet[Int(bits & 63)]
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    private static func value(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit) - 65
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit) - 71
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit) + 4
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension ByteSink where Self: ~Copyable {
    @inlinable
    public mutating func append(base64 bytes: BorrowedBytes) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let rest = bytes.count - start
            let group =
                UInt32(bytes[start]) << 16
                | (rest > 1 ? UInt32(bytes[start + 1]) << 8 : 0)
                | (rest > 2 ? UInt32(bytes[start + 2]) : 0)
            append(Base64.digit(group >> 18))
            append(Base64.digit(group >> 12))
            append(rest > 1 ? Base64.digit(group >> 6) : UInt8(ascii: "="))
            append(rest > 2 ? Base64.digit(group) : UInt8(ascii: "="))
        }
    }
}
