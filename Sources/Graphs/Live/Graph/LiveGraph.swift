public import Commits
public import Definitions
package import ReactiveGraph
internal import Support
internal import Values

/// One named graph in a running host: its nodes by name, its rev and epoch, its chains.
///
/// Reading never changes it; every change is a ``Commit``.
public final class LiveGraph {
    public let name: String
    public internal(set) var definition: GraphDefinition
    public internal(set) var origin: DefinitionOrigin
    /// A new object with each definition.
    private(set) var definitionMark = DefinitionMark()
    /// The epochs of its history.
    public let epochs: Epochs
    /// The present epoch, to which `rev` belongs.
    public var epoch: String { epochs.present }
    /// The number of the last commit.
    public var rev: UInt64 { stamp.rev }
    /// Milliseconds since 1970 of the last commit.
    public var time: UInt64 { stamp.time }
    /// Rev and time of the last commit.
    package internal(set) var stamp: LogStamp
    /// False before its first commit is applied and after its last.
    package var isLive = false {
        didSet { judge() }
    }
    /// When no living server had its file any more, on the monotonic clock; nil: it is no orphan.
    var orphanedAt: UInt64? {
        didSet { judge() }
    }
    /// In how many looks in succession no server that shares the log had its file.
    var looksWithoutFile = 0
    /// Whether clients can find it: it is served, and the log knows its present state.
    package private(set) var isShown = false
    /// Whether commits go straight to the log: the graph is served, no change of its definition and
    /// no removal is pending, and the log accepts commits.
    private(set) var isOpen = false
    /// While a change of the definition or the removal is pending in the log: the commits that
    /// arrived after it.
    ///
    /// They are checked against the graph as it will be.
    package var deferred: [PendingCommit]? {
        didSet { judge() }
    }
    /// Cursors before this rev are invalid: the graph was read from the log again, and clients may
    /// have received other values.
    package internal(set) var resumesFrom: UInt64 = 0
    /// The last rev at which a glob came to match fewer nodes, as far as this process knows.
    package internal(set) var narrowedAt: UInt64 = 0
    /// Commits applied by this process.
    public internal(set) var commits: UInt64 = 0

    package unowned let host: Host
    package let core: Graph
    /// The entries of all names, and their living nodes.
    let registry: Registry
    /// All declared nodes, in the order of the definition; members of families are not among them.
    public internal(set) var nodes: [NamedNode] = [] {
        didSet { knownAlarms = nil }
    }
    /// The mutable nodes that the definition no longer has.
    package internal(set) var removedInputs = RemovedInputs()
    /// The nodes with an alarm; determined on first use.
    private var knownAlarms: [NamedNode]?
    /// The member lists of the nodes that join all matches of a glob.
    var allMembers: [ObjectIdentifier: AllMembers] = [:]
    package let chains = Chains()
    /// For each node with heads of clients' chains, by its creation number, the emissions that they
    /// have not handled yet.
    var records: [UInt64: EmissionRecord] = [:]
    /// The nodes that it has freed.
    package let releases = Releases()
    /// The writer of the last change whose writer is known.
    var latestWriter: Writer?
    /// Unreachable nodes; none unless the server has a fault.
    var leaked = LeakedNodes()
    package let facets = FacetTable()
    /// Demand for producers; nil while no client asks for it.
    package internal(set) var demand: GraphDemand?
    /// How many subscriptions have `load`.
    package var loaders = 0
    /// The commit to which what it emits belongs.
    package let presentCommit = PresentCommit()
    /// The timers of the definition's own stages, in commit time: everything due in one tick is one
    /// batch.
    private(set) lazy var timers = TimerQueue { [unowned self] in .milliseconds(time) }
    /// The edges of `sync` and `links`.
    package let ties = Ties()
    /// What the commits that the log has not confirmed yet will change.
    var pending = PendingChanges()
    /// Whether a tick is pending.
    var isTickPending = false
    /// Whether the host knows that the graph has timers.
    var isTimed = false
    /// Whether a tick may be appended: only one at a time, and none after the commit that ends the
    /// graph.
    var takesTicks: Bool { !isTickPending && deferred == nil }
    /// When a tick or an expiry is tried again after the log refused one, on the monotonic clock.
    var dueNotBefore: UInt64 = 0
    /// Whether a commit that drops expired members is pending.
    var isExpiring = false
    /// Whether such a commit may be appended.
    var takesExpiries: Bool { !isExpiring && deferred == nil }
    package var subscriptions = 0
    package var keptChains = 0
    package var hasListeners: Bool { subscriptions > 0 || keptChains > 0 }
    /// The turn of the loop in which the newest commit was applied.
    package internal(set) var turn: UInt64 = 0
    /// The stamp when the present turn of the loop began, if that had a commit.
    var stampBefore: LogStamp
    /// How often an owner was added to an existing subscription, or removed from one.
    package var ownerChanges: UInt64 = 0
    /// The time that expressions see as `time`: of the newest commit among the inputs.
    var evaluationTime: UInt64
    /// The newest rev at which an emission of a client's pipeline was late.
    package internal(set) var lateRev: UInt64 = 0
    /// How many emissions were replaced by the one that a client's pipeline is handling.
    package internal(set) var replacedEmissions: UInt64 = 0
    package let builder = NodeBuilder()
    /// The requests that wait for a commit; nil before the first one.
    var awaited: AwaitedCommits?
    /// The members of its families.
    package let members = Members()

