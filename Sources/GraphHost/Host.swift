internal import ReactiveGraph
public import Support

/// Where a host's commits are kept.
public enum CommitStore {
    /// Nowhere: each is applied and answered as soon as it is made, and every start is a new epoch. The epoch is a word of at most
    /// 32 characters that no other start has used.
    case memory(epoch: String)
    /// In a log.
    case log(any CommitLog)
}

/// The live graphs by name, the sessions that listen to them, and the one way to change anything.
///
/// A host belongs to one event loop and is driven by it: ``advance()`` when a deadline has come, and ``flush()``
/// at the end of each loop turn, when every session gets what changed for it in one message per graph.
public final class Host {
    /// Where the time comes from.
    public let clock: any HostClock
    /// What sessions may do.
    public let limits: SessionLimits
    /// What expressions of client pipelines may use.
    public let definitions: DefinitionOptions

    /// Where commits are kept; nil: nowhere, each is applied as soon as it is made.
    let log: (any CommitLog)?
    /// Whether other servers write the log too.
    public var isShared: Bool { log?.isShared ?? false }
    /// Whether this server makes the ticks of the graphs.
    public var isLeading: Bool { log?.isLeading ?? true }
    /// The word for this start, where other servers write the log too.
    var instance: String { log?.instance ?? "" }
    /// The epoch of all graphs where there is no log.
    private let epoch: String
    /// Where graphs stood that have ended, where there is no log that knows.
    private var ended: [String: LogPosition] = [:]
    /// How the log stands, as far as it has said.
    public internal(set) var health: LogHealth
    /// Since when, in milliseconds of the steady clock.
    public internal(set) var healthChangedAt: UInt64
    /// What the loop is doing, for a watchdog.
    public let activity = Activity()
    /// The graphs that cannot be built from what the log has, and are not served, in the order of the alphabet.
    public internal(set) var unbuilt: [String] = []
    /// Called before anything happens that the log brought, and no caller of the host: the end of a turn has something to do then.
    public var onLog: () -> Void = {}
    /// A client has set a node, named second, that the definition of a graph, named first, does not have any more.
    public var onMissed: (String, String) -> Void = { _, _ in }
    /// Takes what went wrong in the server itself to its log, and returns under which word it is found there; see ``fault(_:)``.
    public var onFault: (_ what: String) -> String = { _ in "unknown" }
    private let table = NameTable { unsafeDowncast($0, to: LiveGraph.self).name }
    /// All graphs in the order in which they came, also those that have not begun.
    @exclusivity(unchecked) private(set) var known: [LiveGraph] = []
    /// Those that have timers set, or had when that was looked at last: there may be many graphs without.
    @exclusivity(unchecked) private(set) var timed: [LiveGraph] = []
    /// Commits that the log has not answered.
    var waiting = PendingCommits()
    /// Those of this turn, which the log has not got yet.
    private var outgoing: [LogEntry] = []
    /// Those in front of which others' commits have come: they are checked again at the end of the turn, when all of that is known.
    @exclusivity(unchecked) var moved: [PendingCommit] = []
    var keys: IdempotencyKeys
    var pressure = PressureCount()
    /// Rises whenever a graph comes, goes or gets another definition.
    @exclusivity(unchecked) public internal(set) var definitionChanges: UInt64 = 0
    /// Counts the rounds in which lost nodes are looked for.
    var leakRound: UInt64 = 0
    /// Clears what stood for sessions that are no more.
    private(set) lazy var presences = PresenceClearing(self)
    /// Reads parts of clients' requests on another thread, and calls back in a turn of the loop; nil: all is read at once.
    public var readElsewhere: ((_ part: UnreadPart, _ done: @escaping (ReadPart) -> Void) -> Void)?
    /// What the request at hand was refused for now.
    var unread: UnreadPart?
    /// What was read for the request at hand.
    var readParts: ReadParts?
    /// Decides when the stages of client pipelines run.
    let lanes = PipelineLanes()
    /// After how many units the stages of definitions do no more work, in a ``TrialBirth``.
    var trialUnits: Int?
    var accounts = PipelineAccounts()
    var pipelineTexts = PipelineTexts()
    /// The graphs of which producers want to know what is wanted, and what they are to hear at the end of the turn (D-1).
    @exclusivity(unchecked) var demanded: [LiveGraph] = []
    var demandNews: [DemandWatch] = []
    /// Members of families that were asked for in this turn: those that get no node are forgotten at its end.
    @exclusivity(unchecked) var leftovers: [NamedNode] = []
    let memberAccounts = MemberAccounts()
    /// Tells clients what calls for attention; nil while none follows.
    @exclusivity(unchecked) var alarmWatch: AlarmWatch?

