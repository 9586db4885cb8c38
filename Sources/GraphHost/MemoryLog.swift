/// The log that keeps nothing: every append is complete in the same turn, and every start is a new epoch.
public final class MemoryLog: CommitLog {
    public weak var follower: (any CommitLogFollower)?

    private let epoch: String
    private var positions: [String: Position] = [:]
    // The last graph appended to: the usual case of one busy graph needs no look-up.
    private var lastName = ""
    private var last: Position?

    /// A log whose graphs all live in `epoch`, a string of at most 32 characters that no other start of the
    /// server has used.
    public init(epoch: String) {
        precondition(epoch.utf8.count <= 32, "an epoch has at most 32 characters")
        self.epoch = epoch
    }

    public func open(graph: String) throws(HostError) -> LogPosition {
        let position = position(of: graph)
        return LogPosition(epoch: epoch, rev: position.rev, time: position.time)
    }

    public func append(_ commit: Commit, wall: UInt64, ticket: UInt64) -> LogAnswer {
        let position = position(of: commit.graph.name)
        position.rev += 1
        position.time = max(position.time, wall)
        return .committed(LogStamp(rev: position.rev, time: position.time))
    }

    private func position(of graph: String) -> Position {
        if let last, lastName == graph { return last }
        let position = positions[graph] ?? Position()
        positions[graph] = position
        last = position
        lastName = graph
        return position
    }

    private final class Position {
        var rev: UInt64 = 0
        var time: UInt64 = 0
    }
}
