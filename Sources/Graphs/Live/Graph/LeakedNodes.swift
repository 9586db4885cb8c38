internal import ReactiveGraph

/// The number of a graph's nodes that hold each other and that nothing else holds (I-3), as of the
/// last finished count.
///
/// It is zero unless the server has a fault, because the graph holds the nodes that `sync` and
/// `links` connect.
struct LeakedNodes {
    private(set) var count = 0
    private(set) var round: UInt64 = 0
    private var search: LeakCount?

    /// Continues counting in the same graph, over at most so many edges, and takes them off
    /// `steps`.
    mutating func look(at graph: Graph, in round: UInt64, _ steps: inout Int) {
        guard round != self.round else { return }
        var present = search ?? LeakCount(in: graph)
        search = nil
        switch present.goOn(for: &steps) {
        case .found(let count): self.count = count
        // The graph changed meanwhile; the next round counts again.
        case .disturbed: break
        case .unfinished:
            search = present
            return
        }
        self.round = round
    }
}

extension Host {
    /// Counts unreachable nodes in all graphs, for a fraction of a millisecond (I-3), in a new
    /// round or the current one.
    ///
    /// - Returns: whether the round is finished.
    public func countLeaks(anew isNew: Bool) -> Bool {
        if isNew { memory.leakRound += 1 }
        var steps = Self.leakSteps
        for graph in table.all {
            graph.releases.leaked.look(at: graph.core, in: memory.leakRound, &steps)
            if graph.releases.leaked.round != memory.leakRound { return false }
        }
        return true
    }

    /// How many edges are looked at in one call, each in less than 100 ns.
    private static var leakSteps: Int { 2_000 }
}