    /// Nodes built and values read for requests since the start: what a turn's budget is measured in.
    @exclusivity(unchecked) public internal(set) var work: UInt64 = 0
    /// The same as ``work``, for callers in other modules that ask at every request: their access to a stored property costs
    /// 75 instructions of exclusivity checks, even where the property is marked as unchecked.
    public var workDone: UInt64 {
        @inline(never) get { work }
    }

    /// How many commits of this server have been applied since the start.
    @exclusivity(unchecked) var appliedCount: UInt64 = 0
    public var applied: UInt64 {
        @inline(never) get { appliedCount }
    }

    /// When the turns began in which commits were submitted that were applied later, since this was asked last.
    @exclusivity(unchecked) var lateCommits: ContiguousArray<UInt64> = []
    public func takeLateCommits() -> ContiguousArray<UInt64> {
        guard !lateCommits.isEmpty else { return [] }
        defer { lateCommits = [] }
        return lateCommits
    }

    /// What ``work`` was when this turn began.
    @exclusivity(unchecked) private var workBefore: UInt64 = 0

    /// Whether the requests of all clients have had so much of this turn that dear ones wait for another: two and a half times
    /// what one client's may have.
    public var isCrowded: Bool {
        @inline(never) get { (work - workBefore) * 2 / 5 >= limits.work }
    }

    /// Performs a dear request in a later turn, after those that wait already.
    public func later(_ perform: @escaping () -> Void) {
        sessions.later(perform)
    }

    /// Loop turns that have ended.
    @exclusivity(unchecked) public private(set) var turns: UInt64 = 0

    /// The timers of sessions and of private stages, on the steady clock.
    let timers: TimerQueue
    let sessions: Sessions
    /// Where messages that are no deliveries are built.
    @exclusivity(unchecked) var answer = ByteBuffer()

    /// A host without graphs, whose commits are kept as `store` says.
    public init(
        store: CommitStore,
        clock: any HostClock,
        limits: SessionLimits = SessionLimits(),
        definitions: DefinitionOptions = DefinitionOptions()
    ) {
        self.definitions = definitions
        switch store {
        case .memory(let epoch):
            precondition(epoch.utf8.count <= 32, "an epoch has at most 32 characters")
            (log, self.epoch) = (nil, epoch)
        case .log(let log): (self.log, epoch) = (log, "")
        }
        self.clock = clock
        timers = TimerQueue { .milliseconds(clock.now) }
        health = log?.health ?? .ready
        healthChangedAt = clock.now
        self.limits = limits
        keys = IdempotencyKeys(limit: limits.idempotencyKeys)
        sessions = Sessions()
        log?.follower = self
    }

    deinit {
        // Nodes that die with the host tell it so, as long as it is whole; observers hear of none.
        for graph in known {
            graph.chains.watch = nil
            table.remove(named: graph.name)
        }
        sessions.forget()
        known = []
    }

    /// All graphs, in the order in which they came.
    public var graphs: [LiveGraph] { known.filter(\.isLive) }

    /// The graph of that name.
    public subscript(name: String) -> LiveGraph? { known(name).flatMap { $0.isLive ? $0 : nil } }

