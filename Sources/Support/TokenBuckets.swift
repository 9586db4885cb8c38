/// A token bucket for each of many keys, such as addresses.
///
/// At most so many keys are remembered; all others share one bucket.
public struct TokenBuckets<Key: Hashable> {
    private let rate: UInt64
    private let most: Int
    // Buckets that were not touched for a second are full, as new ones are.
    private var recent: [Key?: TokenBucket] = [:]
    private var former: [Key?: TokenBucket] = [:]
    private var begun: UInt64 = 0

    /// Full buckets for `rate` (at least 1) events per second; `most` of them, and that of the
    /// others.
    public init(rate: UInt64, most: Int) {
        self.rate = rate
        self.most = most
    }

    /// How many keys are remembered.
    public var count: Int { recent.count + former.count }

    /// Takes one token.
    ///
    /// - Parameters:
    ///   - key: whose token; nil: of those that have no key.
    ///   - now: milliseconds of the monotonic clock, never less than before.
    /// - Returns: nil, or, if there was no token, the milliseconds until there is one.
    public mutating func take(of key: Key?, at now: UInt64) -> UInt64? {
        if now >= begun + 1000 {
            former = now >= begun + 2000 ? [:] : recent
            recent = [:]
            begun = now
        }
        let key = recent[key] == nil && recent.count >= most ? nil : key
        var bucket = recent[key] ?? former[key] ?? TokenBucket(rate: rate, now: now)
        defer { recent[key] = bucket }
        return bucket.take(at: now)
    }
}
