/// Limits for one session and for what its requests make.
///
/// docs/configuration.md says what each means and which error follows.
public struct SessionLimits: Sendable {
    public var subscriptions = 1_000
    public var work: UInt64 = 500
    /// Observers of one session (`sub_limit`).
    public var observers = 4
    /// Bytes of one message from the client.
    ///
    /// The server enforces it; `hello` reports it.
    public var messageBytes = 65_536
    public var stages = 16
    public var matches = 1_000
    /// Steps that comparing the globs of one request with the names of nodes may take
    /// (`sub_limit`): one for each character compared, and sixteen for each name.
    public var globSteps = 20_000_000
    public var idempotencyKeys = 100_000
    public var patterns = 250
    /// Units of 20 ns for compiling the regular expressions of one request; four times as many for
    /// a definition (`pattern_limit`).
    public var patternWork = 500_000
    /// Units per second that all pipelines of one principal may spend, a hundredth of them at once;
    /// work above that waits until other clients have been served.
    public var pipelineUnits = 5_000_000
    var pipelineBurst: Int { max(1, pipelineUnits / 100) }
    /// Bytes that one principal's pipelines may hold; a pipeline that would exceed this ends with
    /// `slow`.
    public var held = 16 << 20
    /// Tickets of one principal; above that, `snap` has no ticket (K-3).
    public var keptChains = 10_000
    /// The longest time that a chain is kept; 0: none is kept.
    public var keepMilliseconds = 600_000
    public var loadMilliseconds: UInt64 = 10_000
    /// Above this many unsent bytes, `latest` subscriptions only keep a mark, and `all`
    /// subscriptions queue.
    public var softBytes = 65_536
    /// Above this many unsent and queued bytes, `all` subscriptions end with `slow`, then the
    /// connection does.
    public var hardBytes = 1_048_576
    public var pendingRequests = 64
    public var pendingBytes = 262_144
    public var delayed = 1_024
    public var windowValues = 10_000
    public var zipBuffer = 1_024
    public var switchKeys = 1_024
    public var nodes = 100_000
    public var graphs = 10_000
    public var kept = 2_048
    public var members = 100_000
    public var membersPerPrincipal = 100_000
    public var historyBytes = 16 << 20
    /// Per connection; 0: no limit.
    public var setsPerSecond: UInt64 = 0
    public var messagesPerSecond: UInt64 = 0
    /// How many refusals (``Violations``) end a connection.
    public var breaches = 10
    public var breachMilliseconds: UInt64 = 60_000
    public var heartbeatSeconds = 25
    public var helloMilliseconds: UInt64 = 5_000

    /// The defaults of the configuration.
    public init() {}
}