    /// The graph of that name, given as bytes; makes no `String`.
    ///
    /// Where there is none, the answer is ``noGraph``.
    public func graph(named name: UnsafeRawBufferPointer) -> LiveGraph? {
        guard let object = table[name] else { return nil }
        let graph = unsafeDowncast(object, to: LiveGraph.self)
        return graph.isShown ? graph : nil
    }

    /// The graph of that name, also one that has not begun.
    func known(_ name: String) -> LiveGraph? {
        table[name].map { unsafeDowncast($0, to: LiveGraph.self) }
    }

    // MARK: - Changing

    /// Brings a graph into being: its first commit.
    ///
    /// Refused with `in_use` if a graph of that name exists, and with `too_large` at the limit of graphs. Use
    /// ``restore(graph:)`` for a graph that the log has: defining it would start it from its initial values.
    public func define(
        _ definition: GraphDefinition,
        from origin: DefinitionOrigin = .client
    ) -> Submission {
        // While the log is catching up it knows itself what becomes of a first commit.
        if health != .catchingUp, let error = health.refusal { return .refused(error) }
        do throws(HostError) {
            try checkRoom(for: definition)
            let position = try position(of: definition.name)
            let graph = LiveGraph(definition, origin, host: self, position: position)
            // Another graph of that name may have ended before the start.
            if position.rev > 0 { try restoreKeys(of: graph) }
            add(graph)
            var commit = Commit(graph: graph)
            commit.kind = .define
            return append(commit)
        } catch {
            return .refused(told(error))
        }
    }

    private func restoreKeys(of graph: LiveGraph) throws(HostError) {
        guard let log else { return }
        do throws(StoreError) {
            try restoreKeys(of: graph, from: log.reader)
        } catch {
            throw fault("graph \(graph.name): \(error.message)")
        }
    }

    /// Whether one more graph may come into being.
    func checkRoom(for definition: GraphDefinition) throws(HostError) {
        guard known(definition.name) == nil else {
            throw HostError(.inUse, "a graph named \(definition.name) exists")
        }
        guard known.count < limits.graphs else {
            let message = "there are \(limits.graphs) graphs, as many as there may be (limits.graphs)"
            throw HostError(.tooLarge, message)
        }
    }

    /// Where the history of a graph of that name stands, before it goes on.
    func position(of name: String) throws(HostError) -> LogPosition {
        if let log { return try log.open(graph: name) }
        return ended.removeValue(forKey: name) ?? LogPosition(epoch: epoch, rev: 0, time: 0)
    }

    /// From now on the graph is found by its name.
    func add(_ graph: LiveGraph) {
        known.append(graph)
        definitionChanges &+= 1
        graph.timers.onFirst = { [unowned self, unowned graph] in noteTimer(of: graph) }
        if graph.nextTick != nil || graph.nextExpiry != nil { noteTimer(of: graph) }
        table.insert(graph, named: graph.name)
    }

    /// Makes another graph of one that runs: what did not change keeps its values, state, history, listeners and edges.
    ///
    /// The whole change is one commit or nothing. Where there is no difference there is no commit: the answer has the
    /// present rev.
    ///
    /// - Parameters:
    ///   - graph: the graph.
    ///   - definition: the new definition, of the same name.
    ///   - origin: where the definition comes from; nil: from where the present one does.
    ///   - hash: what the definition's ``GraphDefinition/hash`` must be now, or the answer is `conflict`.
    ///   - by: the authenticated principal, if there is one.
    /// - Returns: what became of it, as of any commit.
    public func redefine(
        _ graph: LiveGraph,
        as definition: GraphDefinition,
        from origin: DefinitionOrigin? = nil,
        ifHash hash: String? = nil,
        by: String? = nil
    ) -> Submission {
        precondition(definition.name == graph.name, "a graph keeps its name")
        guard graph.isLive else { return .refused(Self.unknown(graph)) }
        guard graph.deferred == nil else { return .refused(Self.isChanging) }
        if let hash, hash != graph.definition.hash {
            return .refused(HostError(.conflict, "the definition is another one now", rev: graph.rev))
        }
        let origin = origin ?? graph.origin
        guard definition.hash != graph.definition.hash || origin != graph.origin else {
            return .applied(Applied(epoch: graph.epoch, rev: graph.rev, time: graph.time, changed: 0))
        }
        if let error = health.refusal { return .refused(error) }
        var commit = Commit(graph: graph)
        commit.kind = .redefine(definition, origin)
        commit.by = by
        let submission = append(commit)
        if case .pending = submission { graph.deferred = [] }
        return submission
    }

