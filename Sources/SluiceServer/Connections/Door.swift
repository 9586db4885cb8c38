internal import EventLoop
internal import GraphHost
internal import HTTP

/// One of the server's listeners: what is answered there, under which names, and what everybody may do.
///
/// Without `admin.listen` there is one for everything; with it the operations side has one of its own, and what it answers is
/// not answered on the other. Whether the process lives and is ready is said on both: whoever watches a listener asks there.
final class Door {
    /// What is answered behind it.
    enum Side: Sendable {
        case everything, service, operations

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
    let router: Router
    let addresses = Addresses()
    let hostCheck: HostCheck
    /// What everybody may do where nobody has to show a token.
    let openAccess: Access
    /// How many connections the server may have when another comes in here.
    let mostConnections: Int

    /// Connections of the operations side beyond `limits.connections`: a server that is full can still be looked at.
    private static let reserve = 16

    init(_ side: Side, at endpoint: Endpoint, _ configuration: Configuration) {
        self.side = side
        self.endpoint = endpoint
        router = .api(hasEcho: configuration.echo, for: side)
        hostCheck = HostCheck(listening: endpoint, names: configuration.hosts)
        openAccess = Access(everybody: endpoint.isLoopback ? .all : .customary)
        mostConnections = configuration.connections + (side == .operations ? Self.reserve : 0)
    }

    /// What is wrong with listening there by this configuration; nil: nothing.
    func refusal(_ configuration: Configuration) -> String? {
        guard !endpoint.isLoopback, configuration.auth.isEmpty else { return nil }
        if side == .operations {
            // --insecure lets everybody read and set, and administer nowhere: nothing would be left to answer.
            return
                "listening on \(endpoint) would open the operations of this server to anybody on the network; "
                + "name a file of tokens with 'auth', or let 'admin.listen' be a loopback address or a unix socket"
        }
        guard !configuration.insecure else { return nil }
        return "listening on \(endpoint) would let anybody on the network read and set every node; "
            + "name a file of tokens with 'auth', or say --insecure if that is meant"
    }
}
