/// Counts what may happen so often a second, with a burst of one second's worth (a token bucket).
///
/// It begins full. One token comes back every 1000 / rate milliseconds of the steady clock; nothing is ever owed.
public struct TokenBucket: Sendable {
    /// Tokens per second, and the most that the bucket holds.
    private let rate: UInt64
    /// Thousandths of tokens.
    private var level: UInt64
    private var filledAt: UInt64

    /// A full bucket for `rate` (1 to 10^9) takings a second.
    public init(rate: UInt64, now: UInt64) {
        self.rate = rate
        level = rate * 1000
        filledAt = now
    }

    /// Takes one token.
    ///
    /// - Parameter now: milliseconds of the steady clock, never less than before.
    /// - Returns: nil, or, where there was none, the milliseconds until there will be.
    public mutating func take(at now: UInt64) -> UInt64? {
        if now > filledAt {
            // More than a second's worth does not fit in; the product stays small.
            level = min(rate * 1000, level + min(now - filledAt, 1000) * rate)
            filledAt = now
        }
        guard level >= 1000 else { return (1000 - level + rate - 1) / rate }
        level -= 1000
        return nil
    }
}
