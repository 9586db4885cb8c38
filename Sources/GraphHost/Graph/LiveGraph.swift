internal import ReactiveGraph

/// One named graph while the host runs it: its nodes by name, its place in history, its chains.
///
/// Reading never changes it; everything that does change it is a ``Commit``.
public final class LiveGraph {
    /// The name, unique in the host.
    public let name: String
    /// What it is defined as.
    public internal(set) var definition: GraphDefinition
    /// Where the definition comes from.
    public internal(set) var origin: DefinitionOrigin
    /// Changes with each definition.
    @exclusivity(unchecked) private(set) var definitionMark = DefinitionMark()
    /// The unbroken history to which `rev` belongs.
    @exclusivity(unchecked) public internal(set) var epoch: String
    /// The number of the last commit.
    @exclusivity(unchecked) public internal(set) var rev: UInt64
    /// Milliseconds since 1970 of the last commit.
    @exclusivity(unchecked) public internal(set) var time: UInt64
    /// False before its first commit is applied and after its last.
    @exclusivity(unchecked) public internal(set) var isLive = false {
        didSet { judge() }
    }
    /// Whether it is found: it is live, and the log knows its present.
    @exclusivity(unchecked) private(set) var isShown = false
    /// Whether commits go straight to the log: it is live, neither a change of its definition nor its end is on the way, and
    /// the log takes commits.
    @exclusivity(unchecked) private(set) var isOpen = false
    /// While a change of the definition, or the end, is at the log: the commits that came behind it, which are checked
    /// against what the graph will be.
    var deferred: [PendingCommit]? {
        didSet { judge() }
    }
    /// Cursors before this rev are worth nothing: the graph was read again, and may have told clients something else.
    var resumesFrom: UInt64 = 0
    /// The rev since which no glob has come to mean fewer nodes, as far as this process knows.
    var narrowedAt: UInt64 = 0
    /// Commits applied by this process.
    @exclusivity(unchecked) public internal(set) var commits: UInt64 = 0

    unowned(unsafe) let host: Host
    let core: Graph
    /// The names, and their living nodes.
    let registry: Registry
    /// All declared nodes, in the order of the definition: those that are no members of families.
    @exclusivity(unchecked) public internal(set) var nodes: [NamedNode] = [] {
        didSet { knownAlarms = nil }
    }
    /// Nodes that were set and that the definition does not have any more, and whether clients have set them since.
    var removedInputs: [String: Bool] = [:]
    /// Those of them that have an alarm, once somebody has asked.
    private var knownAlarms: [NamedNode]?
    /// The families, in the order of the definition.
    @exclusivity(unchecked) var families: [NodeFamily] = []
    /// The names of the members that globs mean: see ``NameWatcher``.
    let members = SortedNames()
    /// How many members have a living node.
    @exclusivity(unchecked) var livingMembers = 0
    /// How many more commits on their way will bring to life.
    @exclusivity(unchecked) var comingMembers = 0
    /// What keeps the members of the nodes that join all nodes of a glob.
    var allMembers: [ObjectIdentifier: AllMembers] = [:]
    /// What follows names that come and go.
    let watchers = NameWatchers()
    let chains: Chains
    /// Who made the last change of a node of which that is known.
    @exclusivity(unchecked) var latestWriter: Writer?
    /// Used again, so that a commit allocates nothing.
    @exclusivity(unchecked) var sparePending: [PendingChange] = []
    /// What its owners have lost; nothing, or the server has a fault.
    var leaked = LeakedNodes()
    /// What is known of nodes besides their values.
    let facets = FacetTable()
    /// What producers want to know; nil where none asks.
    var demand: GraphDemand?
    /// How many subscriptions ask for what they have no value of (`load`).
    var loaders = 0
    let frames: GraphFrames
    /// The timers of the definition's own stages, in commit time: what is due in one tick is one batch.
    private(set) lazy var timers = TimerQueue { [unowned self] in .milliseconds(time) }
    /// The edges of `sync` and `links`, in their order.
    @exclusivity(unchecked) var ties: [Tie] = []
    /// Where they lead to.
    lazy var tieReach = TieReach(self)
    /// How many deliveries over them the commit that is being applied has caused.
    @exclusivity(unchecked) var tieDeliveries = 0
    /// What the checks of the nodes that they lead to may still cost in it.
    @exclusivity(unchecked) var tieChecks = CheckBudget()
    /// Who made the commit that is being applied, for the nodes it changes by way of a tie.
    @exclusivity(unchecked) var commitWriter: Writer?
    /// Commits that the log has not answered yet.
    @exclusivity(unchecked) var pending = 0
    /// Whether a tick is at the log, and, when the log refused one, when to try again (since 1970).
    var isTickPending = false
    /// Whether the host knows that it has timers.
    @exclusivity(unchecked) var isTimed = false
    /// Whether a tick may be appended: only one at a time, and none after the commit that ends the graph.
    var takesTicks: Bool { !isTickPending && deferred == nil }
    var tickNotBefore: UInt64 = 0
    /// Whether a commit that drops what has expired is at the log.
    var isExpiring = false
    /// Whether such a commit may be appended.
    var takesExpiries: Bool { !isExpiring && deferred == nil }
    @exclusivity(unchecked) var subscriptions = 0
    /// Chains that are kept for clients whose connections have ended (K-1).
    var keptChains = 0
    /// Whether a client listens to it, or a chain is kept for one.
    var isHeard: Bool { subscriptions > 0 || keptChains > 0 }
    /// The turn of the loop in which the newest commit was applied.
    @exclusivity(unchecked) var turn: UInt64 = 0
    /// How often an owner was added to a subscription that there was, or taken away.
    var ownerChanges: UInt64 = 0
    /// The time that expressions see as `time`: of the newest commit among the inputs.
    @exclusivity(unchecked) var evaluationTime: UInt64
    /// The same for the inputs of what is being materialised.
    @exclusivity(unchecked) var inputTimes: [ObjectIdentifier: UInt64] = [:]
    /// The reason that observers receive for nodes that are freed now.
    var releaseReason = ReleaseReason.lastOwner
    /// The gate of the stage that is being built, while it is one of a client's pipeline.
    @exclusivity(unchecked) var gate: StageGate?
    /// What counts the work of the definition's own stages, in a ``TrialBirth`` only.
    private(set) lazy var ownGate = host.trialUnits.map { StageGate(self, atMost: $0) }
    /// The tables of the cases, by the numbers of the nodes whose values they sort.
    var caseTables: [UInt64: CaseTableReference] = [:]
    /// While the graph is being restored: the names whose living nodes follow those that their definitions make, because
    /// they have outlived a change (``Rebuilding``).
    var followers: Set<String> = []
    /// The same for ties, by what they do: what their failures call them.
    var tiePlaces: [String: String] = [:]
    /// The newest rev at which something of a client's pipeline waited, or was delivered late.
    @exclusivity(unchecked) var lateRev: UInt64 = 0
    /// How many emissions the one that is being delivered late has replaced.
    @exclusivity(unchecked) var replacedEmissions: UInt64 = 0
    /// How many calls of ``materialise(_:)`` are running: what happens meanwhile is replay, not news.
    @exclusivity(unchecked) var materialising = 0

