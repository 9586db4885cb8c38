internal import ReactiveGraph

/// Demand in one graph, for producers: which mutable nodes are wanted, and which must be loaded
/// (D-1, D-2).
///
/// A node is wanted while a client listens to it or to a node made from it, over any number of
/// edges, ties included. A chain kept for a disconnected client makes nothing wanted. This object
/// exists while at least one client uses `demand`.
final class GraphDemand {
    private unowned let graph: LiveGraph
    private var watches = GlobTable<Watch>()
    private var asks: [String: LoadAsk] = [:]
    /// Nodes whose values became stale in this turn.
    private var stale: Set<String> = []
    /// The names of the mutable nodes that are wanted, as far as this turn has found out.
    let wanted = SortedNames()
    private let core: Demand

    private struct Watch {
        /// Nil if its session was freed without being closed, as at the end of a process.
        weak var watch: DemandWatch?
    }

    /// How many nodes one turn looks at; the rest follows in the next turns.
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

    /// Whether a listen edge makes its node wanted.
    ///
    /// Those of the graph itself and of kept chains do not.
    private static func counts(_ edge: Edge) -> Bool {
        GroupMember.subscription(of: edge).map { !$0.isKept } ?? false
    }

    /// A node became wanted, or stopped being wanted.
    ///
    /// Called while the engine is running a turn.
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

    // MARK: - The end of the turn

    /// Whether there is work to do.
    var isDue: Bool { core.isDue || !stale.isEmpty }

    /// Determines which nodes are wanted now, requests stale ones, and returns how many it looked
    /// at.
    func settle() -> Int {
        let steps = core.settle(atMost: Self.mostInTurn)
        if !core.isDue, !stale.isEmpty {
            let names = stale.sorted()
            stale = []
            for name in names where isAwaited(name) { ask(name) }
        }
        return steps
    }

    /// A client has disconnected and its chain is kept, or another connection has taken the chain
    /// over.
    func keepingChanged(_ subscription: Subscription) {
        if subscription.isKept { core.ended(subscription) } else { core.began(subscription) }
    }

    /// The graph has a new definition: nodes may be gone, newly mutable, or no longer mutable.
    func redefined() {
        for name in wanted.matching("*") where graph.existing(name).map(isWanted) != true {
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

    /// Whether a subscription with `load` waits for a node whose value is missing or stale.
    func isAwaited(_ name: String) -> Bool {
        guard graph.loaders > 0, let node = graph.existing(name), node.needsLoad, let living = node.living
        else {
            return false
        }
        return core.reaches(living) { GroupMember.subscription(of: $0)?.options.loads ?? false }
    }

    /// A client reads or subscribes with `load` to a node whose value is missing or stale.
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

    func becameStale(_ node: NamedNode) {
        if graph.loaders > 0 { stale.insert(node.name) }
    }

    /// A producer has reported on the node, which answers the request.
    func reported(_ node: NamedNode) {
        asks.removeValue(forKey: node.name)?.cancel()
    }
}

/// A load that was requested from producers and not answered yet (D-2).
private final class LoadAsk {
    private let graph: LiveGraph
    private let rev: UInt64
    private let timer: Timer

    /// Calls `again` once, after `times.load`.
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
    /// Whether its value is missing or stale.
    fileprivate var needsLoad: Bool {
        isMutable && (source?.isEmpty != false || graph.facets.facets(of: self).isStale)
    }

    fileprivate var isLoading: Bool { graph.facets.facets(of: self).isLoading }
}

extension LiveGraph {
    /// Requests the missing and stale inputs of a node that a client reads with `load`.
    public func load(_ node: NamedNode) {
        guard let demand else { return }
        if node.isMutable {
            if node.needsLoad { demand.ask(node.name) }
        } else {
            load(builder.materialise(node))
        }
    }

    func load(_ living: AnyNode) {
        guard let demand else { return }
        var count: UInt64 = 0
        PresentInputs.visit(of: living, in: self) { node in
            count += 1
            if node.needsLoad { demand.ask(node.name) }
        }
        host.work += count
    }

    /// A new subscription: if it has `load`, producers are asked for the missing and stale inputs.
    func loadFor(_ subscription: Subscription) {
        guard subscription.options.loads, demand != nil else { return }
        for node in subscription.listenedNodes { load(node) }
    }

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
    /// Determines which nodes are wanted, within the limit of one turn.
    func settleDemand() {
        for graph in demanded {
            guard let demand = graph.demand, demand.isDue else { continue }
            work += UInt64(demand.settle() / NodeBuilder.unitsPerNode)
        }
    }

    /// Called at the end of the turn: sends the changes to producers.
    func flushDemand() {
        settleDemand()
        guard !demandNews.isEmpty else { return }
        let watches = demandNews
        demandNews = []
        for watch in watches { watch.send() }
    }
}
