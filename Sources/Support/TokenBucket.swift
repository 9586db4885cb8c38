/// A token bucket: limits events to a rate per second, with a burst of one second's worth.
///
/// It starts full. One token is added every 1000 / rate milliseconds of the monotonic clock; the
/// level never becomes negative.
public struct TokenBucket: Sendable {
    /// Tokens per second, and the most that the bucket holds.
    private let rate: UInt64
    /// Thousandths of tokens.
    private var level: UInt64
    private var filledAt: UInt64

    /// A full bucket for `rate` (1 to 10^9) events per second.
    public init(rate: UInt64, now: UInt64) {
        self.rate = rate
        level = rate * 1000
        filledAt = now
    }

    /// Takes one token.
    ///
    /// - Parameter now: milliseconds of the monotonic clock, never less than before.
    /// - Returns: nil, or, if there was no token, the milliseconds until there is one.
    public mutating func take(at now: UInt64) -> UInt64? {
        if now > filledAt {
            // At most one second's worth; the product stays small.
            level = min(rate * 1000, level + min(now - filledAt, 1000) * rate)
            filledAt = now
        }
        guard level >= 1000 else { return (1000 - level + rate - 1) / rate }
        level -= 1000
        return nil
    }
}
