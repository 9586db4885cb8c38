/// What the stages of all client pipelines of a host have spent in the present commit.
///
/// A stage counts for itself and for all; who has to answer for it is only asked when all together have spent more than one
/// principal may (wire-protocol.md §5), so that a commit costs nothing for each owner.
final class PipelineLedger {
    /// Rises with every commit, and whenever private timers ring.
    @exclusivity(unchecked) fileprivate(set) var period: UInt64 = 1
    /// Units spent in this period.
    @exclusivity(unchecked) fileprivate(set) var total = 0

    /// A commit begins.
    @inline(__always)
    func begin() {
        period &+= 1
        total = 0
    }
}

/// What one stage of a client's pipeline spends: for each time it runs, and the units of its expression.
final class StageMeter {
    private unowned(unsafe) let ledger: PipelineLedger
    @exclusivity(unchecked) private var period: UInt64 = 0
    @exclusivity(unchecked) private var spent = 0
    /// Subscriptions whose pipelines lead through the stage; they share what it costs.
    var users = 0

    /// A meter that belongs to `ledger`, which outlives it.
    init(_ ledger: PipelineLedger) {
        self.ledger = ledger
    }

    /// Counts what a run has cost.
    @inline(__always)
    func spend(_ units: Int) {
        if period != ledger.period {
            period = ledger.period
            spent = 0
        }
        spent &+= units
        ledger.total &+= units
    }

    /// Units that one of its users answers for in this period.
    var share: Double {
        period == ledger.period ? Double(spent) / Double(max(1, users)) : 0
    }
}
