internal import Support

/// The normal form of a URL after RFC 3986, section 6.2.2 (case, percent-encoding, dot segments)
/// and 6.2.3 (default ports, empty path), without its fragment.
///
/// What may not stand in a URL is escaped, as its bytes of UTF-8: `é` is `%C3%A9` (RFC 3987,
/// section 3.1).
struct CanonicalURL {
    let text: String

    private static let defaultPorts = ["http": "80", "ws": "80", "https": "443", "wss": "443"]

    init?(_ name: String) {
        let bytes = Array(name.utf8)
        guard !bytes.contains(where: { $0 <= 0x20 }) else { return nil }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8)
        else {
            return nil
        }
        guard let scheme = Self.scheme(bytes[..<colon]) else { return nil }
        var rest = bytes[(colon + 3)...]
        if let fragment = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<fragment] }
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        guard let authority = Self.authority(rest[..<end], scheme) else { return nil }
        rest = rest[end...]
        let query = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        guard let path = PercentEncoding.normal(rest[..<query]),
            let question = PercentEncoding.normal(rest[query...])
        else {
            return nil
        }
        let folder = path.isEmpty ? "/" : RelativeName.withoutDots(path[...])
        text = scheme + "://" + authority + folder + question
    }

    private static func scheme(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let first = bytes.first, isLetter(first) else { return nil }
        let rest = Array("+-.".utf8)
        guard bytes.allSatisfy({ isLetter($0) || isDigit($0) || rest.contains($0) }) else { return nil }
        return String(decoding: bytes, as: UTF8.self).lowercased()
    }

    private static func authority(_ bytes: ArraySlice<UInt8>, _ scheme: String) -> String? {
        let at = bytes.lastIndex(of: UInt8(ascii: "@"))
        var host = bytes[(at.map { $0 + 1 } ?? bytes.startIndex)...]
        var port = ""
        // The colons of an IPv6 address stand in brackets.
        let bracket = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        if let colon = host[bracket...].lastIndex(of: UInt8(ascii: ":")) {
            guard host[(colon + 1)...].allSatisfy(isDigit) else { return nil }
            port = String(decoding: host[(colon + 1)...], as: UTF8.self)
            host = host[..<colon]
        }
        guard !host.isEmpty, let name = hostName(host),
            let user = PercentEncoding.normal(bytes[..<(at ?? bytes.startIndex)])
        else { return nil }
        let suffix = port.isEmpty || defaultPorts[scheme] == port ? "" : ":" + port
        return (at == nil ? "" : user + "@") + name + suffix
    }

    /// In lower case, which escapes have to be resolved for.
    private static func hostName(_ bytes: ArraySlice<UInt8>) -> String? {
        if bytes.first == UInt8(ascii: "[") {
            guard bytes.count > 2, bytes.last == UInt8(ascii: "]") else { return nil }
            return PercentEncoding.normal(bytes.dropFirst().dropLast()).map { "[\($0.lowercased())]" }
        }
        guard let plain = PercentEncoding.decoded(bytes), let text = String(validating: plain, as: UTF8.self)
        else { return nil }
        return PercentEncoding.encoded(text.lowercased(), keeping: Array("!$&'()*+,;=".utf8))
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}
