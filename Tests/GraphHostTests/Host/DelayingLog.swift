@testable import GraphHost

/// A log that answers when the test says so, and fails when it shall.
final class DelayingLog: CommitLog {
    weak var follower: (any CommitLogFollower)?
    var health = LogHealth.ready {
        didSet { follower?.logHealthChanged() }
    }
    /// Answered at once, as a memory log does.
    var isInstant = false
    /// Refuses what is appended from now on.
    var refusal: HostError?

    private var inner: MemoryLog
    private(set) var waiting: [(ticket: UInt64, stamp: LogStamp)] = []

    init(epoch: String = "e1") {
        inner = MemoryLog(epoch: epoch)
    }

    func open(graph: String) throws(HostError) -> LogPosition {
        try inner.open(graph: graph)
    }

    func append(_ commit: Commit, wall: UInt64, ticket: UInt64) -> LogAnswer {
        if let refusal { return .refused(refusal) }
        let answer = inner.append(commit, wall: wall, ticket: ticket)
        guard !isInstant, case .committed(let stamp) = answer else { return answer }
        waiting.append((ticket, stamp))
        return .pending
    }

    /// Confirms the oldest commits.
    func confirm(_ count: Int = .max) {
        for _ in 0..<min(count, waiting.count) {
            let (ticket, stamp) = waiting.removeFirst()
            follower?.log(committed: ticket, at: stamp)
        }
    }

    /// Goes on in another epoch, as an empty store does.
    func begin(epoch: String, losing graphs: String...) {
        inner = MemoryLog(epoch: epoch)
        for graph in graphs { follower?.log(lostEpochOf: graph) }
    }

    /// Loses all that is waiting.
    func lose(_ error: HostError) {
        let lost = waiting
        waiting = []
        for (ticket, _) in lost { follower?.log(refused: ticket, because: error) }
    }
}
