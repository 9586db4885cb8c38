internal import ReactiveGraph

extension LiveGraph {
    /// Lets go of the nodes retained `untilPressure` that are not in use (G-130).
    ///
    /// - Returns: how many nodes were freed, with those that they were made from.
    @discardableResult
    func flushUnused() -> UInt64 {
        let before = chains.releasedCount
        releasing(because: .pressure) { _ = registry.flushUnused() }
        return chains.releasedCount - before
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
