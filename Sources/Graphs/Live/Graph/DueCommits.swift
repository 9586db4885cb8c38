internal import ReactiveGraph

/// The commits that a graph's own clock asks for: ticks of timers, and expiries of members.
struct DueCommits {
    /// The timers that ask for ticks; nil before the first use.
    fileprivate var timers: TimerQueue?
    /// Whether a tick is pending.
    var isTickPending = false
    /// Whether a commit that drops expired members is pending.
    var isExpiring = false
    /// Whether the host knows that the graph has timers.
    var isTimed = false
    /// When one is tried again after the log refused one, on the monotonic clock.
    var notBefore: UInt64 = 0
}

extension LiveGraph {
    /// The timers of the definition's own stages, in commit time: everything due in one tick is one
    /// batch.
    var timers: TimerQueue {
        if let timers = due.timers { return timers }
        let timers = TimerQueue { [unowned self] in .milliseconds(time) }
        due.timers = timers
        return timers
    }

    /// Whether a tick may be appended: only one at a time, and none after the commit that ends the
    /// graph.
    var takesTicks: Bool { !due.isTickPending && !isChanging }
    /// Whether a commit that drops expired members may be appended.
    var takesExpiries: Bool { !due.isExpiring && !isChanging }

    /// The time that the next commit would be stamped with, in milliseconds since 1970, or an
    /// earlier one.
    ///
    /// Ticks and expiries are due by this clock and no other. It stands still while the clock that
    /// stamps has been set back.
    package var stampTime: UInt64 { max(time, host.stampTime) }

    /// When the definition's timers need a tick, in milliseconds since 1970.
    var nextTick: UInt64? { timers.nextMilliseconds }

    /// The log has not taken a tick or an expiry: it is tried again after a pause.
    ///
    /// There is no pause if it was too early: the clock that stamps was set back, and the log knows
    /// that now.
    func failed(_ commit: Commit) {
        switch commit.kind {
        case .tick: due.isTickPending = false
        case .expire: due.isExpiring = false
        case .values, .define, .redefine, .remove, .drop: return
        }
        guard commit.earliest <= stampTime else { return }
        due.notBefore = host.clock.now + Self.pauseAfterFailure
    }

    private static var pauseAfterFailure: UInt64 { 250 }
}
