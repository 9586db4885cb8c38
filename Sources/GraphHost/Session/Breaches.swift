/// Counts refusals that end a connection when they are repeated.
///
/// A client cannot do otherwise before it has heard of the first, so they count once a quarter of a second.
struct Breaches {
    private static let quarter: UInt64 = 250

    /// Those of the last while in which something was refused.
    private var quarters: [UInt64] = []

    /// Notes one refusal.
    ///
    /// - Parameters:
    ///   - now: milliseconds of the steady clock.
    ///   - limits: how many quarters of seconds with a refusal are too many, and within which time.
    /// - Returns: whether that was once too often.
    mutating func note(at now: UInt64, _ limits: SessionLimits) -> Bool {
        let present = now / Self.quarter
        if quarters.last != present {
            quarters.removeAll { $0 + limits.breachMilliseconds / Self.quarter <= present }
            quarters.append(present)
        }
        return quarters.count >= limits.breaches
    }
}

/// Counts messages that were no JSON: as many as of ``Breaches``, each by itself, end the connection.
struct BadMessages {
    private var times: [UInt64] = []

    /// Notes one more.
    ///
    /// - Returns: whether that was one too many.
    mutating func note(at now: UInt64, _ limits: SessionLimits) -> Bool {
        times.removeAll { $0 + limits.breachMilliseconds <= now }
        times.append(now)
        return times.count >= limits.breaches
    }
}
