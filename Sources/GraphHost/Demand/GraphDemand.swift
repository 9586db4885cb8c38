internal import ReactiveGraph

/// What producers want to know of one graph: which of its mutable nodes are wanted, and which they are asked to load (D-1, D-2).
///
/// A node is wanted when a client listens to it or to a node that is made from it, over any number of edges, ties included. A chain
/// that is kept for a client that has gone makes nothing wanted. There is one of these while a client asks (`demand`).
final class GraphDemand {
    private unowned let graph: LiveGraph
    private var watches = GlobTable<Watch>()
    private var asks: [String: LoadAsk] = [:]
    /// Nodes whose values have become stale in this turn.
    private var stale: Set<String> = []
    /// The names of the mutable nodes that are wanted.
    private let wanted = SortedNames()
    private let core: Demand

    private struct Watch {
        /// Nil where its session went without being closed, as at the end of a process.
        weak var watch: DemandWatch?
    }

    /// How many nodes one turn looks at; what is left follows in the next ones.
    static let mostInTurn = 5_000

    fileprivate init(_ graph: LiveGraph) {
        self.graph = graph
        core = Demand(where: Self.counts)
        core.changed = { [unowned self] in toggled($0) }
        graph.core.demand = core
        for session in graph.host.sessions.all {
            for subscription in session.subscriptions where subscription.graph === graph {
                for edge in subscription.listens { core.began(edge) }
            }
            graph.host.work += UInt64(session.subscriptionCount)
        }
    }

    /// Whether a listen makes its node wanted: the others are the graph's own, or those of kept chains.
    private static func counts(_ edge: Edge) -> Bool {
        GroupMember.subscription(of: edge).map { !$0.isKept } ?? false
    }

    /// A node is wanted now, or no longer; the engine is at work.
    private func toggled(_ node: AnyNode) {
        guard let named = graph.name(of: node), named.isMutable else { return }
        if core.wants(node) { wanted.insert(named.name) } else { wanted.remove(named.name) }
        for found in watches.found(by: named.name) { found.watch?.note(named.name) }
    }

    // MARK: - Who asks

    fileprivate func add(_ watch: DemandWatch) {
        for pattern in watch.patterns { watches.add(Watch(watch: watch), to: pattern) }
    }

    fileprivate func remove(_ watch: DemandWatch) {
        for pattern in watch.patterns { watches.remove(from: pattern) { $0.watch === watch } }
    }

    fileprivate var isIdle: Bool { watches.isEmpty }

    fileprivate func end() {
        graph.core.demand = nil
        for ask in asks.values { ask.cancel() }
        asks = [:]
    }

    /// Whether a client listens to the node of that name, as far as this turn knows.
    func isWanted(_ name: String) -> Bool { wanted.contains(name) }

    /// The wanted nodes that a name or glob means, in the order of their names.
    func wanted(matching pattern: String) -> [String] {
        var names: [String] = []
        wanted.visit(prefix: Glob.prefix(of: pattern)) { name in
            if NodeSelection.matches(pattern, name) { names.append(name) }
            return true
        }
        return names
    }

    // MARK: - The end of the turn

    /// Whether there is something to settle.
    var isDue: Bool { core.isDue || !stale.isEmpty }

    /// Finds out what is wanted now, and asks for what has become stale.
    ///
    /// - Returns: how many nodes were looked at.
    func settle() -> Int {
        let steps = core.settle(atMost: Self.mostInTurn)
        if !core.isDue, !stale.isEmpty {
            let names = stale.sorted()
            stale = []
            for name in names where isAwaited(name) { ask(name) }
        }
        return steps
    }

    /// The connection of a client has ended, and its chain is kept; or another connection has taken it over.
    func keepingChanged(_ subscription: Subscription) {
        if subscription.isKept { core.ended(subscription) } else { core.began(subscription) }
    }

    /// The graph has another definition: nodes have gone, or can be set now and could not before, or the other way round.
    func redefined() {
        for name in wanted(matching: "*") where graph.existing(name).map(isWanted) != true {
            wanted.remove(name)
            for found in watches.found(by: name) { found.watch?.note(name) }
        }
        for node in graph.nodes where isWanted(node) && wanted.insert(node.name) {
            for found in watches.found(by: node.name) { found.watch?.note(node.name) }
        }
        for found in watches.all {
            guard let watch = found.watch, !watch.goesOn() else { continue }
            watch.nodeRemoved()
        }
    }

