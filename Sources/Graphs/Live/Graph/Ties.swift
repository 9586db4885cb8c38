internal import Definitions
internal import ReactiveGraph
internal import Values

/// The `sync` and `links` of a definition in the living graph.
///
/// Both lead only to nodes that are held as long as the graph lives, so cycles of them keep nothing
/// else alive. The graph disconnects them when it ends.
package final class Ties {
    /// The edges, in their order.
    package private(set) var all: [Tie] = []
    /// The edges by the names of the nodes that they lead to; made on first use.
    private var byTarget: [String: [Tie]]?
    /// The nodes that they lead to; computed on first use.
    private var reach: TieReach?
    /// How many deliveries the current commit has caused.
    var deliveries = 0
    /// The remaining budget for the checks of the nodes that they lead to, in the current commit.
    var checks = CheckBudget()
    /// While the graph is being restored: their places in failure messages, by what they do.
    var places: [String: String] = [:]

    func beginCommit() {
        deliveries = 0
        checks = CheckBudget()
    }

    func add(_ tie: Tie) {
        all.append(tie)
        (reach, byTarget) = (nil, nil)
    }

    /// Removes all, which are disconnected or will be added again.
    func removeAll() {
        all = []
        (reach, byTarget) = (nil, nil)
    }

    private var grouped: [String: [Tie]] {
        if let byTarget { return byTarget }
        let made = Dictionary(grouping: all) { $0.to.name }
        byTarget = made
        return made
    }

    /// The names of the nodes that they lead to.
    var targets: some Collection<String> { grouped.keys }

    /// Those that lead to a node, in their order.
    package func leading(to name: String) -> [Tie] { grouped[name] ?? [] }

    func disconnect() {
        for tie in all { tie.disconnect() }
        removeAll()
    }

    /// Synchronises the two nodes of each sync: `a` follows `b`, then `b` follows `a` (G-88).
    func connectSyncs(of graph: LiveGraph) {
        for number in graph.definition.syncs.indices { connectSync(number, of: graph) }
    }

    /// Connects one sync; an existing direction is reused.
    func connectSync(_ number: Int, of graph: LiveGraph, toA: Tie? = nil, toB: Tie? = nil) {
        let sync = graph.definition.syncs[number]
        guard let a = graph.node(sync.a), let b = graph.node(sync.b) else { return }
        if let toA {
            add(toA)
        } else {
            connect(sync.toA, from: b, to: a, key: sync.keys.toA, at: "sync/\(number)/to_a")
        }
        if let toB {
            add(toB)
        } else {
            connect(sync.toB, from: a, to: b, key: sync.keys.toB, at: "sync/\(number)/to_b")
        }
    }

    private func connect(_ way: Expression?, from: NamedNode, to: NamedNode, key: String, at place: String) {
        guard let source = from.source, let target = to.source else { return }
        let place = places[key] ?? place
        let tie = Tie(.sync, from: from, to: to, label: way?.source ?? "", key: key, at: place)
        add(tie)
        let evaluation = way.map {
            Evaluation($0, taking: 1, at: place, by: to.graph, for: to.graph.builder.meter)
        }
        tie.connect(source, to: target, in: to.graph, through: evaluation)
    }

    /// Connects the links in order; all their targets exist.
    func connectLinks(of graph: LiveGraph) {
        for number in graph.definition.links.indices { connectLink(number, of: graph) }
    }

    func connectLink(_ number: Int, of graph: LiveGraph) {
        let link = graph.definition.links[number]
        guard let from = graph.node(link.from), let to = graph.node(link.to) else { return }
        let place = places[link.key] ?? "links/\(number)"
        let builder = graph.builder
        var end = builder.materialise(from)
        for (position, stage) in link.pipe.enumerated() {
            let site = GraphSite(in: graph, at: "\(place)/\(position)", for: builder.meter)
            end = stage.make(site).derive(end).named(stage.label)
            builder.note(end, as: InnerStage.Part(of: to, stage.name, label: stage.label, isOfLink: true))
        }
        let label = link.pipe.map(\.label).joined(separator: " | ")
        let waits = link.stateClass == .timed
        let tie = Tie(.links, from: from, to: to, label: label, waits: waits, key: link.key, at: place)
        add(tie)
        tie.connect(end, to: to.source ?? builder.materialise(to), in: graph)
    }

    /// The mutable nodes that a commit may change through ties.
    func nodes(after commit: Commit) -> [NamedNode] {
        guard !all.isEmpty, case .values = commit.kind else { return [] }
        let reach = reach ?? TieReach(of: commit.graph)
        self.reach = reach
        if commit.set.isSingle, commit.clear.isEmpty, let only = commit.set.first {
            return reach.nodes(after: only.node)
        }
        let own = commit.setNodes + commit.clear
        var seen = Set(own.map(ObjectIdentifier.init))
        return own.flatMap { reach.nodes(after: $0) }.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}