    /// Ends a graph: its last commit.
    ///
    /// Its subscriptions end with `node_removed`.
    public func remove(_ graph: LiveGraph) -> Submission {
        guard graph.isLive else { return .refused(Self.unknown(graph)) }
        if let error = health.refusal { return .refused(error) }
        guard graph.deferred == nil else { return .refused(Self.isChanging) }
        var commit = Commit(graph: graph)
        commit.kind = .remove
        let submission = append(commit)
        if case .pending = submission { graph.deferred = [] }
        return submission
    }

    /// Sets one node, without conditions or remarks: the usual change.
    ///
    /// It becomes a commit only if something needs one: the log, or the birth of a member.
    public func set(_ node: NamedNode, to value: Datum) -> Submission {
        let graph = node.graph
        guard log == nil, graph.isOpen, !node.isUnborn else {
            var commit = Commit(graph: graph)
            commit.set.append(Assignment(node, value))
            return submit(commit)
        }
        do throws(HostError) {
            var budget = CheckBudget()
            defer { work += UInt64(budget.spent / LiveGraph.unitsPerNode) }
            try Self.check(node, value, of: graph, within: &budget)
            try Conditions.checkAsked(node, [])
        } catch {
            return .refused(error)
        }
        node.noteSet(byHand: false)
        appliedCount &+= 1
        let stamp = graph.nextStamp(at: clock.wall)
        apply(to: graph) { graph.set(node, to: value, stamp) }
        return .applied(Applied(epoch: graph.epoch, rev: stamp.rev, time: stamp.time, changed: 1))
    }

    /// Checks a change against what is applied and what is pending, and gives it to the log.
    ///
    /// The answer is at hand when this returns, or will come through the ``PendingCommit``, as the log decides.
    public func submit(_ commit: Commit) -> Submission {
        do throws(HostError) {
            if commit.isLone, let only = commit.set.first {
                guard commit.graph.isOpen else { return submitClosed(commit) }
                var budget = CheckBudget()
                defer { work += UInt64(budget.spent / LiveGraph.unitsPerNode) }
                try Self.check(only.node, only.value, of: commit.graph, within: &budget)
                if only.node.isUnborn {
                    guard only.node.isListed else { return submitRenewed(commit) }
                    try commit.graph.checkRoom(forMembersOf: commit)
                }
                try Conditions.checkAsked(only.node, [])
            } else {
                guard commit.graph.isOpen else { return submitClosed(commit) }
                if commit.key != nil { return submitOnce(commit) }
                try check(commit)
            }
        } catch {
            return refuse(commit, error)
        }
        let isByHand = commit.isByHand
        commit.set.forEach { $0.node.noteSet(byHand: isByHand) }
        return append(commit)
    }

    /// The same for one that names a member of a family that has gone since.
    private func submitRenewed(_ commit: Commit) -> Submission {
        var commit = commit
        commit.renewMembers()
        guard commit.set.first?.node.isListed == true else { return .refused(Self.unknown(commit.graph)) }
        return submit(commit)
    }

    /// The same for one whose key is new.
    private func submitNew(_ commit: Commit) -> Submission {
        do throws(HostError) {
            try check(commit)
        } catch {
            return refuse(commit, error)
        }
        let isByHand = commit.isByHand
        commit.set.forEach { $0.node.noteSet(byHand: isByHand) }
        return append(commit)
    }

