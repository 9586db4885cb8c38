import GraphHost

/// A log in memory that fails as a test says: it answers late, refuses, loses its epoch, and feels unwell.
final class FaultyLog: CommitLog {
    weak var follower: (any CommitLogFollower)?
    var health: LogHealth {
        didSet { follower?.logHealthChanged() }
    }
    /// Refuses what is appended from now on.
    var refusal: HostError?
    /// Answers when the test says so.
    var isSlow = false

    private var inner = MemoryLog(epoch: "first")
    private var waiting: [(ticket: UInt64, stamp: LogStamp)] = []

    init(_ health: LogHealth = .ready) {
        self.health = health
    }

    func open(graph: String) throws(HostError) -> LogPosition { try inner.open(graph: graph) }

    func append(_ commit: Commit, wall: UInt64, ticket: UInt64) -> LogAnswer {
        if let refusal { return .refused(refusal) }
        let answer = inner.append(commit, wall: wall, ticket: ticket)
        guard isSlow, case .committed(let stamp) = answer else { return answer }
        waiting.append((ticket, stamp))
        return .pending
    }

    /// How many commits wait for an answer.
    var pending: Int { waiting.count }

    /// Makes durable what waits.
    func confirm() {
        let confirmed = waiting
        waiting = []
        for (ticket, stamp) in confirmed { follower?.log(committed: ticket, at: stamp) }
    }

    /// Loses what waits.
    func lose(_ error: HostError) {
        let lost = waiting
        waiting = []
        for (ticket, _) in lost { follower?.log(refused: ticket, because: error) }
    }

    /// Comes back empty, as a store that was flushed does.
    func loseEpoch(of graph: String) {
        inner = MemoryLog(epoch: "second")
        follower?.log(lostEpochOf: graph)
    }
}