    init(_ definition: GraphDefinition, _ origin: DefinitionOrigin, host: Host, position: LogPosition) {
        name = definition.name
        self.definition = definition
        self.origin = origin
        self.host = host
        epochs = position.epochs
        stamp = LogStamp(rev: position.rev, time: position.time)
        stampBefore = stamp
        evaluationTime = position.time
        let propagation: Graph.Propagation = definition.mode == .immediate ? .immediate : .settled
        core = Graph(propagation: propagation, propagatesEmpty: true)
        registry = Registry(graph: core, limit: host.limits.kept, naming: .verbatim)
        core.onFreed = { [chains, releases] node in
            guard !chains.removeHidden(node.id) else { return }
            releases.died(node)
            chains.died(node.id)
        }
        builder.begin(in: self)
        members.begin(in: self)
    }

    deinit {
        dissolve()
    }

    /// The graph or its host is being freed, and what goes with it must not report to either: lets
    /// the nodes go, without calling anyone.
    func dissolve() {
        releases.watch = nil
        core.demand = nil
        // A question to a producer holds the graph until it is answered.
        demand = nil
        core.onFreed = nil
        // A head holds its edge, which holds the stage; what waits for it may hold the graph.
        for record in chains.all { record.segment.head?.forget() }
        registry.removeAll()
        ties.disconnect()
    }

    /// The node with that name, or the family member, whose entry is made if necessary.
    public func node(_ name: String) -> NamedNode? {
        existing(name) ?? (members.families.isEmpty ? nil : members.make(name))
    }

    /// The same for a name given as bytes; makes no `String` if the node has an entry.
    public func node(named name: UnsafeRawBufferPointer) -> NamedNode? {
        if let entry = registry.entry(named: name) { return unsafeDowncast(entry, to: NamedNode.self) }
        return members.families.isEmpty ? nil : members.make(String(decoding: name, as: UTF8.self))
    }

    package func existing(_ name: String) -> NamedNode? { named(registry.entry(name)) }

    /// The nodes that match a name or glob: declared ones in the order of the definition, then
    /// members by name.
    package func visibleNodes(matching glob: String) -> [NamedNode] {
        nodes.filter { NodeSelection.matches(glob, $0.name) } + members.names.matching(glob).compactMap(node)
    }

    package func name(of node: AnyNode) -> NamedNode? { named(node.entry(in: registry)) }

    /// The stamp of the last change of a living node; for an unnamed one, the newest among the
    /// named nodes it is made from.
    package func lastChange(of node: AnyNode) -> LogStamp {
        var newest = LogStamp(rev: 0, time: 0)
        var seen: Set<UInt64> = [node.id]
        var open = [node]
        while let next = open.popLast() {
            if let named = name(of: next) {
                let change = named.lastChange
                if change.rev > newest.rev { newest = change }
                continue
            }
            for upstream in next.upstreamNodes + next.followedNodes where seen.insert(upstream.id).inserted {
                open.append(upstream)
            }
        }
        return newest
    }

