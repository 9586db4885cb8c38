internal import ReactiveGraph

extension LiveGraph {
    /// Lets go of the nodes retained `untilPressure` that are not in use (G-130).
    ///
    /// - Parameter pattern: only those whose names match it.
    /// - Returns: how many nodes were freed, with those that they were made from.
    @discardableResult
    func flushUnused(matching pattern: String = "*") -> UInt64 {
        let before = chains.releasedCount
        releasing(because: .pressure) { _ = registry.flushUnused(matching: pattern) }
        return chains.releasedCount - before
    }
}

extension Host {
    /// Memory is short: lets go of what is kept only for later, in all graphs.
    ///
    /// - Returns: how many nodes were freed.
    @discardableResult
    public func flushUnused() -> UInt64 {
        let before = graphs.reduce(0) { $0 + $1.chains.releasedCount }
        sessions.kept.releaseAll()
        for graph in graphs {
            graph.flushUnused()
            graph.dropUnneeded()
        }
        let released = graphs.reduce(0) { $0 + $1.chains.releasedCount } - before
        pressure.count(released)
        return released
    }
}

extension Host {
    /// What a flush of one graph has freed.
    public struct Flushed {
        /// The named nodes, in the order in which they went, and members whose end is at the log.
        public let names: [String]
        /// How many nodes, with those that have no names.
        public let nodes: UInt64
    }

    /// Lets go of what one graph keeps only for later, as ``flushUnused()`` does in all (I-4).
    ///
    /// What the log has to be asked about, and what is too much for one turn, follows later and is not in the result.
    ///
    /// - Parameters:
    ///   - graph: the graph.
    ///   - pattern: the names of the nodes to let go of. What only these need goes with them, whatever its name.
    /// - Returns: what was freed.
    public func flushUnused(of graph: LiveGraph, matching pattern: String) -> Flushed {
        graph.chains.deadNames = []
        let before = graph.chains.releasedCount
        graph.flushUnused(matching: pattern)
        let dropped = graph.dropUnneeded(matching: pattern)
        let released = graph.chains.releasedCount - before
        var names = graph.chains.deadNames ?? []
        // With a log their end is on its way.
        let gone = Set(names)
        names += dropped.filter { !gone.contains($0) }
        graph.chains.deadNames = nil
        pressure.count(released)
        work += released
        return Flushed(names: names, nodes: released)
    }
}

/// What shortage of memory has done.
struct PressureCount {
    private(set) var events: UInt64 = 0
    private(set) var released: UInt64 = 0

    mutating func count(_ nodes: UInt64) {
        events += 1
        released += nodes
    }
}
