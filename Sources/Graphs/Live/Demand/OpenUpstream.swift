/// An upstream that is open for source nodes, as others see it (S-10): where it leads and how it
/// is, never its path, its header fields or a secret.
public struct OpenUpstream: Equatable, Sendable {
    /// Why the last request gave no value.
    public struct Failure: Equatable, Sendable {
        public let message: String
        /// The status of the answer, if that was the reason.
        public let status: Int?
        /// When it is tried again, in milliseconds since 1970.
        public let retryAt: UInt64

        public init(_ message: String, status: Int?, retryAt: UInt64) {
            (self.message, self.status, self.retryAt) = (message, status, retryAt)
        }
    }

    /// Its number, unique while the server runs and never used again.
    public let number: UInt64
    /// Scheme, host and port.
    public let origin: String
    /// A stable word for what it does at present.
    public let state: String
    /// When it is asked next, in milliseconds since 1970; nil: that is not known, or it has failed.
    public let dueAt: UInt64?
    public let failure: Failure?
    /// The nodes of one graph that it is for, in alphabetical order.
    public let nodes: [String]

    public init(
        number: UInt64,
        origin: String,
        state: String,
        dueAt: UInt64?,
        failure: Failure?,
        nodes: [String]
    ) {
        (self.number, self.origin, self.state) = (number, origin, state)
        (self.dueAt, self.failure, self.nodes) = (dueAt, failure, nodes)
    }

    /// The name on the wire: `u:3`.
    public var name: String { "u:\(number)" }

    /// Its state in words, at a time in milliseconds since 1970: `due in 12 s`, or `failed with
    /// status 503, asked again in 8 s`.
    public func words(at now: UInt64) -> String {
        if let failure {
            let reason = failure.status.map { " with status \($0)" } ?? ": \(failure.message)"
            return "failed\(reason), asked again in \(Self.span(from: now, to: failure.retryAt))"
        }
        return dueAt.map { "due in \(Self.span(from: now, to: $0))" } ?? state
    }

    /// The time until then: `12 s`, `10 min`.
    private static func span(from now: UInt64, to then: UInt64) -> String {
        let seconds = then > now ? (then - now + 999) / 1_000 : 0
        return seconds < 120 ? "\(seconds) s" : "\((seconds + 30) / 60) min"
    }
}

/// Says which upstreams are open; what feeds source nodes implements it.
public protocol UpstreamSight: AnyObject {
    /// Rises with each upstream that opens, closes or changes its state.
    var changes: UInt64 { get }
    /// The upstreams that are open for a graph, those that opened first in front.
    func upstreams(of graph: LiveGraph) -> [OpenUpstream]
    /// The upstream that is open for a node of a graph; nil: none is.
    func upstream(of node: NamedNode) -> OpenUpstream?
}