    /// A commit does not fit.
    ///
    /// Where others write the log too, a condition that does not hold may be about what has long changed elsewhere: the log is asked
    /// first.
    private func refuse(_ commit: Commit, _ error: HostError) -> Submission {
        guard let log, log.isShared, error.code == .conflict else { return .refused(error) }
        let pending = PendingCommit(commit, in: activity.turnBegan)
        ask(log, about: pending, error)
        return .pending(pending)
    }

    private func ask(_ log: any CommitLog, about pending: PendingCommit, _ error: HostError) {
        pending.refusal = error
        // In its place among the commits.
        handOver()
        log.confirm(pending.commit.entry(), ticket: waiting.next)
        waiting.append(pending)
    }

    private func submitMoved() {
        guard !moved.isEmpty else { return }
        let again = moved
        moved = []
        for pending in again { submitAgain(pending) }
    }

    /// Others' commits have come in between: the commit is checked against what is there now.
    private func submitAgain(_ pending: PendingCommit) {
        pending.moves += 1
        pending.refusal = nil
        guard pending.moves <= Self.mostMoves else {
            let message = "others changed the graph each time that this was tried"
            return pending.answer(
                .failure(HostError(.conflict, message, rev: pending.commit.graph.rev, retry: true))
            )
        }
        do throws(HostError) {
            guard pending.commit.graph.deferred == nil else { throw Self.isChanging }
            try check(pending.commit)
            if let refusal = health.refusal { throw refusal }
            enqueue(pending)
        } catch {
            if let log, error.code == .conflict, error.retry != true {
                return ask(log, about: pending, error)
            }
            pending.answer(.failure(error))
        }
    }

    /// How often a commit is tried again when others come in between.
    private static let mostMoves = 8

    /// A commit for a graph whose definition is being changed, or that is about to end, waits until the log has answered; one
    /// for a graph that is gone is refused, and so is every one while the log takes none.
    @inline(never)
    private func submitClosed(_ commit: Commit) -> Submission {
        guard commit.graph.isLive else { return .refused(Self.unknown(commit.graph)) }
        if let error = health.refusal { return .refused(error) }
        let pending = PendingCommit(commit, in: activity.turnBegan)
        commit.graph.deferred?.append(pending)
        return .pending(pending)
    }

    /// The log has answered a commit: where it changes the definition or ends the graph, what came behind it is checked now.
    func submitDeferred(behind commit: Commit) {
        switch commit.kind {
        case .redefine, .remove: break
        case .values, .define, .tick, .drop, .expire: return
        }
        let graph = commit.graph
        guard let deferred = graph.deferred else { return }
        graph.deferred = nil
        for pending in deferred {
            var commit = pending.commit
            commit.renewMembers()
            switch submit(commit) {
            case .applied(let applied): pending.answer(.success(applied))
            case .refused(let error): pending.answer(.failure(error))
            case .pending(let inner): inner.onAnswer { pending.answer($0) }
            }
        }
    }

    private func submitOnce(_ commit: Commit) -> Submission {
        switch keys.find(commit, now: clock.now) {
        case .known(let result):
            switch result {
            case .success(let applied): return .applied(applied)
            case .failure(let error): return .refused(error)
            }
        case .inFlight(let pending):
            return .pending(pending)
        case .new(let record):
            let submission = submitNew(commit)
            switch submission {
            case .applied(let applied): keys.settle(record, .success(applied))
            case .refused: keys.forget(record)
            case .pending(let pending): keys.follow(record, pending)
            }
            return submission
        }
    }

