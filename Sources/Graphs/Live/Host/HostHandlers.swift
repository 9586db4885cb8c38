/// What a host calls in the server that it belongs to.
public struct HostHandlers {
    /// Called before a report of the log is handled.
    ///
    /// The loop must then end the turn, although no caller of the host was active.
    public var onLog: () -> Void = {}
    /// Called at the end of each turn, once it is known what is wanted, and before clients receive
    /// what the turn has changed.
    public var onDemand: () -> Void = {}
    /// Knows which upstreams are open; nil: there are none.
    public weak var upstreams: (any UpstreamSight)?
    /// Called when a client sets a node (the second argument) that the definition of a graph (the
    /// first) no longer has.
    public var onMissed: (String, String) -> Void = { _, _ in }
    /// Called when graphs have become orphans because no server that shares the log has their file.
    public var onOrphans: ([LiveGraph]) -> Void = { _ in }
    /// Called when an orphan was removed at the end of its time, with its name and the number of
    /// its values.
    public var onExpiredOrphan: (String, Int) -> Void = { _, _ in }
    /// Writes an internal fault to the server's log, and returns a reference to the entry; see
    /// ``Host/fault(_:)``.
    public var onFault: (_ what: String) -> String = { _ in "unknown" }
}
