public import Support

/// Base64 with the alphabet for URLs and without padding (RFC 7515 §2).
public enum Base64URL {
    /// The bytes that `text` encodes.
    ///
    /// Each sequence of bytes has one text: padding, white space, other characters and unused bits
    /// that are not zero are refused, so that nothing can be added to a signed token.
    public static func bytes(_ text: BorrowedBytes) -> [UInt8]? {
        var plain: [UInt8] = []
        plain.reserveCapacity(text.count + 2)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: plain.append(byte)
            }
        }
        guard plain.count % 4 != 1 else { return nil }
        while plain.count % 4 != 0 { plain.append(UInt8(ascii: "=")) }
        return Base64.bytes(plain, isCanonical: true)
    }

    static func bytes(_ text: String) -> [UInt8]? {
        text.withBorrowedBytes { bytes($0) }
    }
}