    private func isWanted(_ node: NamedNode) -> Bool {
        node.isMutable && node.living.map(core.wants) == true
    }

    // MARK: - Asking for values

    /// Whether a subscription with `load` waits for a node that has no value that holds.
    func isAwaited(_ name: String) -> Bool {
        guard graph.loaders > 0, let node = graph.existing(name), node.needsLoad, let living = node.living
        else {
            return false
        }
        return core.reaches(living) { GroupMember.subscription(of: $0)?.options.loads ?? false }
    }

    /// A node without a value that holds is read, or listened to, with `load`.
    func ask(_ name: String) {
        let node = graph.existing(name)
        if let node, node.isLoading { return }
        if let ask = asks[name], !ask.isAnswered(node) { return }
        asks[name]?.cancel()
        asks[name] = LoadAsk(in: graph) { [unowned self] in
            asks[name] = nil
            if isAwaited(name) { ask(name) }
        }
        for found in watches.found(by: name) { found.watch?.note(load: name) }
    }

    /// The value is no longer fresh.
    func becameStale(_ node: NamedNode) {
        if graph.loaders > 0 { stale.insert(node.name) }
    }

    /// A producer has reported something of the node: the ask is answered.
    func reported(_ node: NamedNode) {
        asks.removeValue(forKey: node.name)?.cancel()
    }
}

/// A load that producers were asked for and have not answered (D-2).
private final class LoadAsk {
    private let graph: LiveGraph
    private let rev: UInt64
    private let timer: Timer

    /// Repeats what `again` does after `times.load`, once.
    init(in graph: LiveGraph, again: @escaping () -> Void) {
        self.graph = graph
        rev = graph.rev
        timer = Timer { again() }
        let host = graph.host
        host.timers.set(timer, due: host.clock.now + host.limits.loadMilliseconds)
    }

    /// Whether the node was set since.
    func isAnswered(_ node: NamedNode?) -> Bool {
        node.map { $0.source?.isEmpty == false && $0.changed.rev > rev } ?? false
    }

    func cancel() { graph.host.timers.cancel(timer) }
}

extension NamedNode {
    /// Whether it holds nothing, or what is stale.
    fileprivate var needsLoad: Bool {
        isMutable && (source?.isEmpty != false || graph.facets.facets(of: self).isStale)
    }

    fileprivate var isLoading: Bool { graph.facets.facets(of: self).isLoading }
}

extension LiveGraph {
    /// A client reads a node with `load`: producers are asked for what it comes from and is not there, or stale.
    public func load(_ node: NamedNode) {
        guard let demand else { return }
        if node.isMutable {
            if node.needsLoad { demand.ask(node.name) }
        } else {
            load(materialise(node))
        }
    }

    /// The same for a living node.
    func load(_ living: AnyNode) {
        guard let demand else { return }
        var count: UInt64 = 0
        visitInputs(of: living) { node in
            count += 1
            if node.needsLoad { demand.ask(node.name) }
        }
        host.work += count
    }

    /// A subscription has begun: where it wants that, producers are asked for what it has no value of.
    func loadFor(_ subscription: Subscription) {
        guard subscription.options.loads, demand != nil else { return }
        for node in subscription.listenedNodes { load(node) }
    }

    /// A client begins to ask what is wanted.
    func begin(_ watch: DemandWatch) -> GraphDemand {
        let demand = demand ?? GraphDemand(self)
        if self.demand == nil {
            self.demand = demand
            host.demanded.append(self)
        }
        demand.add(watch)
        host.settleDemand()
        return demand
    }

    /// It asks no longer.
    func end(_ watch: DemandWatch) {
        guard let demand else { return }
        demand.remove(watch)
        guard demand.isIdle else { return }
        demand.end()
        self.demand = nil
        host.demanded.removeAll { $0 === self }
    }
}

extension Host {
    /// Finds out which nodes are wanted now, as far as one turn may.
    func settleDemand() {
        for graph in demanded {
            guard let demand = graph.demand, demand.isDue else { continue }
            work += UInt64(demand.settle() / LiveGraph.unitsPerNode)
        }
    }

    /// The end of the turn: producers hear what has changed.
    func flushDemand() {
        settleDemand()
        guard !demandNews.isEmpty else { return }
        let watches = demandNews
        demandNews = []
        for watch in watches { watch.tell() }
    }
}
