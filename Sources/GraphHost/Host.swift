internal import ReactiveGraph
public import Support

/// Where a host stores its commits.
public enum CommitStore {
    /// Nowhere: each commit is applied and answered at once, and every start has a new epoch. The
    /// epoch is a word of at most 32 characters that no other start has used.
    case memory(epoch: String)
    /// In a log.
    case log(any CommitLog)
}

/// The live graphs by name, the sessions that listen to them, and the only way to change a graph
/// (``submit(_:)``).
///
/// A host belongs to one event loop, which drives it: ``advance()`` when a deadline has come, and
/// ``flush()`` at the end of each loop turn, which sends every session its changes in one message
/// per graph.
public final class Host {
    /// The source of time.
    public let clock: any HostClock
    /// The limits of sessions.
    public let limits: SessionLimits
    /// The options for expressions of client pipelines.
    public let definitions: DefinitionOptions

    /// The log of commits; nil: none, each commit is applied at once.
    let log: (any CommitLog)?
    /// Whether other servers write the log too.
    public var isShared: Bool { log?.isShared ?? false }
    /// Whether this server makes the ticks of the graphs.
    public var isLeading: Bool { log?.isLeading ?? true }
    /// An identifier of this start, if other servers write the log too.
    var instance: String { log?.instance ?? "" }
    /// The epoch of all graphs if there is no log.
    private let epoch: String
    /// The last positions of graphs that have ended, if there is no log.
    private var ended: [String: LogPosition] = [:]
    /// The log's health, as last reported.
    public internal(set) var health: LogHealth
    /// When it last changed, in milliseconds of the monotonic clock.
    public internal(set) var healthChangedAt: UInt64
    /// The loop's current activity, for a watchdog.
    public let activity = Activity()
    /// The graphs that could not be rebuilt from the log and are not served, in alphabetical order.
    public internal(set) var unbuilt: [String] = []
    /// Called before a report of the log is handled.
    ///
    /// The loop must then end the turn, although no caller of the host was active.
    public var onLog: () -> Void = {}
    /// Called when a client sets a node (the second argument) that the definition of a graph (the
    /// first) no longer has.
    public var onMissed: (String, String) -> Void = { _, _ in }
    /// Writes an internal fault to the server's log, and returns a reference to the entry; see
    /// ``fault(_:)``.
    public var onFault: (_ what: String) -> String = { _ in "unknown" }
    private let table = NameTable { unsafeDowncast($0, to: LiveGraph.self).name }
    /// All graphs in the order in which they were added, including those that have not started.
    @exclusivity(unchecked) private(set) var known: [LiveGraph] = []
    /// The graphs that have timers, or had some at the last check; there may be many graphs
    /// without.
    @exclusivity(unchecked) private(set) var timed: [LiveGraph] = []
    /// Commits that the log has not answered yet.
    var waiting = PendingCommits()
    /// Commits of this turn that were not passed to the log yet.
    private var outgoing: [LogEntry] = []
    /// Commits before which other servers' commits have come: they are checked again at the end of
    /// the turn, when all of those are known.
    @exclusivity(unchecked) var moved: [PendingCommit] = []
    var keys: IdempotencyKeys
    var pressure = PressureCount()
    /// Rises whenever a graph is added, removed or redefined.
    @exclusivity(unchecked) public internal(set) var definitionChanges: UInt64 = 0
    /// The round of the search for unreachable nodes.
    var leakRound: UInt64 = 0
    /// Clears the values that represented ended sessions.
    private(set) lazy var presences = PresenceClearing(self)
    /// Reads parts of clients' requests on another thread, and calls back in a turn of the loop;
    /// nil: everything is read at once.
    public var readElsewhere: ((_ part: UnreadPart, _ done: @escaping (ReadPart) -> Void) -> Void)?
    /// The part for which the current request was refused for now.
    var unread: UnreadPart?
    /// The parts that were read for the current request.
    var readParts: ReadParts?
    /// Schedules the stages of client pipelines.
    let lanes = PipelineLanes()
    /// In a ``TrialBirth``: the limit of units for the stages of definitions.
    var trialUnits: Int?
    var accounts = PipelineAccounts()
    var pipelineTexts = PipelineTexts()
    /// The graphs with `demand` requests of producers, and the reports due at the end of the turn
    /// (D-1).
    @exclusivity(unchecked) var demanded: [LiveGraph] = []
    var demandNews: [DemandWatch] = []
    /// Members of families that were asked for in this turn; those without a node are removed at
    /// its end.
    @exclusivity(unchecked) var leftovers: [NamedNode] = []
    let memberAccounts = MemberAccounts()
    /// Tells clients what calls for attention; nil while none follows.
    @exclusivity(unchecked) var alarmWatch: AlarmWatch?

    /// Nodes built and values read for requests since the start: the unit of a turn's budget.
    @exclusivity(unchecked) public internal(set) var work: UInt64 = 0
    /// The same as ``work``, for callers in other modules that need it for every request: their
    /// access to a stored property costs 75 instructions of exclusivity checks, even if the
    /// property is marked as unchecked.
    public var workDone: UInt64 {
        @inline(never) get { work }
    }

