internal import ReactiveGraph

extension LiveGraph {
    /// Releases the unused nodes that are retained `untilPressure` (G-130).
    ///
    /// - Returns: how many nodes were freed, including those they were made from.
    @discardableResult
    func flushUnused(matching pattern: String = "*") -> UInt64 {
        let before = releases.count
        releases.because(.pressure) { _ = registry.flushUnused(matching: pattern) }
        return releases.count - before
    }
}

extension Host {
    /// Memory is short: releases everything that is kept only for later use, in all graphs; returns
    /// the number of freed nodes.
    @discardableResult
    public func flushUnused() -> UInt64 {
        let before = graphs.reduce(0) { $0 + $1.releases.count }
        follower?.releaseKept()
        for graph in graphs {
            graph.flushUnused()
            graph.members.dropUnneeded()
        }
        let released = graphs.reduce(0) { $0 + $1.releases.count } - before
        memory.count(released)
        return released
    }

    /// The result of flushing one graph.
    public struct Flushed {
        /// The names of the freed nodes in the order in which they were freed, and of members whose
        /// removal is pending in the log.
        public let names: [String]
        /// The number of freed nodes, including those without names.
        public let nodes: UInt64
    }

    /// Releases what one graph keeps only for later use, as ``flushUnused()`` does in all graphs
    /// (I-4).
    ///
    /// Nodes that only the matching ones need are freed with them, whatever their names. Removals
    /// that the log must confirm, and those beyond the work of one turn, follow later and are not
    /// in the result.
    public func flushUnused(of graph: LiveGraph, matching pattern: String) -> Flushed {
        graph.releases.names = []
        let before = graph.releases.count
        graph.flushUnused(matching: pattern)
        let dropped = graph.members.dropUnneeded(matching: pattern)
        let released = graph.releases.count - before
        var names = graph.releases.names ?? []
        // With a log, their removal is pending.
        let gone = Set(names)
        names += dropped.filter { !gone.contains($0) }
        graph.releases.names = nil
        memory.count(released)
        work += released
        return Flushed(names: names, nodes: released)
    }
}
