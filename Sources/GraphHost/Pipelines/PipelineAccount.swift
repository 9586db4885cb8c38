internal import CEL
internal import DequeModule

/// The resources of the client pipelines of one principal: computation, memory, and different
/// regular expressions.
///
/// If clients need no token, each connection is a principal of its own, because many people may
/// share an address.
final class PipelineAccount {
    /// The principal's name; nil: a connection's own.
    let name: String?
    /// How many subscriptions with pipelines or tickets the principal has.
    fileprivate var uses = 0
    /// In how many stages of those subscriptions each pattern occurs.
    private var patterns: [ObjectIdentifier: Int] = [:]
    /// Units that its stages may spend before they must wait; negative if they have overspent.
    var room = 0
    /// The loop turn and the millisecond at which `room` was updated.
    private var turn = UInt64.max
    private var filledAt: UInt64
    /// Its waiting stages, in the order in which they continue.
    private(set) var waiting: Deque<StageGate> = []
    /// Its resting stages with an emission to handle, which come after those.
    private var called: Deque<Resting> = []
    /// Whether the lanes have it in their queue.
    var isQueued = false
    /// Bytes that its stages hold: their values, what operators keep, and what waits except the
    /// newest emission of each stage.
    var held = 0

    init(name: String?, in host: Host) {
        self.name = name
        filledAt = host.clock.now
        room = host.limits.pipelineBurst
    }

    /// Whether its stages may run at once: what waits comes first.
    @inline(__always)
    func hasRoom(in host: Host) -> Bool {
        if turn != host.turns { fill(host) }
        return room > 0 && waiting.isEmpty
    }

    /// Whether it has spent all that it has earned.
    func isOverShare(in host: Host) -> Bool {
        if turn != host.turns { fill(host) }
        return room <= 0
    }

    /// A stage waits; one that has paused continues first, so that there is only one of them.
    func add(_ gate: StageGate) {
        if gate.hasPaused { waiting.prepend(gate) } else { waiting.append(gate) }
    }

    /// There is an emission for these.
    func call(_ resting: Resting) {
        if !resting.isCalled { called.append(resting) }
        resting.isCalled = true
        resting.call()
    }

    /// Takes the stage whose turn is next.
    func popWaiting() -> StageGate? {
        if let gate = waiting.popFirst() { return gate }
        while let resting = called.first {
            if let gate = resting.popDue() {
                gate.wake()
                return gate
            }
            resting.isCalled = false
            called.removeFirst()
        }
        return nil
    }

    /// No stage waits any more: the host is being freed.
    func forget() {
        waiting = []
        called = []
    }

    /// Whether it has a stage whose turn may come.
    var isWaiting: Bool { !waiting.isEmpty || !called.isEmpty }

    /// Another subscription uses it, until ``PipelineAccounts/end(_:)``.
    func begin() { uses += 1 }

    /// Adds the units earned since the last update.
    private func fill(_ host: Host) {
        turn = host.turns
        let now = host.clock.now
        guard now > filledAt else { return }
        // At most the units of one second.
        let more = Int(min(now - filledAt, 1_000)) * host.limits.pipelineUnits / 1_000
        filledAt = now
        room = min(host.limits.pipelineBurst, room + more)
    }

    /// How many different patterns its pipelines use.
    var patternCount: Int { patterns.count }

    func has(_ pattern: any RegexMatcher) -> Bool { patterns[ObjectIdentifier(pattern)] != nil }

    fileprivate func add(_ pattern: any RegexMatcher) {
        patterns[ObjectIdentifier(pattern), default: 0] += 1
    }

    fileprivate func remove(_ pattern: any RegexMatcher) {
        let key = ObjectIdentifier(pattern)
        guard let count = patterns[key] else { return }
        patterns[key] = count > 1 ? count - 1 : nil
    }
}

struct PipelineAccounts {
    private(set) var named: [String: PipelineAccount] = [:]

    /// The account of that principal, made on first use.
    mutating func account(of name: String, in host: Host) -> PipelineAccount {
        if let known = named[name] { return known }
        let account = PipelineAccount(name: name, in: host)
        named[name] = account
        return account
    }

    func find(_ name: String) -> PipelineAccount? { named[name] }

    /// A subscription no longer uses the account; after the last one it is removed.
    mutating func end(_ account: PipelineAccount) {
        account.uses -= 1
        if account.uses == 0, let name = account.name { named[name] = nil }
    }
}

/// One subscription's use of a chain, and the account that is charged for it.
///
/// The account and every stage of the chain count it until ``end(_:)``.
final class PipelineUse {
    let chain: Chains.Record
    let account: PipelineAccount
    unowned let subscription: Subscription
    /// Its index at each stage's gate, from the first stage.
    private var places: ContiguousArray<Int>
    /// Whether the subscription needs every emission.
    private var needsAll: Bool

    init(_ chain: Chains.Record, by subscription: Subscription, for account: PipelineAccount) {
        self.chain = chain
        self.account = account
        self.subscription = subscription
        needsAll = subscription.options.isAll
        places = ContiguousArray(repeating: 0, count: chain.level + 1)
        account.begin()
        chain.owners += 1
        forEachStage { stage, needsAll in
            places[stage.level] = stage.gate.add(self)
            if needsAll { stage.gate.need(all: 1) }
            for pattern in stage.patterns { account.add(pattern) }
        }
    }

    func end(_ host: Host) {
        chain.owners -= 1
        forEachStage { stage, needsAll in
            if needsAll { stage.gate.need(all: -1) }
            stage.gate.remove(at: places[stage.level], level: stage.level)
            for pattern in stage.patterns { account.remove(pattern) }
        }
        host.accounts.end(account)
    }

    /// The subscription's options have changed.
    func update() {
        guard needsAll != subscription.options.isAll else { return }
        let before = needsAll
        needsAll = !before
        forEachStage { stage, needsAll in if needsAll { stage.gate.need(all: 1) } }
        needsAll = before
        forEachStage { stage, needsAll in if needsAll { stage.gate.need(all: -1) } }
        needsAll = !before
    }

    /// Its index at a stage's gate has changed.
    func moved(to place: Int, level: Int) {
        places[level] = place
    }

    /// Visits the stages from the last to the first, with whether the subscription needs every
    /// emission of a stage: that of one with memory, or with a later stage that has memory; all of
    /// them in mode `all`.
    @inline(__always)
    private func forEachStage(_ visit: (Chains.Record, _ needsAll: Bool) -> Void) {
        var needsAll = needsAll
        var next: Chains.Record? = chain
        while let stage = next {
            if stage.hasMemory { needsAll = true }
            visit(stage, needsAll)
            next = stage.previous
        }
    }
}
