internal import Graphs
internal import Definitions
internal import Support
public import Values

/// The client that a request comes from, for limits that its connections share.
public enum Requester: Hashable, Sendable {
    /// A client with a token, by its name.
    case principal(String)
    /// A client without one, by its place in the network; nil: not from a network.
    case place(NetworkPlace?)

    /// A client with this name, or else at this place.
    public init(_ name: String?, at place: @autoclosure () -> NetworkPlace?) {
        self = name.map(Requester.principal) ?? .place(place())
    }
}

/// What counts as one client of a network: an IPv4 address, or an IPv6 network of 64 bits.
public struct NetworkPlace: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// The first and the last eight bytes of the address.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// How fast clients may change graphs and send messages (`limits.sets`, `limits.messages`).
///
/// All connections of a principal share one rate, and so do those of an address without a token:
/// further connections cost nothing, so they must not bring a rate of their own.
public final class ClientRates {
    /// One of the two rates.
    private struct Rate {
        let perSecond: UInt64
        let events: String
        /// There are no more than tokens.
        private var principals: TokenBuckets<String>
        private var places: TokenBuckets<NetworkPlace>

        init(_ perSecond: UInt64, of events: String) {
            self.perSecond = perSecond
            self.events = events
            principals = TokenBuckets(rate: perSecond, most: .max)
            places = TokenBuckets(rate: perSecond, most: 10_000)
        }

        mutating func take(for client: Requester, at now: UInt64) throws(HostError) {
            let wait =
                switch client {
                case .principal(let name): principals.take(of: name, at: now)
                case .place(let place): places.take(of: place, at: now)
                }
            guard let wait else { return }
            throw HostError(.rateLimited, "at most \(perSecond) \(events) per second", after: Int(wait))
        }
    }

    private var sets: Rate
    private var messages: Rate
    private let clock: any HostClock

    init(_ limits: SessionLimits, _ clock: any HostClock) {
        sets = Rate(limits.setsPerSecond, of: "sets")
        messages = Rate(limits.messagesPerSecond, of: "messages")
        self.clock = clock
    }

    /// Counts a request to change a graph.
    ///
    /// - Throws: `rate_limited`.
    @inline(__always)
    public func countSet(of client: @autoclosure () -> Requester) throws(HostError) {
        if sets.perSecond > 0 { try sets.take(for: client(), at: clock.now) }
    }

    /// Counts a message; each object of a list is one.
    ///
    /// - Throws: `rate_limited`.
    @inline(__always)
    func countMessage(of client: @autoclosure () -> Requester) throws(HostError) {
        if messages.perSecond > 0 { try messages.take(for: client(), at: clock.now) }
    }
}

extension Session {
    /// The client of this session.
    var requester: Requester { Requester(access?.name, at: transport?.networkPlace) }
}
