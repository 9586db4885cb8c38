internal import Support

/// Web origins (RFC 6454): scheme, host and port.
enum Origin {
    /// What an origin looks like, for messages.
    static let expected = "origins such as https://example.org or http://localhost:5173, without a path"

    /// The same as a regular expression, for the JSON Schema.
    static let pattern = #"^[a-z0-9+.-]+://([a-z0-9._-]+|\[[0-9a-z:.]+\])(:[0-9]{1,5})?$"#

    /// Whether `text` is an origin as a browser would send it: scheme, host and perhaps a port, in
    /// small letters.
    static func isWellFormed(_ text: String) -> Bool {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text[colon...].hasPrefix("://") else {
            return false
        }
        let isScheme = text[..<colon].utf8.allSatisfy { isSmall($0) || "+-.".utf8.contains($0) }
        let authority = text[text.utf8.index(colon, offsetBy: 3)...]
        return colon > text.startIndex && isScheme && isAuthority(authority)
    }

    /// The origin as browsers send it: without the port that its scheme has anyway (RFC 6454 §6.2).
    static func normalized(_ text: String) -> String {
        for (scheme, port) in [
            ("http://", ":80"), ("https://", ":443"), ("ws://", ":80"), ("wss://", ":443"),
        ]
        where text.hasPrefix(scheme) && text.hasSuffix(port) {
            return String(text.dropLast(port.count))
        }
        return text
    }

    /// What to write instead of a text that is no origin.
    static func advice(for text: String) -> String? {
        if text == "null" || text.hasPrefix("file:") {
            return "files and sandboxed frames all have the origin null, so one of them cannot be "
                + "allowed without the others; serve the page over http"
        }
        return suggestion(for: text).map { "write '\($0)'" }
    }

    /// The origin that was probably meant: with a scheme, in small letters, without a path.
    private static func suggestion(for text: String) -> String? {
        let small = text.lowercased()
        let full = small.contains("://") ? small : "https://" + small
        let end = full.utf8.indices.filter { "/?#".utf8.contains(full.utf8[$0]) }.dropFirst(2).first
        let origin = String(full[..<(end ?? full.endIndex)])
        return isWellFormed(origin) ? origin : nil
    }

    /// `host`, `host:port` or `[address]:port`.
    private static func isAuthority(_ text: Substring) -> Bool {
        let hostEnd = text.first == "[" ? text.firstIndex(of: "]").map { text.index(after: $0) } : nil
        let colon = hostEnd ?? text.firstIndex(of: ":") ?? text.endIndex
        let (host, port) = (text[..<colon], text[colon...])
        let isHost =
            hostEnd == nil
            ? host.utf8.allSatisfy { isSmall($0) || "-._".utf8.contains($0) }
            : host.dropFirst().dropLast().utf8.allSatisfy { isSmall($0) || ":.".utf8.contains($0) }
        return !host.isEmpty && isHost && (port.isEmpty || isPort(port))
    }

    /// A colon and a number up to 65535.
    private static func isPort(_ text: Substring) -> Bool {
        text.first == ":" && text.dropFirst().utf8.allSatisfy(ASCII.isDigit)
            && UInt16(text.dropFirst()) != nil
    }

    private static func isSmall(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }
}
