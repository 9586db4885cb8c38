internal import Sessions
internal import Support

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

    /// nil: no limit.
    private var buckets: TokenBuckets<NetworkPlace>?

    /// `rate`: how many an address may send per second; 0: no limit.
    init(rate: Int) {
        if rate > 0 { buckets = TokenBuckets(rate: UInt64(rate), most: Self.mostPlaces) }
    }

    /// How many addresses are remembered.
    var placeCount: Int { buckets?.count ?? 0 }

    /// Counts a wrong token.
    ///
    /// - Parameters:
    ///   - address: its source; nil: not from a network.
    ///   - now: milliseconds of the monotonic clock.
    /// - Returns: nil, or, above the limit, the milliseconds until the next one may be sent.
    mutating func note(from address: IPAddress?, at now: UInt64) -> UInt64? {
        shown += 1
        let wait = buckets?.take(of: address?.site, at: now)
        if wait != nil { limited += 1 }
        return wait
    }
}