    /// How many commits of this server have been applied since the start.
    @exclusivity(unchecked) var appliedCount: UInt64 = 0
    public var applied: UInt64 {
        @inline(never) get { appliedCount }
    }

    /// The start times of the turns in which commits were submitted that were applied in later
    /// turns, since the last read.
    @exclusivity(unchecked) var lateCommits: ContiguousArray<UInt64> = []
    public func takeLateCommits() -> ContiguousArray<UInt64> {
        guard !lateCommits.isEmpty else { return [] }
        defer { lateCommits = [] }
        return lateCommits
    }

    /// The value of ``work`` at the start of this turn.
    @exclusivity(unchecked) private var workBefore: UInt64 = 0

    /// Whether the requests of all clients have used so much of this turn that costly ones must
    /// wait for another: two and a half times the share of one client.
    public var isCrowded: Bool {
        @inline(never) get { (work - workBefore) * 2 / 5 >= limits.work }
    }

    /// Performs a costly request in a later turn, after those that wait already.
    public func later(_ perform: @escaping () -> Void) {
        dispatcher.later(perform)
    }

    /// The number of finished loop turns.
    @exclusivity(unchecked) public private(set) var turns: UInt64 = 0

    /// The timers of sessions and of private stages, on the monotonic clock.
    let timers: TimerQueue
    let sessions = Sessions()
    let dispatcher = Dispatcher()
    let delivery = Delivery()

