/// When the keys of an issuer may be fetched again.
///
/// Times are milliseconds of the monotonic clock.
struct FetchTimes {
    /// How old they may be while they are used: a key that the issuer has withdrawn is accepted no
    /// longer.
    static let mostAge: UInt64 = 600_000
    /// How long the issuer is not asked again because of tokens with unknown keys, or of old keys.
    static let pause: UInt64 = 60_000
    /// The same for all tokens while there are no keys.
    static let pauseWithoutKeys: UInt64 = 5_000

    enum Reason {
        /// There are none, and a token needs one.
        case none
        /// None of them has the name that a token gives.
        case unknown
        /// They are used.
        case use
    }

    /// When fetching began last, began because of an unknown key, and ended well.
    private var triedAt: UInt64?
    private var missedAt: UInt64?
    private var fetchedAt: UInt64?

    /// Begins to fetch them, if it is time.
    ///
    /// - Returns: whether it is.
    mutating func begin(_ reason: Reason, at now: UInt64) -> Bool {
        let isDue =
            switch reason {
            case .none: Self.isOver(Self.pauseWithoutKeys, since: triedAt, at: now)
            case .unknown: Self.isOver(Self.pause, since: missedAt, at: now)
            case .use:
                Self.isOver(Self.mostAge, since: fetchedAt, at: now)
                    && Self.isOver(Self.pause, since: triedAt, at: now)
            }
        guard isDue else { return false }
        triedAt = now
        if case .unknown = reason { missedAt = now }
        return true
    }

    /// They have been fetched.
    mutating func succeeded(at now: UInt64) { fetchedAt = now }

    private static func isOver(_ pause: UInt64, since moment: UInt64?, at now: UInt64) -> Bool {
        moment.map { now >= $0 + pause } ?? true
    }
}
