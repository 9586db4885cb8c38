internal import HTTP
internal import Support

/// The cookie of a browser's session (RFC 6265).
enum SessionCookie {
    static let name = "sluice_session"

    /// With TLS the browser itself makes sure that the cookie came over TLS from this host, and not
    /// from a neighbour with a common domain (RFC 6265bis §4.1.3).
    private static func name(isSecure: Bool) -> String {
        isSecure ? "__Host-\(name)=" : "\(name)="
    }

    /// The cookie's value among those of a request; the first, if there are several.
    static func value(in head: RequestHead, isSecure: Bool) -> BorrowedBytes? {
        let name = name(isSecure: isSecure)
        guard let field = head.value(.cookie) else { return nil }
        var rest = field[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: UInt8(ascii: ";")) ?? rest.endIndex
            var pair = rest[..<end]
            while pair.first == UInt8(ascii: " ") { pair = pair.dropFirst() }
            if pair.starts(with: name.utf8) {
                return BorrowedBytes(rebasing: pair.dropFirst(name.utf8.count))
            }
            rest = rest[end...].dropFirst()
        }
        return nil
    }

    /// Appends the field that sets the cookie, or with nil removes it.
    static func append(_ value: String?, isSecure: Bool, to out: inout ByteBuffer) {
        out.append("Set-Cookie: ")
        out.append(utf8: name(isSecure: isSecure))
        out.append(utf8: value ?? "")
        if value == nil { out.append("; Max-Age=0") }
        out.append("; HttpOnly; SameSite=Strict; Path=/")
        if isSecure { out.append("; Secure") }
        out.append("\r\n")
    }
}