    init(_ definition: GraphDefinition, _ origin: DefinitionOrigin, host: Host, position: LogPosition) {
        name = definition.name
        self.definition = definition
        self.origin = origin
        self.host = host
        epoch = position.epoch
        rev = position.rev
        time = position.time
        evaluationTime = position.time
        let propagation: Graph.Propagation = definition.mode == .immediate ? .immediate : .settled
        core = Graph(propagation: propagation, propagatesEmpty: true)
        registry = Registry(graph: core, limit: host.limits.kept, naming: .verbatim)
        frames = GraphFrames(name: definition.name)
        chains = Chains()
        core.onRelease = { [chains] id in chains.released(id) }
        gate = ownGate
    }

    deinit {
        // Observers receive no deaths of nodes that go with the graph.
        chains.watch = nil
        core.demand = nil
        disconnectTies()
    }

    /// The node of that name, or the member of a family, which is made if it is not there.
    public func node(_ name: String) -> NamedNode? {
        existing(name) ?? (families.isEmpty ? nil : makeMember(name))
    }

    /// The same for a name given as bytes; makes no `String` where the node is there.
    public func node(named name: UnsafeRawBufferPointer) -> NamedNode? {
        if let entry = registry.entry(named: name) { return unsafeDowncast(entry, to: NamedNode.self) }
        return families.isEmpty ? nil : makeMember(String(decoding: name, as: UTF8.self))
    }

    /// The node of that name, if it is there.
    func existing(_ name: String) -> NamedNode? { named(registry.entry(name)) }

    /// The name that this living node is the node of.
    func name(of node: AnyNode) -> NamedNode? { named(node.entry(in: registry)) }

    private func named(_ entry: RegistryEntry?) -> NamedNode? {
        entry.map { unsafeDowncast($0, to: NamedNode.self) }
    }

    /// What a node holds now.
    ///
    /// A derived node that does not exist at the moment is built and let go again. A node that was removed holds
    /// nothing any more.
    public func read(_ node: NamedNode) -> Reading {
        let changed = node.lastChange
        guard node.exists else { return Reading(held: .empty, changed: changed.rev, changedAt: changed.time) }
        let living = materialise(node)
        return Reading(held: living.held, changed: changed.rev, changedAt: changed.time)
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
            released: chains.releasedCount,
            commits: commits,
            pending: pending,
            unreachable: leaked.count
        )
    }

    /// The declared nodes that have an alarm.
    var alarmNodes: [NamedNode] {
        if let knownAlarms { return knownAlarms }
        let found = nodes.filter { $0.definition.alarm != nil }
        knownAlarms = found
        return found
    }

    /// Where its history stands.
    var position: LogPosition { LogPosition(epoch: epoch, rev: rev, time: time) }

    /// The number and time of the next commit, made at `wall`, where no log gives them.
    func nextStamp(at wall: UInt64) -> LogStamp {
        LogStamp(rev: rev &+ 1, time: max(time, wall))
    }

    /// When the definition's own timers want a tick, in milliseconds since 1970.
    var nextTick: UInt64? {
        guard let due = timers.nextMilliseconds else { return nil }
        return max(due, tickNotBefore)
    }

    /// The log refused a tick: it is tried again, but not in a tight loop.
    func tickFailed(at wall: UInt64) {
        isTickPending = false
        tickNotBefore = wall + 250
    }

    /// What it may be used for has changed, or the log's health has.
    func judge() {
        isShown = isLive && host.health != .catchingUp
        isOpen = isLive && deferred == nil && host.health == .ready
    }

    /// The nodes are those of another definition: what was found out about the former is no longer true.
    func noteDefinition() {
        definitionMark = DefinitionMark()
    }
}

extension Node where Value == Datum {
    /// The present emission as the wire sees it.
    var held: Held {
        guard let datum = value else { return .empty }
        return datum.isFail ? .fail(datum) : .value(datum)
    }
}
