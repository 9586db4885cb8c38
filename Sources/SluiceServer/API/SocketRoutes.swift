internal import Graphs
internal import Sessions
internal import HTTP
internal import TLS
internal import Values

enum SocketRoutes {
    /// A request for a path of WebSocket that is no upgrade.
    static func requireUpgrade(_ request: Request) {
        let connection = request.connection
        connection.answered(.upgradeRequired)
        connection.write {
            Handshake.requireUpgrade(request.head, connection.hub.codec.encoder, connection.framing, to: &$0)
        }
    }

    /// Lets the connection speak what its path speaks after an upgrade.
    ///
    /// - Returns: the new connection; nil if it was refused, which has been answered then, or put
    ///   off.
    static func upgrade(
        _ request: Request,
        to upgrade: Operation.Upgrade?
    ) throws(HostError) -> WebSocketConnection? {
        let (connection, head) = (request.connection, request.head)
        switch upgrade {
        case .messages:
            let access: Access?
            switch try Identification.sessionAccess(of: head, on: connection) {
            case .access(let known): access = known
            case .nobody: access = nil
            case .putOff: return nil
            }
            return try accept(request, .messages, access, subprotocols: ["sluice.v1.json"])
        case .echo:
            return try accept(request, .echo, nil)
        case .node:
            guard let access = try Identification.access(of: head, on: connection, for: request.need)
            else { return nil }
            connection.take(access)
            let node = try request.node()
            guard request.query.raw("at") == nil else {
                throw HostError(.badField, "at: the past does not change, so there is no stream of it")
            }
            guard request.query.raw("after") == nil else {
                var error = HostError(.badField, "after: a stream of bare values cannot wait for a commit")
                error.hint = "'sub' at /v1/ws can, and so can …/events"
                throw error
            }
            let options = try StreamOptions(request.query)
            return try accept(request, .node(node), request.access, options)
        case nil:
            throw .noSocket
        }
    }

    private static func accept(
        _ request: Request,
        _ kind: WebSocketConnection.Kind,
        _ access: Access?,
        _ options: StreamOptions = StreamOptions(),
        subprotocols: [StaticString] = []
    ) throws(HostError) -> WebSocketConnection? {
        let (connection, hub) = (request.connection, request.connection.hub)
        let outcome = Handshake.judge(
            request.head,
            subprotocols: subprotocols,
            compression: request.service.configuration.compression,
            keepsContexts: hub.codec.compression.hasRoomForContexts
        )
        switch outcome {
        case .upgradeRequired:
            requireUpgrade(request)
            return nil
        case .refused(let sentence):
            throw HostError(.badRequest, sentence)
        case .accepted(let subprotocol, let deflate):
            guard !hub.isDraining else { throw .draining }
            connection.answered(.switchingProtocols)
            connection.write { out in
                Handshake.accept(
                    request.head,
                    subprotocol: subprotocol,
                    deflate: deflate,
                    hub.codec.encoder,
                    sha1: SHA1.digest,
                    to: &out
                )
            }
            let socket = WebSocketConnection(
                upgrading: connection,
                to: kind,
                compression: deflate.flatMap { hub.codec.compression.compression($0) }
            )
            socket.open(for: access, options)
            return socket
        }
    }
}

extension HostError {
    static let noSocket = HostError(.badRequest, "this path does not support WebSocket")
}
