/// The state of a client's connection.
public struct ConnectionState: Sendable, Hashable {
    /// What the connection is doing.
    public enum Phase: String, Sendable {
        /// There was no connection yet.
        case connecting
        /// The server has accepted the client.
        case live
        /// The connection is lost, and the client tries to connect again.
        case reconnecting
        /// The connection has been lost for more than 30 seconds; the client goes on trying.
        case offline
        /// The client is closed, or the server refuses it. ``SluiceClient/retry()`` tries again.
        case closed
    }

    /// What the connection is doing.
    public internal(set) var phase = Phase.connecting
    /// Failed tries since the connection was up.
    public internal(set) var tries = 0
    /// How long the pause before the next try is.
    public internal(set) var pause: Duration?
    /// After a reconnect: how long the connection was away.
    public internal(set) var gap: Duration?
    /// How the last connection ended: a close code of RFC 6455 or of the protocol.
    public internal(set) var closeCode: Int?
    /// How the last connection ended, in words.
    public internal(set) var reason: String?
    /// The server's name for this connection, such as `c:7`.
    public internal(set) var session: String?
    /// The server and its version.
    public internal(set) var server: String?
}

/// How a subscription goes on after a reconnect, or after it has ended with `slow`.
public struct Continuation: Sendable, Hashable {
    /// The graph.
    public let graph: String
    /// The node, or the nodes and globs; none for a combination.
    public let nodes: [String]
    /// Where it goes on.
    public let cursor: Cursor
    /// How long the connection was away.
    public let gap: Duration?
    /// Whether values may be missing, or a pipeline has begun anew.
    public let isLost: Bool
    /// How many revisions of the graph lie in between; only within one epoch.
    public let lostRevs: Int?
    /// The fields of the subscription, as the protocol has them.
    public let subscription: JSONObject
}

/// What happens to a client as a whole.
public enum ClientEvent: Sendable {
    /// The connection's state has changed.
    case state(ConnectionState)
    /// A subscription goes on.
    case continued(Continuation)
    /// Nodes of these graphs begin or stop needing attention: ask for the list again.
    case attention([String])
    /// An error that no call reports: a malformed message, a presence that was refused after a
    /// reconnect, a token that could not be renewed.
    case problem(any Error)
}