    private func check(_ commit: Commit) throws(HostError) {
        let graph = commit.graph
        guard graph.isLive else { throw Self.unknown(graph) }
        guard commit.set.count > 0 || !commit.clear.isEmpty || !commit.reports.isEmpty else {
            throw HostError(.badRequest, "nothing to set or to clear")
        }
        var budget = CheckBudget()
        defer { work += UInt64(budget.spent / LiveGraph.unitsPerNode) }
        try commit.set.forEach { (assignment) throws(HostError) in
            try Self.check(assignment.node, assignment.value, of: graph, within: &budget)
        }
        for node in commit.clear {
            if case .drop = commit.kind, let refusal = node.dropRefusal { throw refusal }
            try Self.checkMutable(node, of: graph)
        }
        for report in commit.reports { try Self.checkMutable(report.node, of: graph) }
        try graph.checkRoom(forMembersOf: commit)
        try Self.checkDrop(commit)
        try Conditions.check(commit)
    }

    @inline(__always)
    private static func check(
        _ node: NamedNode,
        _ value: Datum,
        of graph: LiveGraph,
        within budget: inout CheckBudget
    ) throws(HostError) {
        try checkMutable(node, of: graph)
        if let complaint = node.complaint(about: value, within: &budget) {
            throw HostError(.typeMismatch, complaint, node: node.name)
        }
    }

    private static func checkMutable(_ node: NamedNode, of graph: LiveGraph) throws(HostError) {
        guard node.exists, node.graph === graph else {
            throw HostError(.unknownNode, "no node \(node.name) in \(graph.name)", node: node.name)
        }
        guard node.isMutable else {
            throw HostError(.notMutable, "\(node.name) is derived and cannot be set", node: node.name)
        }
    }

    /// Only members that are there can be dropped: those that hold a value, or are about to.
    private static func checkDrop(_ commit: Commit) throws(HostError) {
        guard case .drop = commit.kind else { return }
        for node in commit.clear {
            let holds =
                if case .known(let value)? = node.pending?.value { value != nil } else {
                    node.source?.isEmpty == false
                }
            guard holds else {
                throw HostError(
                    .unknownNode,
                    "no member \(node.name) in \(commit.graph.name)",
                    node: node.name
                )
            }
        }
    }

    static var isChanging: HostError {
        HostError(.conflict, "another change of this definition is on its way", retry: true)
    }

    private static func unknown(_ graph: LiveGraph) -> HostError {
        HostError(.unknownGraph, "no graph \(graph.name)")
    }

    @discardableResult
    func append(_ commit: Commit) -> Submission {
        guard log != nil else {
            appliedCount &+= 1
            return .applied(apply(commit, commit.graph.nextStamp(at: clock.wall)))
        }
        let pending = PendingCommit(commit, in: activity.turnBegan)
        enqueue(pending)
        return .pending(pending)
    }

    private func enqueue(_ pending: PendingCommit) {
        waiting.append(pending)
        outgoing.append(pending.commit.entry())
        pending.commit.graph.overlay(pending)
    }

    /// Waits until the log has answered every commit.
    ///
    /// For the start, before there are clients.
    public func settle() {
        repeat {
            submitMoved()
            handOver()
            log?.settle()
        } while !moved.isEmpty
    }

    /// Gives the log what is left, and closes it.
    public func close() {
        sessions.releaseAll()
        settle()
        log?.close()
    }

    /// Gives the log what came in this turn.
    func handOver() {
        guard let log, !outgoing.isEmpty else { return }
        let entries = outgoing
        outgoing = []
        log.append(entries, tickets: waiting.next - UInt64(entries.count)..<waiting.next, wall: clock.wall)
    }

    func apply(_ commit: Commit, _ stamp: LogStamp) -> Applied {
        let graph = commit.graph
        apply(to: graph) { graph.apply(commit, stamp) }
        return Applied(epoch: graph.epoch, rev: stamp.rev, time: stamp.time, changed: commit.changed)
    }

