/// Where the values of source nodes come from: a service that the graph reaches by a name of its
/// own (docs/sources.md).
public struct UpstreamDefinition: Hashable, Sendable {
    /// Its name, unique in its graph.
    public let name: String
    /// The address before the targets of sources; its path has no slash at the end.
    public let url: RemoteURL
    public let kind: Kind

    /// What is spoken with it.
    public enum Kind: Hashable, Sendable {
        /// HTTP; every request has these header fields besides those of its source.
        case web(headers: [RequestHeader])
        /// MQTT; `password` is the name of a secret.
        case broker(user: String?, password: String?)
        /// A graph of another Sluice: what is before `/v1` in its address, its name there, and the
        /// header fields of the connection.
        case service(path: String, graph: String, headers: [RequestHeader])
    }

    /// The header fields that every request has.
    public var headers: [RequestHeader] {
        switch kind {
        case .web(let headers), .service(_, _, let headers): headers
        case .broker: []
        }
    }

    /// The names of the secrets that it needs.
    public var secrets: [String] {
        if case .broker(_, let password) = kind { return password.map { [$0] } ?? [] }
        return headers.compactMap(\.secret)
    }

    /// Whether it is an MQTT broker.
    var isBroker: Bool { if case .broker = kind { true } else { false } }

    static let most = 100

    /// The address of a source's target, which begins with `/` or `?`, or is empty; nil: it is too
    /// long.
    public func address(of target: String) -> RemoteURL? {
        RemoteURL(url.origin + (url.target == "/" ? "" : url.target) + target)
    }
}

/// A header field of requests to an upstream.
public struct RequestHeader: Hashable, Sendable {
    /// What it says.
    public enum Value: Hashable, Sendable {
        case text(String)
        /// The whole value is the secret with this name.
        case secret(String)
        /// The secret with this name is a token (RFC 6750 section 2.1).
        case token(secret: String)
    }

    public let name: String
    public let value: Value

    /// The secret that it needs.
    public var secret: String? {
        switch value {
        case .text: nil
        case .secret(let name), .token(let name): name
        }
    }
}
