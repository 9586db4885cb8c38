internal import Support

/// An address that a graph reaches, as a sink sends values to it: without user and fragment.
public struct RemoteURL: Hashable, Sendable, CustomStringConvertible {
    /// What is spoken there.
    public enum Scheme: String, Sendable {
        case http, https, mqtt, mqtts

        var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            case .mqtt: 1883
            case .mqtts: 8883
            }
        }

        /// Whether it uses TLS.
        public var isSecure: Bool { self == .https || self == .mqtts }

        /// Those of requests.
        static let web: [Scheme] = [.http, .https]
        /// Those of brokers.
        static let brokers: [Scheme] = [.mqtt, .mqtts]
    }

    public let scheme: Scheme
    /// A host name, or an address without brackets; in lower case.
    public let host: String
    public let port: Int
    /// Path and query, at least `/`.
    public let target: String

    /// Parses a URL of `http` or `https`; nil if it is invalid.
    public init?(_ text: String) { self.init(text, in: Scheme.web) }

    /// Parses a URL of one of these schemes; nil if it is invalid.
    init?(_ text: String, in schemes: [Scheme]) {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let end = text.firstRange(of: "://")
        else { return nil }
        guard let scheme = Scheme(rawValue: text[..<end.lowerBound].lowercased()), schemes.contains(scheme)
        else { return nil }
        self.scheme = scheme
        let rest = text[end.upperBound...]
        let start = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        guard !rest.contains("#"), let place = Self.place(rest[..<start]) else { return nil }
        host = place.host
        port = place.port ?? scheme.defaultPort
        let tail = rest[start...]
        target = tail.hasPrefix("/") ? String(tail) : "/" + tail
    }

    /// Host and port of `example.org:8080`, `[::1]:80`; nil for anything else.
    static func place(_ text: Substring) -> (host: String, port: Int?)? {
        var (host, port) = (text, Substring?.none)
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            port = rest.isEmpty ? nil : rest.dropFirst()
            guard host.utf8.allSatisfy({ ASCII.isWord($0) || $0 == 0x3A || $0 == 0x2E }) else { return nil }
        } else {
            if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                port = text[text.index(after: colon)...]
            }
            guard host.utf8.allSatisfy({ ASCII.isWord($0) || $0 == 0x2D || $0 == 0x2E }) else { return nil }
        }
        guard !host.isEmpty, host.utf8.count <= 253 else { return nil }
        guard let port else { return (host.lowercased(), nil) }
        guard !port.isEmpty, port.utf8.allSatisfy(ASCII.isDigit), let number = Int(port),
            (1...65_535).contains(number)
        else { return nil }
        return (host.lowercased(), number)
    }

    /// Host and port as in a URL: `example.org`, `[::1]:8080`; without the scheme's default port.
    public var authority: String {
        let shown = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? shown : "\(shown):\(port)"
    }

    /// Scheme, host and port.
    public var origin: String { "\(scheme.rawValue)://\(authority)" }

    /// The written form.
    public var description: String { origin + target }
}
