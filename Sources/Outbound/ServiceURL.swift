public import EventLoop
internal import HTTP
public import Support

/// The address of a server, as people write it: `http://127.0.0.1:8080`, with or without the
/// scheme, a path or a final slash; or `unix:/run/sluice.sock`.
public struct ServiceURL: Hashable, Sendable, CustomStringConvertible {
    /// Host name or address without brackets.
    public let host: String
    /// Whether it uses TLS: `https` or `wss`.
    public let isSecure: Bool
    /// Path of a PEM file of trusted authorities; nil: those of the system.
    public var authorities: String?
    /// The token sent with every request and upgrade; nil: none.
    public var token: Token?
    /// The TCP port; 80 or 443 by default.
    public let port: UInt16
    /// The path of a Unix socket, which replaces host and port.
    public let socket: String?
    /// The path after host and port, without a final slash: empty or `/…`.
    public let path: String

    /// Parses an address; nil if it is invalid.
    ///
    /// `ws` and `wss` are the same as `http` and `https`.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard let endpoint = Endpoint(text) else { return nil }
            self.init(endpoint, isSecure: false)
            return
        }
        var rest = Substring(text)
        var isSecure = false
        if let end = rest.firstRange(of: "://") {
            let scheme = rest[..<end.lowerBound].lowercased()
            guard ["http", "ws", "https", "wss"].contains(scheme) else { return nil }
            isSecure = scheme == "https" || scheme == "wss"
            rest = rest[end.upperBound...]
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let authority = rest[..<slash]
        var tail = rest[slash...]
        while tail.last == "/" { tail.removeLast() }
        let endpoint = Endpoint(String(authority)) ?? Endpoint("\(authority):\(isSecure ? 443 : 80)")
        guard !authority.isEmpty, !authority.hasPrefix(":"), case .tcp(let host, let port) = endpoint else {
            return nil
        }
        guard tail.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.init(host: host, port: port, isSecure: isSecure, socket: nil, path: String(tail))
    }

    /// A server that listens on `endpoint`; one on all addresses is reached by loopback.
    public init(_ endpoint: Endpoint, isSecure: Bool) {
        switch endpoint {
        case .tcp(let host, let port):
            let isAny = host == "0.0.0.0" || host == "::"
            let loopback = host == "::" ? "::1" : "127.0.0.1"
            self.init(host: isAny ? loopback : host, port: port, isSecure: isSecure)
        case .unix(let path):
            self.init(host: "localhost", port: isSecure ? 443 : 80, isSecure: isSecure, socket: path)
        }
    }

    /// A server that is reached by TCP; of HTTP, or of another protocol.
    package init(host: String, port: UInt16, isSecure: Bool) {
        self.init(host: host, port: port, isSecure: isSecure, socket: nil)
    }

    private init(host: String, port: UInt16, isSecure: Bool, socket: String?, path: String = "") {
        self.host = host
        self.port = port
        self.isSecure = isSecure
        self.socket = socket
        self.path = path
    }

    /// Where to connect.
    public var endpoint: Endpoint { socket.map { .unix(path: $0) } ?? .tcp(host: host, port: port) }

    /// Writes the header field that shows the token.
    package func authorize(_ buffer: inout ByteBuffer) {
        if let token { buffer.field("Authorization", string: "Bearer \(token.text)") }
    }

    public var authority: String { socket == nil ? endpoint.description : host }

    /// The written form.
    public var description: String {
        socket == nil ? "\(isSecure ? "https" : "http")://\(authority)\(path)" : endpoint.description
    }
}
