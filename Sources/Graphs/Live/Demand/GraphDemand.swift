internal import Commits
internal import Definitions
package import ReactiveGraph
internal import Support

/// A producer, or what opens the upstreams of source nodes: it follows which nodes of a graph are
/// wanted.
package protocol DemandFollower: AnyObject {
    /// Names and globs, each once.
    var patterns: [String] { get }
    /// A node became wanted, or stopped being wanted.
    func note(_ name: String)
    /// A node has to be loaded.
    func note(load name: String)
    /// The graph has a new definition: ends if a node that it names cannot be set any more.
    func redefined()
}

/// Demand in one graph, for producers: which mutable nodes are wanted, and which must be loaded
/// (D-1, D-2).
///
/// A node is wanted while a client listens to it or to a node made from it, over any number of
/// edges, ties included. A chain kept for a disconnected client makes nothing wanted. Neither
/// listeners that only a glob brings nor `all` make a source node wanted, but nodes that are always
/// held do (S-1). This object exists while at least one client uses `demand` or the graph's sources
/// are served, here or at a server that shares the log (D-4).
package final class GraphDemand {
    private unowned let graph: LiveGraph
    private var watches = GlobTable<Watch>()
    private var asks: [String: LoadAsk] = [:]
    /// Nodes whose values became stale in this turn.
    private var stale: Set<String> = []
    /// The names of the mutable nodes that listeners at this server want, as far as this turn has
    /// found out.
    let here = SortedNames()
    /// Nodes for which the demand of other servers has changed.
    private var elsewhere: [String] = []
    /// Whether everything that is awaited must be asked for at other servers.
    private var asksAgain = false
    /// For nodes that producers set.
    private let core: Demand
    /// For source nodes; nil: the graph has none.
    private var sources: Demand?

    private struct Watch {
        /// Nil if its session was freed without being closed, as at the end of a process.
        weak var watch: (any DemandFollower)?
    }

    /// How many nodes one turn looks at; the rest follows in the next turns.
    static let mostInTurn = 5_000

    /// What the servers that share the log tell each other; nil: there are none.
    private var shared: (any SharedDemand)? { graph.host.log?.demand }

    fileprivate init(_ graph: LiveGraph) {
        self.graph = graph
        core = Demand(where: Self.counts)
        core.changed = { [unowned self] in toggled($0, of: core) }
        graph.core.demands = [core]
        for edge in graph.host.follower?.listens(to: graph) ?? [] { core.began(edge) }
        followSources()
    }

    /// Follows the demand for source nodes, if the definition has any.
    private func followSources() {
        guard graph.definition.hasSources else {
            sources = nil
            graph.core.demands = [core]
            return
        }
        if sources == nil {
            let made = Demand(passingGathers: false) { edge in
                Self.counts(edge) && (edge as? ClientListen)?.isByGlob == false
            }
            made.changed = { [unowned self, unowned made] in toggled($0, of: made) }
            sources = made
            graph.core.demands = [core, made]
            for edge in graph.host.follower?.listens(to: graph) ?? [] { made.began(edge) }
        }
        sources?.keep(graph.nodes.filter { $0.definition.keepsSourcesOpen }.compactMap(\.living))
    }

    /// What says whether a node is wanted.
    private func demand(for node: NamedNode) -> Demand? { node.isFed ? sources : core }

    /// Whether a listen edge makes its node wanted.
    ///
    /// Those of the graph itself and of kept chains do not.
    private static func counts(_ edge: Edge) -> Bool {
        (edge as? ClientListen).map { !$0.isKept } ?? false
    }

    /// A node became wanted, or stopped being wanted.
    ///
    /// Called while the engine is running a turn.
    private func toggled(_ node: AnyNode, of demand: Demand) {
        guard let named = graph.name(of: node), named.isMutable, self.demand(for: named) === demand else {
            return
        }
        if demand.wants(node) { here.insert(named.name) } else { here.remove(named.name) }
        note(named.name)
    }

    /// A node became wanted at this server, or stopped being wanted.
    private func note(_ name: String) {
        for found in watches.found(by: name) { found.watch?.note(name) }
        shared?.note(name, of: graph.name)
    }

    /// Whether a listener wants a node, at any server.
    package func isWanted(_ name: String) -> Bool {
        here.contains(name) || isWantedElsewhere(name)
    }

    /// The wanted nodes that match a name or glob.
    package func wanted(matching pattern: String) -> [String] {
        here.matching(pattern) + (shared?.elsewhere.wanted(in: graph.name, matching: pattern) ?? [])
    }

    /// What makes a source node wanted at this server: clients' listens and nodes that are held
    /// always, at most so many of both.
    package func reasons(
        for node: NamedNode,
        atMost most: Int
    ) -> (listens: [ClientListen], held: [NamedNode]) {
        guard let living = node.living, let found = sources?.reasons(for: living, atMost: most) else {
            return ([], [])
        }
        return (found.listens.compactMap { $0 as? ClientListen }, found.kept.compactMap(graph.name(of:)))
    }

    /// Whether a client of another server makes a node wanted.
    package func isWantedElsewhere(_ name: String) -> Bool {
        shared?.elsewhere.isWanted(name, of: graph.name) ?? false
    }

    // MARK: - Who asks

    fileprivate func add(_ watch: any DemandFollower) {
        if watches.isEmpty { shared?.follow(graph.name) }
        for pattern in watch.patterns { watches.add(Watch(watch: watch), to: pattern) }
    }

    fileprivate func remove(_ watch: any DemandFollower) {
        for pattern in watch.patterns { watches.remove(from: pattern) { $0.watch === watch } }
        if watches.isEmpty { shared?.unfollow(graph.name) }
    }

    /// Whether no producer uses it, here or elsewhere.
    fileprivate var isIdle: Bool {
        watches.isEmpty && shared?.isFollowedElsewhere(graph.name) != true
    }

    fileprivate func end() {
        if !watches.isEmpty { shared?.unfollow(graph.name) }
        shared?.noteAll(of: graph.name)
        graph.core.demands = []
        for ask in asks.values { ask.cancel() }
        asks = [:]
    }

    // MARK: - The end of the turn

    /// Whether there is work to do.
    var isDue: Bool {
        core.isDue || sources?.isDue == true || !stale.isEmpty || !elsewhere.isEmpty || asksAgain
    }

    /// Determines which nodes are wanted now, requests stale ones, and returns how many it looked
    /// at.
    func settle() -> Int {
        var steps = core.settle(atMost: Self.mostInTurn)
        steps += sources?.settle(atMost: Self.mostInTurn) ?? 0
        let changed = elsewhere.suffix(Self.mostInTurn)
        elsewhere.removeLast(changed.count)
        for name in changed {
            for found in watches.found(by: name) { found.watch?.note(name) }
        }
        guard !core.isDue, sources?.isDue != true else { return steps + changed.count }
        if !stale.isEmpty {
            let names = stale.sorted()
            stale = []
            for name in names where isAwaited(name) { ask(name) }
        }
        if asksAgain {
            asksAgain = false
            for name in here.matching("*") where isAwaited(name) {
                shared?.ask(name, of: graph.name)
                expectAnswer(for: name)
            }
        }
        return steps + changed.count
    }

    /// A client has disconnected and its chain is kept, or another connection has taken the chain
    /// over.
    package func keepingChanged(_ listen: ClientListen) {
        for demand in graph.core.demands {
            if listen.isKept { demand.ended(listen) } else { demand.began(listen) }
        }
    }

    /// The graph has a new definition: nodes may be gone, newly mutable, or no longer mutable.
    func redefined() {
        followSources()
        for name in here.matching("*") where graph.existing(name).map(isWanted) != true {
            here.remove(name)
            note(name)
        }
        for node in graph.nodes + graph.members.living where isWanted(node) && here.insert(node.name) {
            note(node.name)
        }
        // Other servers may have had the definition, and wanted its nodes, earlier.
        elsewhere += shared?.elsewhere.wanted(in: graph.name) ?? []
        for found in watches.all { found.watch?.redefined() }
    }

    private func isWanted(_ node: NamedNode) -> Bool {
        node.isMutable && node.living.map { demand(for: node)?.wants($0) == true } == true
    }

    // MARK: - Asking for values

    /// Whether a subscription with `load` waits for a node whose value is missing or stale.
    package func isAwaited(_ name: String) -> Bool {
        guard graph.clients.loaders > 0, let node = graph.existing(name), node.needsLoad,
            let living = node.living
        else {
            return false
        }
        return demand(for: node)?.reaches(living) { ($0 as? ClientListen)?.loads ?? false } ?? false
    }

    /// The longest way of those that listeners to a source node have said.
    fileprivate func longestWay(from node: NamedNode) -> Way? {
        var longest: Way?
        guard graph.host.turn.ways.areKnown, let living = node.living else { return nil }
        _ = demand(for: node)?.reaches(living) { edge in
            if let way = (edge as? ClientListen)?.way, way.steps.count > longest?.steps.count ?? 0 {
                longest = way
            }
            return false
        }
        return longest
    }

    /// A client reads or subscribes with `load` to a node whose value is missing or stale.
    func ask(_ name: String) {
        let node = graph.existing(name)
        if let node, node.isLoading { return }
        if let ask = asks[name], !ask.isAnswered(node) { return }
        askProducers(for: name)
        shared?.ask(name, of: graph.name)
    }

    private func askProducers(for name: String) {
        asks.removeValue(forKey: name)?.cancel()
        expectAnswer(for: name)
        for found in watches.found(by: name) { found.watch?.note(load: name) }
    }

    /// A producer is asked: without an answer in time, all are asked again.
    package func expectAnswer(for name: String) {
        guard asks[name] == nil else { return }
        asks[name] = LoadAsk(in: graph) { [unowned self] in
            asks[name] = nil
            if isAwaited(name) { ask(name) }
        }
    }

    // MARK: - Other servers

    /// Another server has begun to follow the graph: it does not know what is awaited here.
    fileprivate func askAgain() { asksAgain = graph.clients.loaders > 0 }

    /// The demand of other servers has changed for these nodes.
    func noteElsewhere(_ names: [String]) { elsewhere += names }

    /// A client at another server waits for a value.
    ///
    /// Its server repeats that after `times.load`. An ask from here that is almost as old must not
    /// keep that back.
    func askElsewhere(_ name: String) {
        if let ask = asks[name], ask.isRecent, !ask.isAnswered(graph.existing(name)) { return }
        askProducers(for: name)
    }

    func becameStale(_ node: NamedNode) {
        if graph.clients.loaders > 0 { stale.insert(node.name) }
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
    private let due: UInt64
    private let timer: Timer

    /// Calls `again` once, after `times.load`.
    init(in graph: LiveGraph, again: @escaping () -> Void) {
        self.graph = graph
        rev = graph.rev
        timer = Timer { again() }
        let host = graph.host
        due = host.clock.now + host.limits.loadMilliseconds
        host.timers.set(timer, due: due)
    }

    /// Whether it was made less than half of `times.load` ago.
    var isRecent: Bool { graph.host.clock.now + graph.host.limits.loadMilliseconds / 2 < due }

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

    /// Whether a read with `load` waits for an upstream.
    ///
    /// - Parameter failures: whether a source node counts whose upstream has just failed.
    /// - Returns: whether a source node on which its value depends is empty or stale.
    public func awaitsSource(countingFailures failures: Bool) -> Bool {
        guard graph.definition.hasSources else { return false }
        var isAwaited = false
        PresentInputs.visit(of: graph.builder.materialise(self), in: graph) { input in
            guard input.isFed, input.needsLoad else { return }
            let state = graph.facets.facets(of: input)
            if failures || state.error == nil || state.isLoading { isAwaited = true }
        }
        return isAwaited
    }
}

extension LiveGraph {
    /// The longest way on which the values of a source node go on, itself included (S-9).
    package func way(from node: NamedNode) -> Way {
        let own = Way.Step(epoch: epoch, graph: name, node: node.name)
        return Way([own] + (demand?.longestWay(from: node)?.steps ?? []))
    }

    /// Demand for producers; nil while no client asks for it.
    package var demand: GraphDemand? { clients.demand }

    /// Requests the missing and stale inputs of a node that a client reads with `load`.
    public func load(_ node: NamedNode) {
        guard let demand else { return }
        if node.isMutable {
            if node.needsLoad { demand.ask(node.name) }
        } else {
            load(builder.materialise(node))
        }
    }

    package func load(_ living: AnyNode) {
        guard let demand else { return }
        var count: UInt64 = 0
        PresentInputs.visit(of: living, in: self) { node in
            count += 1
            if node.needsLoad { demand.ask(node.name) }
        }
        host.work += count
    }

    package func begin(_ watch: any DemandFollower) -> GraphDemand {
        let demand = beginDemand()
        demand.add(watch)
        host.settleDemand()
        return demand
    }

    package func end(_ watch: any DemandFollower) {
        guard let demand else { return }
        demand.remove(watch)
        if demand.isIdle { endDemand() }
    }

    private func beginDemand() -> GraphDemand {
        if let demand { return demand }
        let demand = GraphDemand(self)
        clients.demand = demand
        host.turn.demanded.append(self)
        return demand
    }

    /// No producer can use it any more.
    func endDemand() {
        guard let demand else { return }
        clients.demand = nil
        host.turn.demanded.removeAll { $0 === self }
        demand.end()
    }

    /// Other servers may have begun to follow the graph's demand, or have stopped.
    func reviseDemand() {
        if host.log?.demand?.isFollowedElsewhere(name) == true {
            beginDemand().askAgain()
        } else if demand?.isIdle == true {
            endDemand()
        }
    }
}

extension Host {
    /// Determines which nodes are wanted, within the limit of one turn.
    func settleDemand() {
        for graph in turn.demanded {
            guard let demand = graph.demand, demand.isDue else { continue }
            work += UInt64(demand.settle() / NodeBuilder.unitsPerNode)
        }
    }
}
