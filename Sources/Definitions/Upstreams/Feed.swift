internal import Values

/// What feeds a source node: an upstream, and what is asked of it (docs/sources.md).
public struct Feed {
    /// How the upstream sends values.
    public enum Kind {
        /// It is asked again and again.
        case poll(Poll)
        /// It sends events of its own accord.
        case events(Events)
        /// It sends messages of its own accord over a WebSocket.
        case socket(Socket)
        /// It is a topic of a broker.
        case topic(Topic)
        /// It is a node of another Sluice, with this name there.
        case node(Template)
    }

    /// The names of the secrets that it needs, besides those of its upstream.
    public var secrets: [String] {
        switch kind {
        case .poll(let poll): poll.headers.compactMap(\.secret)
        case .events(let events): events.headers.compactMap(\.secret)
        case .socket(let socket): socket.headers.compactMap(\.secret)
        case .topic: []
        case .node: []
        }
    }

    /// The upstream's name in the graph.
    public let upstream: String
    public let kind: Kind
    /// Makes the node's value from what comes; nil: that is the value.
    public let pick: Expression?
    /// The source as JSON with sorted keys: equal if nothing has changed.
    public let canonical: String
    /// The place of the upstream's name in the file.
    let position: Position

    /// A stream of server-sent events.
    public struct Events {
        public let target: Template
        public let headers: [RequestHeader]
        /// The type of the events that are taken.
        public let event: String
        /// Whether the data is taken as text, not as JSON.
        public let isText: Bool
    }

    /// The messages of a WebSocket.
    public struct Socket {
        public let target: Template
        public let headers: [RequestHeader]
        /// What is sent when the socket is open; nil: nothing.
        public let greeting: SocketGreeting?
        /// For which messages the node is made, an expression like ``Feed/pick``; nil: for all.
        public let filter: Expression?
        /// Whether a message is taken as text, not as JSON.
        public let isText: Bool
    }

    /// The messages of an MQTT topic.
    public struct Topic {
        public let topic: Template
        /// Whether a message is taken as text, not as JSON.
        public let isText: Bool
    }

    /// A request that is made once when the node opens, and perhaps again.
    public struct Poll {
        public let method: String
        public let target: Template
        public let headers: [RequestHeader]
        /// The body, an expression over the placeholders; nil: none.
        public let body: Expression?
        /// Whether an answer is taken as text, not as JSON.
        public let isText: Bool
        /// Milliseconds from an answer to the next request; nil: it is asked once.
        public let every: Int?
        /// How many members are asked for in one request at most.
        public let batch: Int
    }
}
