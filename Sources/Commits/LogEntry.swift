/// One commit in the log: names and bytes, independent of any process.
///
/// It has only inputs, no derived values: the same entries in the same order on the same definition
/// give the same values, revs and times on every server.
public struct LogEntry: Hashable, Sendable {
    /// The commit's effect besides its sets and clears.
    public enum Kind: Hashable, Sendable {
        /// Nothing else.
        case values
        /// The graph is defined. `text` is the definition as JSON.
        case define(text: String, DefinitionOrigin)
        /// The graph gets this definition.
        case redefine(text: String, DefinitionOrigin)
        /// The graph ends.
        case remove
        /// Timed operators of the definition emit what is due by `now`, in milliseconds since 1970.
        case tick(now: UInt64)
        /// A client dropped the family members in `clear`.
        case drop
        /// The same, because they were not set for too long.
        case expire
    }

    /// A node and its new value.
    public struct Assignment: Hashable, Sendable {
        /// The node's name.
        public var node: String
        /// The value as JSON text.
        public var value: [UInt8]

        /// Sets `node` to `value`.
        public init(_ node: String, _ value: [UInt8]) {
            self.node = node
            self.value = value
        }
    }

    /// A node and its producer's report.
    public struct Report: Hashable, Sendable {
        /// The node's name.
        public var node: String
        /// The report.
        public var change: FacetChange

        /// Reports `change` of `node`.
        public init(_ node: String, _ change: FacetChange) {
            self.node = node
            self.change = change
        }
    }

    /// A client's idempotency key.
    public struct Key: Hashable, Sendable {
        /// The key as the client sent it.
        public var text: String
        /// The hash of the change: a different change with the same key is refused.
        public var digest: UInt128
        /// What the commit has computed, `{node: value}` as JSON text; empty: nothing.
        ///
        /// Stored with the key, not in the entry, which has these values among its sets.
        public var values: [UInt8]

        /// The key `text` of a change with that hash.
        public init(_ text: String, digest: UInt128, values: [UInt8] = []) {
            self.text = text
            self.digest = digest
            self.values = values
        }
    }

    /// The name of the graph.
    public var graph: String
    /// The commit's effect.
    public var kind: Kind
    /// The sets, in order.
    public var set: [Assignment] = []
    /// The names of the nodes that are cleared, after the sets.
    public var clear: [String] = []
    /// Producers' reports (L-3), in order, applied before the sets.
    public var reports: [Report] = []
    /// Those of `set` that represent the client's session (`"presence": true`): they are cleared
    /// when it ends, and when the server starts again.
    public var claimed: [String] = []
    /// The server of that session (``CommitLog/instance``), if nodes are claimed.
    public var claimer = ""
    /// The authenticated principal, if there is one.
    public var by: String?
    /// The client's context (`ctx`), as JSON text.
    public var context: [UInt8]?
    /// Where the value has been before, as the client said (`path`).
    public var path: [String] = []
    /// Whether a link that a client has made leads a value on.
    public var isOfLink = false
    /// If a `sync` does, when the change that it goes back to was made.
    ///
    /// Twice the rev of that change; one more for the value that the `sync` began with. 0: none
    /// leads it on.
    public var birth: UInt64 = 0
    /// The client's key, if it gave one.
    public var key: Key?
    /// The graph's rev when the commit's conditions were checked; nil if it has none.
    ///
    /// If several servers write the log, no commit of another server may come after this rev. Not
    /// stored.
    public var checkedAt: UInt64?
    /// When the leases of the members in `clear` were over, for an ``Kind/expire``.
    ///
    /// 0: unknown. Not stored.
    public var expiredBy: UInt64 = 0

    /// An entry without sets and clears.
    public init(graph: String, kind: Kind = .values) {
        self.graph = graph
        self.kind = kind
    }

    /// The time that its stamp has at least: a tick and an expiry are made when the clock that
    /// stamps has come that far.
    public var earliest: UInt64 {
        switch kind {
        case .tick(let now): now
        case .expire: expiredBy
        case .values, .define, .redefine, .remove, .drop: 0
        }
    }

    /// How many nodes it sets or clears; a node that it both sets and clears counts once.
    public var changed: Int {
        guard !clear.isEmpty else { return set.count }
        return Set(clear).union(set.map(\.node)).count
    }
}

/// The source of a graph's definition.
public enum DefinitionOrigin: UInt8, Hashable, Sendable {
    /// A file of the configuration's folder.
    case file
    /// A client, over HTTP.
    case client
}
