internal import Definitions

/// Counts refusals that end a connection when they are repeated.
///
/// A client may send more requests before it receives the first refusal, so refusals within a
/// quarter of a second count once; messages that are not JSON count each.
struct Violations {
    private let countsEach: Bool
    private var times: [UInt64] = []

    init(countsEach: Bool = false) {
        self.countsEach = countsEach
    }

    /// Counts one refusal.
    ///
    /// - Returns: whether the limit is exceeded.
    mutating func note(at now: UInt64, _ limits: SessionLimits) -> Bool {
        let time = countsEach ? now : now - now % 250
        if countsEach || times.last != time {
            times.removeAll { $0 + limits.breachMilliseconds <= time }
            times.append(time)
        }
        return times.count >= limits.breaches
    }
}
