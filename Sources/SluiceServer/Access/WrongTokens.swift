internal import GraphHost

/// Counts wrong tokens, and limits them per address.
///
/// An IPv4 address, or an IPv6 network of 64 bits, may send a number of wrong tokens per second;
/// more are refused with `rate_limited` instead of `unauthenticated`. Right tokens are not counted.
/// At most ``mostPlaces`` addresses are remembered; all others count as one.
struct WrongTokens {
    static let mostPlaces = 10_000

    /// How many were sent since the start.
    private(set) var shown: UInt64 = 0
    /// How many of them were too many.
    private(set) var limited: UInt64 = 0

    /// How many an address may send per second; 0: no limit.
    private let rate: UInt64
    // Buckets that were not touched for a second are full, as new ones are.
    private var recent: [IPAddress: TokenBucket] = [:]
    private var former: [IPAddress: TokenBucket] = [:]
    private var begun: UInt64 = 0

    init(rate: Int) {
        self.rate = UInt64(rate)
    }

    /// How many addresses are remembered.
    var placeCount: Int { recent.count + former.count }

    /// Counts a wrong token.
    ///
    /// - Parameters:
    ///   - address: its source; nil: not from a network.
    ///   - now: milliseconds of the monotonic clock.
    /// - Returns: nil, or, above the limit, the milliseconds until the next one may be sent.
    mutating func note(from address: IPAddress?, at now: UInt64) -> UInt64? {
        shown += 1
        guard rate > 0 else { return nil }
        if now >= begun + 1000 {
            former = now >= begun + 2000 ? [:] : recent
            recent = [:]
            begun = now
        }
        let others = IPAddress(high: .max, low: .max)
        var place = address?.site ?? others
        if recent[place] == nil, recent.count >= Self.mostPlaces { place = others }
        var bucket = recent[place] ?? former[place] ?? TokenBucket(rate: rate, now: now)
        let wait = bucket.take(at: now)
        recent[place] = bucket
        if wait != nil { limited += 1 }
        return wait
    }
}
