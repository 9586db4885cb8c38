internal import Graphs
internal import Logging

// Releasing what is kept only for later use, when memory is short (G-131).
extension Server {
    /// Releases the unused nodes retained `untilPressure`, as if memory were short; logs the
    /// reason.
    public func releaseUnused(because reason: String) {
        beginTurn()
        let released = host.flushUnused()
        memoryReturn?.note()
        log.info("memory is short", metadata: ["because": "\(reason)", "releasedNodes": .number(released)])
    }

    /// Does the same in one graph, for nodes with matching names.
    func flush(_ graph: LiveGraph, matching pattern: String) -> Host.Flushed {
        let flushed = host.flushUnused(of: graph, matching: pattern)
        memoryReturn?.note()
        log.info(
            "flushed",
            metadata: [
                "graph": "\(graph.name)", "match": "\(pattern)", "releasedNodes": .number(flushed.nodes),
            ]
        )
        return flushed
    }
}
