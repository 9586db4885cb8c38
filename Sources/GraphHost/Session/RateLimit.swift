/// Limits how fast one connection may send messages and sets; a limit of 0 is off.
///
/// Requests above the limit are refused with `rate_limited` and the time after which they would be
/// accepted. A client that goes on, or repeatedly asks for more subscriptions and pipelines than it
/// may have, is disconnected (4429; over HTTP after the answer): ``note(_:of:)``.
public struct RateLimit {
    /// Made with the first request that counts; connections without limits, and quiet ones, have
    /// none.
    private var state: State?

    private final class State {
        var sets: TokenBucket?
        var messages: TokenBucket?
        var violations = Violations()
    }

    /// A connection that has sent nothing yet.
    public init() {}

    /// Counts a refusal, if it concerns one of the client's limits.
    ///
    /// - Returns: whether the client was refused too often and must be disconnected.
    public mutating func note(_ error: HostError, of host: Host) -> Bool {
        switch error.code {
        case .rateLimited, .subLimit, .pipeLimit, .patternLimit:
            begin().violations.note(at: host.clock.now, host.limits)
        default: false
        }
    }

    /// Counts a request to change a graph.
    ///
    /// - Throws: `rate_limited`.
    @inline(__always)
    public mutating func countSet(of host: Host) throws(HostError) {
        if host.limits.setsPerSecond > 0 { try takeSet(host) }
    }

    /// Counts a message; each object of a list is one.
    ///
    /// - Throws: `rate_limited`.
    @inline(__always)
    mutating func countMessage(of host: Host) throws(HostError) {
        if host.limits.messagesPerSecond > 0 { try takeMessage(host) }
    }

    @inline(never)
    private mutating func takeSet(_ host: Host) throws(HostError) {
        let state = begin()
        let rate = host.limits.setsPerSecond
        guard let after = Self.take(from: &state.sets, rate, host) else { return }
        throw HostError(.rateLimited, "at most \(rate) sets per second", after: Int(after))
    }

    @inline(never)
    private mutating func takeMessage(_ host: Host) throws(HostError) {
        let state = begin()
        let rate = host.limits.messagesPerSecond
        guard let after = Self.take(from: &state.messages, rate, host) else { return }
        throw HostError(.rateLimited, "at most \(rate) messages per second", after: Int(after))
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
