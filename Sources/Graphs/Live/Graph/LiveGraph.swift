package import Commits
internal import Definitions
package import ReactiveGraph
public import Support
internal import Values

/// One named graph in a running host: its nodes by name, its rev and epoch, its chains.
///
/// Reading never changes it; every change is a ``Commit``.
public final class LiveGraph {
    public let name: String
    package unowned let host: Host
    /// What it is made from, and the nodes that this declares.
    var basis: PresentDefinition
    /// Whether it is served, and what its commits wait for.
    var standing: Standing
    /// How far that has come.
    var course: Course
    /// What the commits that the log has not confirmed yet will change.
    var pending = PendingChanges()
    /// What holds while it computes something.
    package let present = PresentTurn()

    /// The entries of all names, and their living nodes.
    let registry: Registry
    package let builder = NodeBuilder()
    /// The members of its families.
    package let members = Members()
    /// The edges of `sync` and `links`.
    package let ties = Ties()
    package let facets = FacetTable()
    /// Its timers, and the commits that these and the leases of its members ask for.
    var due = DueCommits()

    /// How much of it clients hold, and what they ask producers for.
    package var clients = ClientHoldings()
    /// The nodes that it has freed.
    package let releases = Releases()

    init(_ definition: GraphDefinition, _ origin: DefinitionOrigin, host: Host, position: LogPosition) {
        name = definition.name
        standing = Standing(of: name)
        basis = PresentDefinition(definition, origin)
        self.host = host
        course = Course(at: position)
        let propagation: Graph.Propagation = definition.mode == .immediate ? .immediate : .settled
        let core = Graph(propagation: propagation, propagatesEmpty: true)
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

    package var core: Graph { registry.graph }
    /// The chains of clients' pipelines.
    package var chains: Chains { builder.chains }

    /// The graph or its host is being freed, and what goes with it must not report to either: lets
    /// the nodes go, without calling anyone.
    func dissolve() {
        releases.watch = nil
        core.demands = []
        // A question to a producer holds the graph until it is answered.
        clients.demand = nil
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
    public func node(named name: BorrowedBytes) -> NamedNode? {
        if let entry = registry.entry(named: name) { return (entry as! NamedNode) }
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
        [node].walk { node in
            guard let named = name(of: node) else { return node.neededNodes }
            let change = named.lastChange
            if change.rev > newest.rev { newest = change }
            return []
        }
        return newest
    }

    private func named(_ entry: RegistryEntry?) -> NamedNode? {
        entry.map { $0 as! NamedNode }
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

    /// The counters.
    public var statistics: GraphStatistics {
        let counts = core.counts
        return GraphStatistics(
            nodes: counts.liveNodes - chains.hiddenCount,
            edges: counts.liveEdges,
            listeners: counts.liveListeners,
            subscriptions: clients.subscriptions,
            keptChains: clients.keptChains,
            released: releases.count,
            commits: course.commits,
            pending: pending.count,
            unreachable: releases.leaked.count
        )
    }

    /// The nodes in an order in which each comes after those it is made from; members of the same
    /// family by name.
    func inOrder(_ nodes: some Sequence<NamedNode>) -> [NamedNode] {
        nodes.sorted { ($0.definition.rank, $0.name) < ($1.definition.rank, $1.name) }
    }
}

extension Node where Value == Datum {
    /// The present emission as the wire shows it.
    var held: Held {
        guard let datum = value else { return .empty }
        return datum.isFail ? .fail(datum) : .value(datum)
    }
}
