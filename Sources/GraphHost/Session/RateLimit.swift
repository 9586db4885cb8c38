/// How fast one connection may send messages and sets (wire-protocol.md §5); off where the limit is 0.
///
/// What comes too fast is refused with `rate_limited` and the time after which it would be taken. A client cannot slow down before it
/// has heard that, so breaches count once a quarter of a second: ten of those within one minute end the connection (4429; over HTTP it
/// is closed after the answer).
public struct RateLimit {
    /// Made with the first thing that is counted; connections without limits, and quiet ones, hold nothing.
    private var state: State?

    private final class State {
        var sets: TokenBucket?
        var messages: TokenBucket?
        /// The quarters of seconds of the last minute in which something was refused.
        var breaches: [UInt64] = []

        /// Notes a refusal, and says it.
        func breach(_ message: String, _ host: Host, _ after: UInt64) -> HostError {
            let quarter = host.clock.now / 250
            if breaches.last != quarter {
                breaches.removeAll { $0 + 240 <= quarter }
                breaches.append(quarter)
            }
            return HostError(.rateLimited, message, after: Int(after))
        }
    }

    /// Nothing has been sent yet.
    public init() {}

    /// Whether the connection has been too fast too often.
    public var isExhausted: Bool { (state?.breaches.count ?? 0) >= 10 }

    /// A change of a graph is asked for.
    ///
    /// - Throws: `rate_limited`.
    @inline(__always)
    public mutating func set(_ host: Host) throws(HostError) {
        if host.limits.setsPerSecond > 0 { try countSet(host) }
    }

    /// A message has come; each object of a list is one.
    ///
    /// - Throws: `rate_limited`.
    @inline(__always)
    mutating func message(_ host: Host) throws(HostError) {
        if host.limits.messagesPerSecond > 0 { try countMessage(host) }
    }

    @inline(never)
    private mutating func countSet(_ host: Host) throws(HostError) {
        let state = begin()
        let rate = host.limits.setsPerSecond
        guard let after = Self.take(from: &state.sets, rate, host) else { return }
        throw state.breach("at most \(rate) sets per second", host, after)
    }

    @inline(never)
    private mutating func countMessage(_ host: Host) throws(HostError) {
        let state = begin()
        let rate = host.limits.messagesPerSecond
        guard let after = Self.take(from: &state.messages, rate, host) else { return }
        throw state.breach("at most \(rate) messages per second", host, after)
    }

    private mutating func begin() -> State {
        if let state { return state }
        let state = State()
        self.state = state
        return state
    }

    private static func take(from bucket: inout TokenBucket?, _ rate: UInt64, _ host: Host) -> UInt64? {
        let now = host.clock.now
        var tokens = bucket ?? TokenBucket(rate: rate, now: now)
        defer { bucket = tokens }
        return tokens.take(at: now)
    }
}
