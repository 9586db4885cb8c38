internal import ReactiveGraph

// Nodes with `retain: untilPressure` (G-129 … G-131): a graph is a registry of its named nodes.
extension LiveGraph {
    /// Lets go of the nodes retained `untilPressure` that nobody else needs.
    ///
    /// All are given up at once, because one may be needed only by another. Those in use survive untouched, and are held
    /// again when their name is next looked up.
    ///
    /// - Returns: how many nodes were freed, unnamed ones behind them included.
    @discardableResult
    func flushUnused() -> UInt64 {
        guard keptUntilPressure > 0 else { return 0 }
        let before = chains.releasedCount
        releasing(because: .pressure) {
            var given = nodes.compactMap { $0.giveUp() }
            given.removeAll()
        }
        return chains.releasedCount - before
    }

    /// One more node is about to be kept until memory is short: there is a soft limit.
    func makeRoom() {
        guard keptUntilPressure >= host.limits.kept else { return }
        host.pressure.count(flushUnused())
    }
}

extension Host {
    /// Memory is short: lets go of what is kept only for later, in all graphs.
    ///
    /// - Returns: how many nodes were freed.
    @discardableResult
    public func flushUnused() -> UInt64 {
        let released = graphs.reduce(0) { $0 + $1.flushUnused() }
        pressure.count(released)
        return released
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
