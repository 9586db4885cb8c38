/// The log that keeps nothing: every append is complete in the same turn, and every start is a new epoch.
public final class MemoryLog: CommitLog {
    /// Nobody: this log has answered when ``append(_:wall:ticket:)`` returns, so there is nothing to tell later.
    ///
    /// Not even a weak reference is kept: it would give the host a side table, and make every reference count on the way
    /// of a commit several times dearer.
    public var follower: (any CommitLogFollower)? {
        get { nil }
        set {}
    }

    /// Nothing can happen to it.
    public var health: LogHealth { .ready }

    private let epoch: String
    private var positions: [String: Position] = [:]
    // The last graph appended to: the usual case of one busy graph needs no look-up. A graph that is born opens
    // its history first, which forgets the last one, so an address used again cannot be mistaken.
    @exclusivity(unchecked) private var lastGraph: ObjectIdentifier?
    @exclusivity(unchecked) private var last: Position

    /// A log whose graphs all live in `epoch`, a string of at most 32 characters that no other start of the
    /// server has used.
    public init(epoch: String) {
        precondition(epoch.utf8.count <= 32, "an epoch has at most 32 characters")
        self.epoch = epoch
        last = Position()
    }

    public func open(graph: String) throws(HostError) -> LogPosition {
        lastGraph = nil
        let position = position(of: graph)
        return LogPosition(epoch: epoch, rev: position.rev, time: position.time)
    }

    public func append(_ commit: Commit, wall: UInt64, ticket: UInt64) -> LogAnswer {
        let graph = ObjectIdentifier(commit.graph)
        if lastGraph != graph {
            last = position(of: commit.graph.name)
            lastGraph = graph
        }
        return .committed(last.next(at: wall))
    }

    private func position(of graph: String) -> Position {
        if let known = positions[graph] { return known }
        let position = Position()
        positions[graph] = position
        return position
    }

    private final class Position {
        @exclusivity(unchecked) var rev: UInt64 = 0
        @exclusivity(unchecked) var time: UInt64 = 0

        func next(at wall: UInt64) -> LogStamp {
            rev += 1
            if wall > time { time = wall }
            return LogStamp(rev: rev, time: time)
        }
    }
}
