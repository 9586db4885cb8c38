/// Counts refusals that end a connection when they are repeated.
///
/// A client may send more requests before it receives the first refusal, so refusals within a
/// quarter of a second count once.
struct Violations {
    private static let quarter: UInt64 = 250

    /// The quarters of a second in the recent past with a refusal.
    private var quarters: [UInt64] = []

    /// Counts one refusal.
    ///
    /// - Returns: whether the limit is exceeded.
    mutating func note(at now: UInt64, _ limits: SessionLimits) -> Bool {
        let present = now / Self.quarter
        if quarters.last != present {
            quarters.removeAll { $0 + limits.breachMilliseconds / Self.quarter <= present }
            quarters.append(present)
        }
        return quarters.count >= limits.breaches
    }
}

/// Counts messages that are not JSON.
///
/// The limit is that of ``Violations``, but each message counts.
struct BadMessages {
    private var times: [UInt64] = []

    /// Counts one message.
    ///
    /// - Returns: whether the limit is exceeded.
    mutating func note(at now: UInt64, _ limits: SessionLimits) -> Bool {
        times.removeAll { $0 + limits.breachMilliseconds <= now }
        times.append(now)
        return times.count >= limits.breaches
    }
}
