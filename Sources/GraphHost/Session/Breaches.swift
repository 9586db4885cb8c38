/// Counts refusals that end a connection when they are repeated (wire-protocol.md §2).
///
/// A client cannot do otherwise before it has heard of the first, so they count once a quarter of a second.
struct Breaches {
    /// So many quarters of seconds with a refusal, within ``window``, are too many.
    static let most = 10
    /// Milliseconds.
    static let window: UInt64 = 60_000
    private static let quarter: UInt64 = 250

    /// Those of the last minute in which something was refused.
    private var quarters: [UInt64] = []

    /// Notes one refusal.
    ///
    /// - Parameter now: milliseconds of the steady clock.
    /// - Returns: whether that was once too often.
    mutating func note(at now: UInt64) -> Bool {
        let present = now / Self.quarter
        if quarters.last != present {
            quarters.removeAll { $0 + Self.window / Self.quarter <= present }
            quarters.append(present)
        }
        return quarters.count >= Self.most
    }
}
