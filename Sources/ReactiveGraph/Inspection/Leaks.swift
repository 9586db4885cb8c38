// Rings hold themselves (G-56). What is unreachable can be reported, so that its author can cut it.
extension Graph {
    /// The rings that nothing outside holds and no listener reaches, each as its nodes in order of
    /// creation.
    ///
    /// A ring is a set of nodes that all hold each other, by edges and the inner followings of
    /// flattens and cases. It is freed when one of its edges is disconnected, for instance by
    /// ``AnyNode/removeUpstreamNodes()``. Held from outside is what a listener, a variable, or an
    /// ``AnyEdge`` that is held leads to, over as many nodes as it may be. A node that a function
    /// given to an operator has captured counts as held, because the library cannot look into a
    /// function; a ring that only values close, a node holding its owner, is not found (G-148).
    ///
    /// The time is in proportion to the parts of the graph that have rings, and nothing recurses.
    /// The result holds the nodes.
    public func leakedRings() -> [[AnyNode]] {
        guard !engine.ranks.rings.isEmpty else { return [] }
        let map = HoldMap(around: engine.ranks.rings.compactMap(\.source))
        var search = LeakSearch(from: map.nodes, keepers: map.keepers)
        _ = search.goOn(for: .max)
        let oldest = search.rings.map { ring in (id: ring.reduce(UInt64.max) { min($0, $1.id) }, ring: ring) }
        return oldest.sorted { $0.id < $1.id }.map { _, ring in
            ring.sorted { $0.id < $1.id }.compactMap(\.node)
        }
    }
}

/// The count of the nodes in ``Graph/leakedRings()``, made in steps between which the program goes
/// on.
///
/// It holds nothing. A graph whose edges have changed since the last step is not looked at any
/// further.
package struct LeakCount {
    private var search: LeakSearch
    private let mark: EdgeMark
    private let graph: Ref<Graph>

    /// The beginning of a count in `graph`, which lives longer.
    ///
    /// It starts from the edges that close rings, and values that hold nodes are not looked into:
    /// their nodes count as held. So it takes the steps that it needs to find one holder of each
    /// ring.
    package init(in graph: Graph) {
        self.graph = .to(graph)
        mark = EdgeMark(graph)
        search = LeakSearch(from: graph.engine.ranks.rings.compactMap(\.source), keepers: [:])
    }

    /// What a step has come to.
    package enum Outcome: Equatable {
        /// So many nodes are in rings that nothing holds.
        case found(Int)
        /// There is more to look at.
        case unfinished
        /// The edges have changed: the count begins anew, or not at all.
        case disturbed
    }

    /// Looks at so many edges; `steps` has those that are left.
    package mutating func goOn(for steps: inout Int) -> Outcome {
        guard graph.with({ EdgeMark($0) }) == mark else { return .disturbed }
        steps = search.goOn(for: steps)
        return search.isDone ? .found(search.rings.reduce(0) { $0 + $1.count }) : .unfinished
    }
}

/// Differs from an earlier one where an edge has come or gone in between.
private struct EdgeMark: Equatable {
    let connections: UInt64
    let departures: UInt64

    init(_ graph: Graph) {
        connections = graph.engine.connections
        departures = graph.engine.departures
    }
}
