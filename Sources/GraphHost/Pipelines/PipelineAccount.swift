internal import CEL
internal import DequeModule

/// What the client pipelines of one principal may compute and hold, and how many different regular expressions they have.
///
/// Where clients need no token, each connection is a principal of its own: many people may share an address.
final class PipelineAccount {
    /// The principal's name; nil: a connection's own.
    let name: String?
    /// How many subscriptions with pipelines or tickets the principal has.
    fileprivate var uses = 0
    /// How many stages of those subscriptions have each pattern.
    private var patterns: [ObjectIdentifier: Int] = [:]
    /// Units that its stages may spend before they wait; below zero: what they have overspent.
    @exclusivity(unchecked) var room = 0
    /// The turn of the loop and the millisecond as of which `room` holds.
    @exclusivity(unchecked) private var turn = UInt64.max
    private var filledAt: UInt64
    /// Its stages that wait, in the order in which they go on.
    var waiting: Deque<StageGate> = []
    /// Bytes that its stages hold: values of their own, what operators keep, and what waits besides the newest of each stage.
    @exclusivity(unchecked) var held = 0

    init(name: String?, in host: Host) {
        self.name = name
        filledAt = host.clock.now
        room = host.limits.pipelineBurst
    }

    /// Whether its stages may run at once.
    @inline(__always)
    func hasRoom(in host: Host) -> Bool {
        if turn != host.turns { fill(host) }
        return room > 0
    }

    /// One more subscription needs it, until ``PipelineAccounts/end(_:)``.
    func begin() { uses += 1 }

    /// Room comes back with time.
    private func fill(_ host: Host) {
        turn = host.turns
        let now = host.clock.now
        guard now > filledAt else { return }
        // More than a second's worth does not fit in.
        let more = Int(min(now - filledAt, 1_000)) * host.limits.pipelineUnits / 1_000
        filledAt = now
        room = min(host.limits.pipelineBurst, room + more)
    }

    /// How many different patterns its pipelines search for.
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

/// The accounts of principals with names.
struct PipelineAccounts {
    private var named: [String: PipelineAccount] = [:]

    /// The account of that principal, made when it is first asked for.
    mutating func account(of name: String, in host: Host) -> PipelineAccount {
        if let known = named[name] { return known }
        let account = PipelineAccount(name: name, in: host)
        named[name] = account
        return account
    }

    /// The account, if the principal has pipelines.
    func find(_ name: String) -> PipelineAccount? { named[name] }

    /// One subscription less needs the account; with the last one it is forgotten.
    mutating func end(_ account: PipelineAccount) {
        account.uses -= 1
        if account.uses == 0, let name = account.name { named[name] = nil }
    }
}

/// One subscription's part in a chain, and the account that answers for it.
///
/// The account and every stage of the chain count it until ``end(_:)``.
final class PipelineUse {
    let chain: Chains.Record
    let account: PipelineAccount
    unowned let subscription: Subscription
    /// Where it stands at each stage's gate, the first stage first.
    private var places: [Int]
    /// Whether the subscription needs every emission.
    private var needsAll: Bool

    init(_ chain: Chains.Record, by subscription: Subscription, for account: PipelineAccount) {
        self.chain = chain
        self.account = account
        self.subscription = subscription
        needsAll = subscription.options.isAll
        places = Array(repeating: 0, count: chain.level + 1)
        account.begin()
        chain.owners += 1
        forEachStage { stage in
            places[stage.level] = stage.gate.add(self)
            for pattern in stage.patterns { account.add(pattern) }
        }
        countNeeds(by: 1)
    }

    /// The subscription ends.
    func end(_ host: Host) {
        chain.owners -= 1
        countNeeds(by: -1)
        forEachStage { stage in
            stage.gate.remove(at: places[stage.level], level: stage.level)
            for pattern in stage.patterns { account.remove(pattern) }
        }
        host.accounts.end(account)
    }

    /// The subscription has other options.
    func update() {
        guard needsAll != subscription.options.isAll else { return }
        countNeeds(by: -1)
        needsAll = subscription.options.isAll
        countNeeds(by: 1)
    }

    /// A stage has given it another place.
    func moved(to place: Int, level: Int) {
        places[level] = place
    }

    /// A stage needs every emission if it or a later one has a memory, or if the subscription is in mode `all`.
    private func countNeeds(by step: Int) {
        var needsAll = needsAll
        forEachStage { stage in
            if stage.hasMemory { needsAll = true }
            if needsAll { stage.gate.needingAll += step }
        }
    }

    /// Visits the stages from the last to the first.
    private func forEachStage(_ visit: (Chains.Record) -> Void) {
        var next: Chains.Record? = chain
        while let record = next {
            visit(record)
            next = record.previous
        }
    }
}
