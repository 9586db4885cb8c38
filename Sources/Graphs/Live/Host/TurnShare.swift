internal import Definitions

/// How much of a loop turn has been used: by the requests of one client (nodes built and values
/// read for them), or by releasing what disconnected clients needed.
///
/// When a share is used up, the rest waits in order for the next turn, and other clients are served
/// in between.
public struct TurnShare {
    private var turn: UInt64 = 0
    private var work: UInt64 = 0
    /// Which part of ``SessionLimits/work`` it is.
    private let divisor: UInt8

    /// A share of which nothing has been used: ``SessionLimits/work``, or that divided by a number.
    public init(dividedBy divisor: UInt8 = 1) {
        self.divisor = divisor
    }

    private func limit(of host: Host) -> UInt64 { max(1, host.limits.work / UInt64(divisor)) }

    /// Counts the cost of a request: the difference of ``Host/work`` before and after it.
    ///
    /// - Returns: whether the share of this turn is used up.
    @discardableResult
    public mutating func spend(since before: UInt64, of host: Host) -> Bool {
        if turn != host.turns {
            turn = host.turns
            work = 0
        }
        work += host.work - before
        return work >= limit(of: host)
    }

    /// The remaining work in this turn's share.
    package func room(of host: Host) -> UInt64 {
        let spent = turn == host.turns ? work : 0
        let limit = limit(of: host)
        return spent < limit ? limit - spent : 0
    }

    /// Whether the share of this turn is used up.
    public func isSpent(of host: Host) -> Bool {
        turn == host.turns && work >= limit(of: host)
    }
}
