internal import ReactiveGraph

/// How many nodes of a graph hold each other and are held by nothing else (I-3), as of the last count that was finished.
///
/// There are none unless the server has a fault: what `sync` and `links` connect is held by its graph.
struct LeakedNodes {
    private(set) var count = 0
    /// The last round in which they were counted.
    private(set) var round: UInt64 = 0
    private var search: LeakCount?

    /// Counts on.
    ///
    /// - Parameters:
    ///   - graph: the graph, the same each time.
    ///   - round: the present round.
    ///   - steps: how many edges may be looked at; has those that are left.
    mutating func look(at graph: Graph, in round: UInt64, _ steps: inout Int) {
        guard round != self.round else { return }
        var present = search ?? LeakCount(in: graph)
        search = nil
        switch present.goOn(for: &steps) {
        case .found(let count): self.count = count
        // The next round may have more luck.
        case .disturbed: break
        case .unfinished:
            search = present
            return
        }
        self.round = round
    }
}

extension Host {
    /// Counts the nodes that nothing leads to, in all graphs, for a fraction of a millisecond (I-3).
    ///
    /// - Parameter isNew: whether a new round begins; else the one before goes on.
    /// - Returns: whether the round has come to its end.
    public func countLeaks(anew isNew: Bool) -> Bool {
        if isNew { leakRound += 1 }
        var steps = Self.leakSteps
        for graph in known {
            graph.leaked.look(at: graph.core, in: leakRound, &steps)
            if graph.leaked.round != leakRound { return false }
        }
        return true
    }

    /// How many edges are looked at in one call, each in less than 100 ns.
    private static var leakSteps: Int { 2_000 }
}