    private func named(_ entry: RegistryEntry?) -> NamedNode? {
        entry.map { unsafeDowncast($0, to: NamedNode.self) }
    }

    /// The present value of a node.
    ///
    /// A derived node that does not live at the moment is built and released again. A removed node
    /// is empty.
    public func read(_ node: NamedNode) -> Reading {
        let changed = node.lastChange
        guard node.exists else { return Reading(held: .empty, changed: changed.rev, changedAt: changed.time) }
        let living = builder.materialise(node)
        return Reading(held: living.held, changed: changed.rev, changedAt: changed.time)
    }

    /// A client sets a node that does not exist; reported the first time after the definition
    /// removed it.
    func noteMissed(_ name: String?) {
        if let name, removedInputs.noteMissed(name) { host.onMissed(self.name, name) }
    }

    /// The counters.
    public var statistics: GraphStatistics {
        let counts = core.counts
        return GraphStatistics(
            nodes: counts.liveNodes - chains.hiddenCount,
            edges: counts.liveEdges,
            listeners: counts.liveListeners,
            subscriptions: subscriptions,
            keptChains: keptChains,
            released: releases.count,
            commits: commits,
            pending: pending.count,
            unreachable: leaked.count
        )
    }

    package var alarmNodes: [NamedNode] {
        if let knownAlarms { return knownAlarms }
        let found = nodes.filter { $0.definition.alarm != nil }
        knownAlarms = found
        return found
    }

    /// The nodes in an order in which each comes after those it is made from; members of the same
    /// family by name.
    func inOrder(_ nodes: some Sequence<NamedNode>) -> [NamedNode] {
        nodes.sorted { ($0.definition.rank, $0.name) < ($1.definition.rank, $1.name) }
    }

    /// The position in its history.
    package var position: LogPosition { LogPosition(epochs, rev: rev, time: time) }

    /// The stamp when the present turn of the loop began.
    var stampBeforeTurn: LogStamp { turn == host.turns ? stampBefore : stamp }

    /// The rev and time of the next commit made at `wall`, if no log assigns them.
    func nextStamp(at wall: UInt64) -> LogStamp {
        LogStamp(rev: rev &+ 1, time: max(time, wall))
    }

    /// The time that the next commit would be stamped with, in milliseconds since 1970, or an
    /// earlier one.
    ///
    /// Ticks and expiries are due by this clock and no other. It stands still while the clock that
    /// stamps has been set back.
    package var stampTime: UInt64 { max(time, host.stampTime) }

    /// When the definition's timers need a tick, in milliseconds since 1970.
    var nextTick: UInt64? { timers.nextMilliseconds }

    /// The log has not taken a tick or an expiry: it is tried again after a pause.
    ///
    /// There is no pause if it was too early: the clock that stamps was set back, and the log knows
    /// that now.
    func failed(_ commit: Commit) {
        switch commit.kind {
        case .tick: isTickPending = false
        case .expire: isExpiring = false
        case .values, .define, .redefine, .remove, .drop: return
        }
        guard commit.earliest <= stampTime else { return }
        dueNotBefore = host.clock.now + Self.pauseAfterFailure
    }

    private static var pauseAfterFailure: UInt64 { 250 }

    /// Updates `isShown` and `isOpen` after a change of the graph's state or the log's health.
    func judge() {
        isShown = isServed && host.health != .catchingUp
        if !isShown { awaited?.endAll() }
        isOpen = isServed && deferred == nil && host.health == .ready
    }

    /// The graph has a new definition: drops what was cached for the former one.
    func noteDefinition() {
        definitionMark = DefinitionMark()
    }
}

extension Node where Value == Datum {
    /// The present emission as the wire shows it.
    var held: Held {
        guard let datum = value else { return .empty }
        return datum.isFail ? .fail(datum) : .value(datum)
    }
}
