/// The normal form of a URL after RFC 3986, section 6.2.2 (case, percent-encoding, dot segments)
/// and 6.2.3 (default ports, empty path), without its fragment.
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
        guard let path = Self.unescaped(rest[..<query]), let question = Self.unescaped(rest[query...]) else {
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
        guard !host.isEmpty, let name = unescaped(host),
            let user = unescaped(bytes[..<(at ?? bytes.startIndex)])
        else { return nil }
        let suffix = port.isEmpty || defaultPorts[scheme] == port ? "" : ":" + port
        return (at == nil ? "" : user + "@") + name.lowercased() + suffix
    }

    /// Escapes of unreserved characters are resolved, the others get upper-case digits; `nil` if
    /// one is broken.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            index += 1
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                continue
            }
            guard index + 1 < bytes.endIndex, let high = hexDigit(bytes[index]),
                let low = hexDigit(bytes[index + 1])
            else { return nil }
            index += 2
            let value = high << 4 | low
            if isLetter(value) || isDigit(value) || "-._~".utf8.contains(value) {
                result.append(value)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(high)], digits[Int(low)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte - 0x30 }
        let lower = byte | 0x20
        return (0x61...0x66).contains(lower) ? lower - 0x61 + 10 : nil
    }
}
