internal import DequeModule

/// How the stages of client pipelines share a host's loop.
///
/// A stage runs at once, within the commit, as long as its principal has room. A principal has a number of units a second,
/// and all principals together have a number of units in one turn of the loop. Work above that waits at the stage's
/// ``StageGate`` for the late lane: a slice of each turn, after all other clients have been served. Principals take turns
/// in it.
final class PipelineLanes {
    /// What all pipelines together may take of one turn at once: 1 ms.
    static let crowd = 50_000
    /// What the late lane takes of one turn: 0.2 ms.
    static let slice = 10_000
    /// What the first values of one new pipeline may take at once where its principal has no room: 0.04 ms.
    static let opening = 2_000

    /// Units that stages have spent since the start.
    @exclusivity(unchecked) private(set) var total = 0
    /// Units left to all principals together in the turn `turn`, or in the slice that runs.
    @exclusivity(unchecked) private var left = 0
    @exclusivity(unchecked) private var turn = UInt64.max
    /// Whether the late lane runs.
    @exclusivity(unchecked) private var isLate = false
    /// Principals with stages that wait, in the order in which they are served.
    private var waiting: Deque<PipelineAccount> = []
    /// Stages at which more waits than is allowed, and subscriptions for which more does.
    private var overflowing: Deque<StageGate> = []
    private var slow: Deque<Subscription> = []
    /// What ending their subscriptions has had of the turn.
    private var ending = TurnShare()
    /// Until `total` has passed this, a pipeline that is being built computes its first values at once, even without room.
    @exclusivity(unchecked) var openUntil = Int.max
    /// What waits for the first value that is passing through a gate: the next gate that holds it back takes this over.
    @exclusivity(unchecked) var opening: (() -> Void)?

    /// Whether something waits for the late lane.
    var isWaiting: Bool { !waiting.isEmpty || hasSlow }

    private var hasSlow: Bool { !overflowing.isEmpty || !slow.isEmpty }

    /// Whether a stage that this principal answers for may run now.
    @inline(__always)
    func hasRoom(for account: PipelineAccount, in host: Host) -> Bool {
        if isLate { return left > 0 }
        if turn != host.turns { begin(host.turns) }
        return left > 0 && account.hasRoom(in: host)
    }

    private func begin(_ number: UInt64) {
        turn = number
        left = Self.crowd
    }

    /// Counts what a stage has cost.
    @inline(__always)
    func spend(_ units: Int) {
        total &+= units
        left &-= units
    }

    /// A gate has begun to hold something back.
    func wait(_ gate: StageGate, for account: PipelineAccount) {
        if account.waiting.isEmpty { waiting.append(account) }
        account.waiting.append(gate)
    }

    /// More waits at a gate than is allowed.
    func overflow(_ gate: StageGate) {
        overflowing.append(gate)
    }

    /// These have been too slow to take what was sent.
    func overflow(_ subscriptions: [Subscription], in host: Host) {
        slow.append(contentsOf: subscriptions)
        endOverflowing(host)
    }

    /// Ends the subscriptions that are too far behind, as many as this turn allows; not while a graph is at work.
    @inline(__always)
    func endSlow(in host: Host) {
        if hasSlow { endOverflowing(host) }
    }

    private func endOverflowing(_ host: Host) {
        while !ending.isSpent(of: host), let subscription = nextSlow() {
            let before = host.work
            subscription.session.end(subscription, .slow)
            ending.spend(since: before, of: host)
        }
    }

    private func nextSlow() -> Subscription? {
        while let subscription = slow.popFirst() {
            if !subscription.isEnded { return subscription }
        }
        while let gate = overflowing.first {
            if let subscription = gate.newestSubscription { return subscription }
            overflowing.removeFirst()
        }
        return nil
    }

    /// The late lane's slice of this turn: one emission of one principal after the other.
    func run(in host: Host) {
        guard !waiting.isEmpty else { return endSlow(in: host) }
        if turn != host.turns { begin(host.turns) }
        let outer = left
        isLate = true
        left = Self.slice
        while left > 0, let account = waiting.popFirst() {
            guard let gate = account.waiting.popFirst() else { continue }
            // A run that costs nothing must not go on for ever.
            spend(1)
            if gate.passNext() { account.waiting.append(gate) }
            if !account.waiting.isEmpty { waiting.append(account) }
        }
        isLate = false
        left = outer
        endSlow(in: host)
    }
}
