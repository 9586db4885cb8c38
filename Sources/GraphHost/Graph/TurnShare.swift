/// How much of a loop turn one client's requests have had: nodes built and values read for them.
///
/// One client cannot hold the loop: when its share is spent, its further requests wait for the next turn, in order, and
/// others are served in between.
public struct TurnShare {
    private var turn: UInt64 = 0
    private var work: UInt64 = 0

    /// Nothing is spent.
    public init() {}

    /// Counts what a request has cost: the difference of ``Host/work`` before and after it.
    ///
    /// - Returns: whether the share of this turn is spent.
    @discardableResult
    public mutating func spend(since before: UInt64, of host: Host) -> Bool {
        if turn != host.turns {
            turn = host.turns
            work = 0
        }
        work += host.work - before
        return work >= host.limits.work
    }

    /// Whether the share of this turn is spent.
    public func isSpent(of host: Host) -> Bool {
        turn == host.turns && work >= host.limits.work
    }
}
