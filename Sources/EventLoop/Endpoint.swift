/// Where to listen or to connect, as people write it: `127.0.0.1:8080`, `[::1]:8080`,
/// `localhost:0`, `:8080`, `unix:/run/sluice.sock`.
public enum Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// A host name or address without brackets, and a port; port 0 lets the system choose when
    /// listening.
    case tcp(host: String, port: UInt16)

    /// A socket in the file system.
    case unix(path: String)

    /// Reads the written form; nil if it is invalid.
    ///
    /// Without a host (`:8080`) it means all addresses (`::`).
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = text.dropFirst("unix:".count)
            guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
            self = .unix(path: String(path))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...])
        else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), host.count > 2 else { return nil }
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else { return nil }
        self = .tcp(host: host.isEmpty ? "::" : String(host), port: port)
    }

    /// The written form that ``init(_:)`` reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    private static func port(_ text: Substring) -> UInt16? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(text)
    }
}
