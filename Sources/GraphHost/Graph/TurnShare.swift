/// How much of a loop turn something has had: the requests of one client, nodes built and values read for them; or the
/// release of what clients needed that have gone.
///
/// Nothing of that holds the loop: when a share is spent, the rest waits for the next turn, in order, and others are served in
/// between.
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

    /// What is left of the share of this turn.
    func room(of host: Host) -> UInt64 {
        let spent = turn == host.turns ? work : 0
        return spent < host.limits.work ? host.limits.work - spent : 0
    }

    /// Whether the share of this turn is spent.
    public func isSpent(of host: Host) -> Bool {
        turn == host.turns && work >= host.limits.work
    }
}
