/// One commit as a log keeps it: names and bytes, nothing that belongs to a process.
///
/// Only inputs are in it. Derived values are not: the same entries, in the same order, on the same definition give the same
/// values, revs and times anywhere.
public struct LogEntry: Hashable, Sendable {
    /// What the commit does, besides what it sets and clears.
    public enum Kind: Hashable, Sendable {
        /// Nothing else.
        case values
        /// The graph begins. `text` is its definition as JSON.
        case define(text: String, DefinitionOrigin)
        /// The graph goes on with this definition.
        case redefine(text: String, DefinitionOrigin)
        /// The graph ends.
        case remove
        /// Timed operators of the definition emit what is due until `now`, in milliseconds since 1970.
        case tick(now: UInt64)
        /// The members of families in `clear` are no more: a client dropped them.
        case drop
        /// The same, because they were not set for too long.
        case expire
    }

    /// A node and the value that it takes.
    public struct Assignment: Hashable, Sendable {
        /// The node's name.
        public var node: String
        /// The value as JSON text.
        public var value: [UInt8]

        /// `node` takes `value`.
        public init(_ node: String, _ value: [UInt8]) {
            self.node = node
            self.value = value
        }
    }

    /// A node and what its producer reports of it.
    public struct Report: Hashable, Sendable {
        /// The node's name.
        public var node: String
        /// What is reported.
        public var change: FacetChange

        /// `change` is reported of `node`.
        public init(_ node: String, _ change: FacetChange) {
            self.node = node
            self.change = change
        }
    }

    /// A client's idempotency key.
    public struct Key: Hashable, Sendable {
        /// The key as the client sent it.
        public var text: String
        /// The hash of the change: another change under the same key is refused.
        public var digest: UInt128

        /// The key `text` of a change with that hash.
        public init(_ text: String, digest: UInt128) {
            self.text = text
            self.digest = digest
        }
    }

    /// The name of the graph.
    public var graph: String
    /// What the commit does.
    public var kind: Kind
    /// What is set, in order.
    public var set: [Assignment] = []
    /// The names of the nodes that are cleared, after the sets.
    public var clear: [String] = []
    /// What producers have reported of nodes besides their values (L-3), in order, before the sets.
    public var reports: [Report] = []
    /// Those of `set` that stand for the session of the client (`"presence": true`): they are cleared when it ends, and when
    /// the server starts again.
    public var claimed: [String] = []
    /// The server of that session (``CommitLog/instance``), where nodes are claimed.
    public var claimer = ""
    /// The authenticated principal, if there is one.
    public var by: String?
    /// The client's remark (`ctx`), as JSON text.
    public var context: [UInt8]?
    /// The client's key, if it gave one.
    public var key: Key?
    /// Where the graph stood when the commit's conditions were checked; nil: it has none.
    ///
    /// Where several servers write a log, no commit of another one may come in between. It is not stored.
    public var checkedAt: UInt64?

    /// An entry that sets and clears nothing yet.
    public init(graph: String, kind: Kind = .values) {
        self.graph = graph
        self.kind = kind
    }

    /// How many nodes it sets or clears; one that it sets and clears is one.
    public var changed: Int {
        guard !clear.isEmpty else { return set.count }
        return Set(clear).union(set.map(\.node)).count
    }
}

/// Where the definition of a graph comes from.
public enum DefinitionOrigin: UInt8, Hashable, Sendable {
    /// A file of the configuration's folder.
    case file
    /// A client, by HTTP.
    case client
}
