internal import Definitions
internal import EventLoop
internal import Graphs

/// One of the server's listeners: what it serves, under which names, and what clients without a
/// token may do.
///
/// Without `admin.listen` one listener serves everything; with it the operations have a listener of
/// their own, and the other one does not serve them. Both serve health and readiness, because
/// monitoring checks each listener.
final class HTTPListener {
    /// What it answers.
    enum Side: Sendable {
        case everything, service, operations

        /// The side of the other listener; nil if there is none.
        var other: Side? {
            switch self {
            case .everything: nil
            case .service: .operations
            case .operations: .service
            }
        }

        /// Whether what belongs to that side is answered here.
        func has(_ side: Side) -> Bool {
            switch (self, side) {
            case (.everything, _), (_, .everything), (.service, .service), (.operations, .operations): true
            case (.service, .operations), (.operations, .service): false
            }
        }
    }

    let side: Side
    let endpoint: Endpoint
    let hostCheck: HostCheck
    let originCheck: OriginCheck
    /// The rights of clients if no tokens are needed.
    let openAccess: Access
    /// Answers the requests of its connections.
    let handler: any RequestHandler
    /// How many connections the server may have when another one arrives here.
    let mostConnections: Int

    /// Connections of the operations side above `limits.connections`: a full server can still be
    /// inspected.
    private static let reserve = 16

    /// The open socket; nil before the server has started and once it is draining.
    var socket: TCPListener?

    init(
        _ side: Side,
        at endpoint: Endpoint,
        _ configuration: Configuration,
        answering handler: any RequestHandler
    ) {
        (self.side, self.endpoint, self.handler) = (side, endpoint, handler)
        hostCheck = HostCheck(listening: endpoint, names: configuration.hosts)
        originCheck = OriginCheck(isSecure: configuration.usesTLS, allowed: configuration.origins)
        openAccess = Access(everybody: endpoint.isLoopback ? .all : .customary)
        mostConnections = configuration.connections + (side == .operations ? Self.reserve : 0)
    }

    /// Its address as a URL; empty while it does not listen.
    func url(usesTLS: Bool) -> String {
        guard let address = socket?.address else { return "" }
        if address.family == .unix { return address.description }
        let scheme = usesTLS ? "https" : "http"
        let isAny = address.host == "0.0.0.0" || address.host == "::"
        return isAny ? "\(scheme)://localhost:\(address.port)" : "\(scheme)://\(address)"
    }

    /// Why this configuration may not listen there; nil if it may.
    func refusal(_ configuration: Configuration) -> String? {
        guard !endpoint.isLoopback, !configuration.needsTokens else { return nil }
        if side == .operations {
            // With --insecure clients may read and set, but not administer: the operations would be
            // useless.
            return
                "listening on \(endpoint) would open the operations of this server to every client on the network; "
                + "name a file of tokens with 'auth' or of issuers with 'issuers', or let 'admin.listen' be a loopback address or a unix socket"
        }
        guard !configuration.insecure else { return nil }
        return "listening on \(endpoint) would let every client on the network read and set every node; "
            + "name a file of tokens with 'auth' or of issuers with 'issuers', or say --insecure if that is meant"
    }
}
