/// Web origins (RFC 6454): scheme, host and port.
enum Origin {
    /// Whether `text` is an origin as a browser would send it: scheme and authority in small letters, nothing
    /// behind.
    static func isWellFormed(_ text: String) -> Bool {
        guard let separator = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[separator...].hasPrefix("://")
        else {
            return false
        }
        let authority = text[text.utf8.index(separator, offsetBy: 3)...]
        return separator > text.startIndex && !authority.isEmpty
            && text.utf8.allSatisfy { $0 > 32 && $0 < 127 && !(65...90).contains($0) }
            && !authority.contains("/") && !authority.contains("@")
    }
}
