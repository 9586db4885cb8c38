internal import DequeModule
internal import ReactiveGraph

/// How the stages of client pipelines share a host's loop.
///
/// A stage runs at once, within the commit, while its principal has units left. A principal gets a
/// number of units per second, and all principals together may use a number of units in one loop
/// turn. Work above that waits at the stage's ``StageGate`` for the late lane: a slice of each turn
/// after all other clients have been served. Principals take turns in it.
final class PipelineLanes {
    /// The units of one turn for all pipelines together, outside of the late lane: 0.3 ms.
    static let crowd = 15_000
    /// The units of the late lane in one turn: 0.08 ms.
    static let slice = 4_000
    /// The units after which the late lane goes on with the next principal.
    private static let each = 800
    /// The units for the first values of a new pipeline within its request: 0.04 ms.
    static let opening = 2_000
    /// What passing a value on costs besides its stages: 1.5 microseconds.
    private static let passing = 75
    /// The cost of an emission for each principal with resting stages: half a microsecond.
    private static let calling = 25
    /// What an expired timer costs besides the stages that its emission reaches: a microsecond.
    private static let timer = 50

    /// Units that stages have spent since the start.
    private(set) var total = 0
    /// Units left for all principals together in the turn `turn`, or in the current slice.
    private var left = 0
    private var turn = UInt64.max
    /// Whether the late lane is running.
    private var isLate = false
    /// Principals with waiting stages, in the order in which they are served: those that have units
    /// left first, because only the crowd made them wait.
    private var waiting: Deque<PipelineAccount> = []
    /// The resting stages that the present commit or the present timers have called.
    private var calledNow: ContiguousArray<(account: PipelineAccount, stages: Resting)> = []
    /// Stages and subscriptions for which too much waits.
    private var overflowing: Deque<StageGate> = []
    private var slow: Deque<Subscription> = []
    /// How much of the turn ending their subscriptions has used.
    private var ending = TurnShare(dividedBy: 4)
    /// Whether the last ``run(in:)`` ended some.
    private var isEnding = false
    /// While the first values of a new pipeline are computed: where `total` is when the rest must
    /// wait, whatever its principal has left.
    var openUntil = Int.max
    /// Waits for the first value that is passing a gate; the next gate that holds the value back
    /// takes this over.
    var opening: (() -> Void)?

    /// Whether something waits for the late lane.
    var isWaiting: Bool { !waiting.isEmpty || hasSlow }

    private var hasSlow: Bool { !overflowing.isEmpty || !slow.isEmpty }

    /// Whether the first values of a new pipeline are being computed.
    var isOpening: Bool { openUntil != .max }

    /// Whether a stage may run now that is charged to this principal.
    @inline(__always)
    func hasRoom(for account: PipelineAccount, in host: Host) -> Bool {
        if isLate { return left > 0 }
        if turn != host.turns { begin(host.turns) }
        return left > 0 && account.hasRoom(in: host)
    }

    /// How many units a run may spend now that is charged to this principal.
    func unitsLeft(for account: PipelineAccount) -> Int {
        if isOpening { return openUntil - total }
        return isLate ? left : min(left, account.room)
    }

    private func begin(_ number: UInt64) {
        turn = number
        left = Self.crowd
    }

    /// Counts the cost of a stage.
    @inline(__always)
    func spend(_ units: Int) {
        total &+= units
        left &-= units
    }

    /// Counts work that cannot be put off, such as recording an emission.
    ///
    /// Outside of the late lane, other stages may spend as much in this turn as before.
    func note(_ units: Int) {
        total &+= units
        if isLate { left &-= units }
    }

    /// A gate has started to hold something back.
    func wait(_ gate: StageGate, for account: PipelineAccount) {
        account.add(gate)
        if !account.isQueued { queue(account) }
    }

    private func queue(_ account: PipelineAccount) {
        account.isQueued = true
        if account.room > 0 { waiting.prepend(account) } else { waiting.append(account) }
    }

    /// Lets all stages go, which may wait for each other: the host is being freed.
    func forget() {
        for account in waiting { account.forget() }
        waiting = []
        calledNow = []
        overflowing = []
        slow = []
    }

    // MARK: - Stages that rest

    /// There is an emission for these stages of an account, which pays for the recording.
    func call(_ resting: Resting, of account: PipelineAccount, charging recording: Int) {
        note(Self.calling)
        account.room &-= Self.calling + recording
        account.call(resting)
        if !account.isQueued { queue(account) }
        calledNow.append((account, resting))
    }

    /// Those just called whose principals have earned something meanwhile handle it at once.
    @inline(__always)
    func serveCalled(in host: Host) {
        if !calledNow.isEmpty { serveThoseCalled(in: host) }
    }

    @inline(never)
    private func serveThoseCalled(in host: Host) {
        var place = 0
        // They may call others.
        while place < calledNow.count {
            let (account, resting) = calledNow[place]
            place += 1
            while hasRoom(for: account, in: host), let gate = resting.popDue() {
                spend(Self.passing)
                gate.wake()
                if gate.passNext() { wait(gate, for: account) }
            }
        }
        calledNow.removeAll(keepingCapacity: true)
    }

    // MARK: - Timers

    /// Whether this turn has time for another timer: those of clients' stages may use half of what
    /// there is for pipelines.
    func takesTimer(in host: Host) -> Bool {
        if turn != host.turns { begin(host.turns) }
        return left > Self.crowd / 2
    }

    /// A stage's timer has expired.
    func perform(_ due: Due) {
        spend(Self.timer)
        due.perform()
    }

    // MARK: - What is too slow

    /// Too much waits at a gate.
    func overflow(_ gate: StageGate) {
        overflowing.append(gate)
    }

    /// These subscriptions were too slow to take what was sent.
    func overflow(_ subscriptions: [Subscription], in host: Host) {
        slow.append(contentsOf: subscriptions)
        endSlow(in: host)
    }

    /// Ends subscriptions that are too far behind, as many as this turn allows.
    private func endSlow(in host: Host) {
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

    /// Runs the late lane's slice of this turn: some emissions of one principal after the other, or
    /// ends subscriptions that are too far behind.
    func run(in host: Host) {
        isEnding = hasSlow && (!isEnding || waiting.isEmpty)
        if isEnding { return endSlow(in: host) }
        if turn != host.turns { begin(host.turns) }
        let outer = left
        isLate = true
        left = Self.slice
        while left > 0, let account = waiting.popFirst() {
            account.isQueued = false
            let end = total + Self.each
            while left > 0, total < end, let gate = account.popWaiting() {
                spend(Self.passing)
                if gate.passNext() { account.add(gate) }
            }
            if account.isWaiting, !account.isQueued { queue(account) }
        }
        isLate = false
        left = outer
        // These wait for their turn.
        calledNow.removeAll(keepingCapacity: true)
    }
}