    /// A host without graphs that stores its commits in `store`.
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
        log?.follower = self
    }

    deinit {
        // Nodes that are freed together with the host report it to the host, so that must happen
        // while the host is whole. Observers are not notified.
        for graph in known {
            graph.chains.watch = nil
            table.remove(named: graph.name)
        }
        sessions.forget()
        dispatcher.forget()
        delivery.forget()
        known = []
    }

    /// All graphs, in the order in which they were added.
    public var graphs: [LiveGraph] { known.filter(\.isLive) }

    /// The graph with that name.
    public subscript(name: String) -> LiveGraph? { known(name).flatMap { $0.isLive ? $0 : nil } }

    /// The graph with that name, given as bytes; makes no `String`.
    ///
    /// If there is none, the error is ``noGraph``.
    public func graph(named name: UnsafeRawBufferPointer) -> LiveGraph? {
        guard let object = table[name] else { return nil }
        let graph = unsafeDowncast(object, to: LiveGraph.self)
        return graph.isShown ? graph : nil
    }

    /// The graph with that name, even if it has not started.
    func known(_ name: String) -> LiveGraph? {
        table[name].map { unsafeDowncast($0, to: LiveGraph.self) }
    }

    // MARK: - Changing

    /// Creates a graph: its first commit.
    ///
    /// Refused with `in_use` if a graph with that name exists, and with `too_large` at the limit of
    /// graphs. Use ``restore(graph:)`` for a graph that the log has: defining it would start it
    /// from its initial values.
    public func define(
        _ definition: GraphDefinition,
        from origin: DefinitionOrigin = .client
    ) -> Submission {
        // While the log is catching up it decides itself about a first commit.
        if health != .catchingUp, let error = health.refusal { return .refused(error) }
        do throws(HostError) {
            try checkRoom(for: definition)
            let position = try position(of: definition.name)
            let graph = LiveGraph(definition, origin, host: self, position: position)
            // Another graph with that name may have ended before the start.
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

    /// Throws if there is no room for another graph.
    func checkRoom(for definition: GraphDefinition) throws(HostError) {
        guard known(definition.name) == nil else {
            throw HostError(.inUse, "a graph named \(definition.name) exists")
        }
        guard known.count < limits.graphs else {
            let message = "there are \(limits.graphs) graphs, the most that are allowed (limits.graphs)"
            throw HostError(.tooLarge, message)
        }
    }

    /// The position of a graph's history before its next commit.
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

    /// Changes the definition of a running graph: unchanged nodes keep their values, state,
    /// history, listeners and edges.
    ///
    /// The change is one commit. Without a difference there is no commit, and the answer has the
    /// present rev.
    ///
    /// - Parameters:
    ///   - graph: the graph.
    ///   - definition: the new definition, with the same name.
    ///   - origin: the source of the definition; nil: the same as before.
    ///   - hash: the required present ``GraphDefinition/hash``; otherwise the answer is `conflict`.
    ///   - by: the authenticated principal, if there is one.
    /// - Returns: the result, as for any commit.
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
            return .refused(
                HostError(.conflict, "the definition has changed in the meantime", rev: graph.rev)
            )
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
    /// The answer is available when this returns, or comes through the ``PendingCommit``, as the
    /// log decides.
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

    /// The same for a commit that names a family member whose entry was removed since.
    private func submitRenewed(_ commit: Commit) -> Submission {
        var commit = commit
        commit.renewMembers()
        guard commit.set.first?.node.isListed == true else { return .refused(Self.unknown(commit.graph)) }
        return submit(commit)
    }

    /// The same for a commit with a new key.
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

    /// A commit is invalid.
    ///
    /// If other servers write the log too, a failed condition may be about an outdated state: the
    /// log is asked first.
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

    /// Commits of other servers have come in between: checks the commit against the present state.
    private func submitAgain(_ pending: PendingCommit) {
        pending.moves += 1
        pending.refusal = nil
        guard pending.moves <= Self.mostMoves else {
            let message = "other servers changed the graph during every attempt"
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

    /// A commit for a graph with a pending change of its definition, or a pending end, waits until
    /// the log has answered.
    ///
    /// One for a graph that is gone is refused, and so is every commit while the log accepts none.
    @inline(never)
    private func submitClosed(_ commit: Commit) -> Submission {
        guard commit.graph.isLive else { return .refused(Self.unknown(commit.graph)) }
        if let error = health.refusal { return .refused(error) }
        let pending = PendingCommit(commit, in: activity.turnBegan)
        commit.graph.deferred?.append(pending)
        return .pending(pending)
    }

    /// The log has answered a commit.
    ///
    /// If it changes the definition or ends the graph, the commits that waited for it are checked
    /// now.
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

    /// Only existing members can be dropped: those that have a value, or are about to.
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
        HostError(.conflict, "another change of this definition is pending", retry: true)
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

    /// Passes the rest to the log, and closes it.
    public func close() {
        sessions.releaseAll()
        settle()
        log?.close()
    }

    /// Passes the commits of this turn to the log.
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
        delivery.finishCommit()
        alarmWatch?.noteCommit()
        // A commit that sets off many pipelines is a dear request.
        if lanes.total != spent {
            work += UInt64((lanes.total - spent) / LiveGraph.unitsPerNode)
            lanes.endSlow(in: self)
        }
    }

    /// Removes a graph that has ended or never started; a new one may have its name already.
    func forget(_ graph: LiveGraph) {
        if log == nil { ended[graph.name] = graph.position }
        known.removeAll { $0 === graph }
        definitionChanges &+= 1
        timed.removeAll { $0 === graph }
        graph.timers.onFirst = {}
        if known(graph.name) === graph { table.remove(named: graph.name) }
    }

    // MARK: - Time and turns

    /// Does everything that is due: deliveries that waited for their interval, private timed
    /// stages, and for each graph one tick commit with all emissions of its definition's stages.
    public func advance() {
        sessions.goOn(of: self)
        dispatcher.goOn(of: self)
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

    /// A graph has its first timer.
    func noteTimer(of graph: LiveGraph) {
        guard !graph.isTimed else { return }
        graph.isTimed = true
        timed.append(graph)
    }

    /// The longest time in milliseconds until the wall clock is read again while waiting for a
    /// tick.
    private static let longestSleep: UInt64 = 60_000

    /// Whether this server makes ticks and the log accepts them.
    private var makesTicks: Bool { health == .ready && isLeading }

    /// When ``advance()`` has something to do next, in milliseconds of the monotonic clock; nil:
    /// nothing is due.
    public var nextDeadline: UInt64? {
        if sessions.isUnfinished || dispatcher.isUnfinished || lanes.isWaiting { return clock.now }
        if demanded.contains(where: { $0.demand?.isDue == true }) { return clock.now }
        var next = timers.nextMilliseconds
        // Ticks that are due are made when the log is ready again.
        guard makesTicks else { return next }
        for graph in timed {
            let tick = graph.takesTicks ? graph.nextTick : nil
            let expiry = graph.takesExpiries ? graph.nextExpiry : nil
            guard let due = [tick, expiry].compactMap(\.self).min() else { continue }
            let wall = clock.wall
            // The wall clock may be changed in the meantime, so it is read again soon.
            let steady = clock.now + (due > wall ? min(due - wall, Self.longestSleep) : 0)
            next = min(next ?? steady, steady)
        }
        return next
    }

    /// Ends the loop turn: every session with something to send gets one message per graph.
    public func flush() {
        if !demanded.isEmpty { flushDemand() }
        delivery.flush()
        submitMoved()
        handOver()
        if !leftovers.isEmpty { forgetLeftovers() }
        turns &+= 1
        workBefore = work
    }

    /// The rights of principals have changed: ends what sessions may no longer see (`forbidden`),
    /// and closes sessions of principals that no longer exist (4401).
    public func reviseAccess(_ revise: (Principal) -> Access?) {
        for session in sessions.all {
            guard let principal = session.access.access?.principal else { continue }
            session.change(to: revise(principal))
        }
    }

    /// The counters.
    public var statistics: HostStatistics {
        HostStatistics(
            graphs: graphs.count,
            sessions: sessions.openCount,
            subscriptions: sessions.subscriptions,
            messagesIn: dispatcher.messageCount,
            messagesOut: delivery.messageCount,
            folded: delivery.folded,
            pressureEvents: pressure.events,
            pressureReleased: pressure.released
        )
    }
}
