/// The counters of one graph, for `/metrics` and for tests that count.
public struct GraphStatistics: Hashable, Sendable {
    /// Nodes that live now: mutable, derived, and those of client pipelines.
    public var nodes: Int
    /// Edges between them.
    public var edges: Int
    /// Listen edges of subscriptions.
    public var listeners: Int
    /// Subscriptions to nodes of this graph; one to several nodes has several listeners.
    public var subscriptions: Int
    /// Chains kept for clients whose connections have ended.
    public var keptChains: Int
    /// Nodes freed since the graph was created.
    public var released: UInt64
    /// Commits applied since the start of this process.
    public var commits: UInt64
    /// Commits that the log has not answered yet.
    public var pending: Int
    /// Nodes that hold each other and are held by nothing else, as of the last count
    /// (``Host/countLeaks(anew:)``).
    public var unreachable: Int
}

/// The counters of a host.
public struct HostStatistics: Hashable, Sendable {
    /// Graphs that exist.
    public var graphs: Int
    /// How often unused nodes were released because memory was short, or because a graph kept too
    /// many.
    public var pressureEvents: UInt64
    /// Nodes freed by these releases.
    public var pressureReleased: UInt64
}
