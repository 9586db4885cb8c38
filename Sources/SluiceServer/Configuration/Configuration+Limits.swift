extension Configuration {
    /// How much peers may send and hold.
    public struct Limits: Sendable {
        /// The defaults.
        public init() {}

        /// Open connections; more get 503.
        public var connections = 100_000
        /// Open connections of one address; 0: no bound.
        public var connectionsPerAddress = 0
        /// Browsers' sessions; beyond, a principal with more than its share loses the one unused for longest.
        public var sessions = 10_000
        /// Wrong tokens that one address may show in a second; 0: no bound.
        public var wrongTokens = 10
        /// Bytes of a request's target.
        public var target = 8 * 1024
        /// Bytes of a request's header block.
        public var headers = 16 * 1024
        /// Header fields of a request.
        public var fields = 100
        /// Bytes of a request's body.
        public var body = 64 * 1024
        /// Bytes of a graph's definition by HTTP; all clients wait while it is applied.
        public var definition = 128 * 1024
        /// Bytes of a WebSocket message.
        public var message = 64 * 1024
        /// Changes of graphs that one connection may ask for in a second; 0: no bound.
        public var sets = 0
        /// WebSocket messages of one connection in a second; 0: no bound.
        public var messages = 0
        /// Subscriptions of one connection.
        public var subs = 1000
        /// Nodes that the globs of one subscription may match.
        public var matches = 1000
        /// Stages of one client pipeline.
        public var stages = 16
        /// Units that one evaluation of an expression may spend.
        public var expression = 10_000
        /// Idempotency keys in all, each principal its share.
        public var idempotencyKeys = 100_000
        /// Units a second that the pipelines of one principal may spend at once; the rest waits until others have been served.
        public var pipelines = 5_000_000
        /// Bytes that the pipelines of one principal hold: values, windows, what waits.
        public var held = 16 << 20
        /// Tickets of one principal, for chains that are kept when its connections end.
        public var keptChains = 10_000
        /// Nodes that one client's requests may build, and values they may read, in one turn of the loop.
        public var work = 500
        /// Different regular expressions in the pipelines of one principal, or in a definition by HTTP.
        public var patterns = 250
        /// Graphs, of files and of the API.
        public var graphs = 1000
        /// Dashboards that the server keeps.
        public var dashboards = 1000
        /// Nodes of one graph.
        public var nodes = 100_000
        /// Bytes of JSON in the history of one node.
        public var historyBytes = 16 << 20
        /// Nodes that one graph keeps with `retain: untilPressure`; before one more, those not in use go.
        public var kept = 2048
        /// Members of families that one graph may have at once.
        public var members = 100_000
        /// Members of families, of all graphs, that one principal may have brought to life.
        public var membersPerPrincipal = 100_000
        /// Values of one node that a `zip` lets wait for the others.
        public var zipBuffer = 1024
        /// `case`, `default` and `otherwise` nodes of one `switch`.
        public var switchKeys = 1024
        /// Values that one `delay` holds; then the oldest leaves early.
        public var delayed = 1024
        /// Values that one `window` looks at; then the oldest is let go of.
        public var windowValues = 10_000
        /// Unsent bytes above which values are folded.
        public var unsent = 64 * 1024
        /// Unsent bytes above which a connection is closed.
        public var unsentHard = 1024 * 1024
        /// Requests of one connection that may wait for the log.
        public var pending = 64
        /// Their bytes.
        public var pendingBytes = 256 * 1024
        /// Refusals within ``Times/breaches`` that end a connection.
        public var breaches = 10
        /// Memory of the contexts that connections with compression `full` have of their own; beyond it, further ones are
        /// agreed on without.
        public var contextBytes = 64 * 1024 * 1024
    }
}