    /// Makes one change of a graph, and settles what it causes.
    @inline(__always)
    private func apply(to graph: LiveGraph, _ change: () -> Void) {
        activity.noteCommit(to: graph, named: graph.name)
        let spent = lanes.total
        change()
        graph.settleFacets()
        sessions.finishCommit()
        alarmWatch?.noteCommit()
        // A commit that sets off many pipelines is a dear request.
        if lanes.total != spent {
            work += UInt64((lanes.total - spent) / LiveGraph.unitsPerNode)
            lanes.endSlow(in: self)
        }
    }

    /// Forgets a graph that has ended or never began; a new one may have its name already.
    func forget(_ graph: LiveGraph) {
        if log == nil { ended[graph.name] = graph.position }
        known.removeAll { $0 === graph }
        definitionChanges &+= 1
        timed.removeAll { $0 === graph }
        graph.timers.onFirst = {}
        if known(graph.name) === graph { table.remove(named: graph.name) }
    }

    // MARK: - Time and turns

    /// Lets everything happen whose time has come: deliveries that waited for their interval, private timed
    /// stages, and for each graph one tick commit with all that its definition's stages emit.
    public func advance() {
        sessions.goOn(of: self)
        timers.fire(until: .milliseconds(clock.now)) { $0.perform() }
        lanes.run(in: self)
        guard makesTicks else { return }
        let wall = clock.wall
        timed.removeAll { graph in
            graph.isTimed = graph.nextTick != nil || graph.nextExpiry != nil
            return !graph.isTimed
        }
        for graph in timed {
            if graph.takesTicks, let due = graph.nextTick, due <= wall {
                var commit = Commit(graph: graph)
                commit.kind = .tick(wall)
                graph.isTickPending = true
                _ = append(commit)
            }
            guard let commit = graph.expired(by: wall) else { continue }
            graph.isExpiring = true
            _ = append(commit)
        }
    }

    /// Something of the graph is to happen at a time, and nothing else was.
    func noteTimer(of graph: LiveGraph) {
        guard !graph.isTimed else { return }
        graph.isTimed = true
        timed.append(graph)
    }

    /// After how many milliseconds the wall clock is looked at again while a tick is waited for.
    private static let longestSleep: UInt64 = 60_000

    /// Whether the log takes ticks, and from this server.
    private var makesTicks: Bool { health == .ready && isLeading }

    /// When ``advance()`` has something to do next, in milliseconds of the steady clock; nil: nothing is set.
    public var nextDeadline: UInt64? {
        if sessions.hasUnfinished || lanes.isWaiting { return clock.now }
        if demanded.contains(where: { $0.demand?.isDue == true }) { return clock.now }
        var next = timers.nextMilliseconds
        // What is due when the log is well again happens then.
        guard makesTicks else { return next }
        for graph in timed {
            let tick = graph.takesTicks ? graph.nextTick : nil
            let expiry = graph.takesExpiries ? graph.nextExpiry : nil
            guard let due = [tick, expiry].compactMap(\.self).min() else { continue }
            let wall = clock.wall
            // The wall clock may be set in the meantime: then it is looked at again soon.
            let steady = clock.now + (due > wall ? min(due - wall, Self.longestSleep) : 0)
            next = min(next ?? steady, steady)
        }
        return next
    }

    /// Ends the loop turn: every session that has something to say gets one message per graph.
    public func flush() {
        if !demanded.isEmpty { flushDemand() }
        sessions.flush()
        submitMoved()
        handOver()
        if !leftovers.isEmpty { forgetLeftovers() }
        turns &+= 1
        workBefore = work
    }

    /// The rights of principals have changed: what a session may not see any more ends (`forbidden`), and sessions of
    /// principals for whom there is nothing any more are closed (4401).
    public func reviseAccess(_ revise: (Principal) -> Access?) {
        for session in sessions.all {
            guard let principal = session.access.access?.principal else { continue }
            session.change(to: revise(principal))
        }
    }

    /// The counters.
    public var statistics: HostStatistics {
        sessions.statistics(graphs: graphs.count, pressure: pressure)
    }
}
