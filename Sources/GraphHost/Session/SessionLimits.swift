/// What one session may use; a breach gets the code given.
public struct SessionLimits: Sendable {
    /// Subscriptions of one session (`sub_limit`).
    public var subscriptions = 1_000
    /// Nodes that one session's requests may build, and values they may read, in one turn; the rest goes on in the next.
    public var work: UInt64 = 500
    /// Observers of one session (`sub_limit`).
    public var observers = 4
    /// Bytes of one message from the client; the server enforces it, `hello` tells it.
    public var messageBytes = 65_536
    /// Stages of one pipeline (`pipe_limit`).
    public var stages = 16
    /// Nodes that the globs of one subscription may match (`sub_limit`).
    public var matches = 1_000
    /// Steps that comparing the globs of one request with the names of nodes may take (`sub_limit`): one for each character
    /// compared, and sixteen for each name.
    public var globSteps = 20_000_000
    /// Idempotency keys in all; with one more, a principal with more than its share loses its oldest.
    public var idempotencyKeys = 100_000
    /// Different regular expressions in the pipelines of one principal, or in a definition by a client (`pattern_limit`).
    public var patterns = 250
    /// Units of 20 ns that compiling those of one request may take, four times as many for a definition (`pattern_limit`).
    public var patternWork = 500_000
    /// Units a second that all pipelines of one principal may spend at once, a hundredth of them in one go; what is above that
    /// waits until others have been served.
    public var pipelineUnits = 5_000_000
    /// The hundredth.
    var pipelineBurst: Int { max(1, pipelineUnits / 100) }
    /// Bytes that one principal's pipelines may hold; what would hold more ends with `slow`.
    public var held = 16 << 20
    /// Tickets that one principal may have, for chains that are kept when its connections end; then `snap` has none (K-3).
    public var keptChains = 10_000
    /// The longest that one is kept, in milliseconds; 0: none is.
    public var keepMilliseconds = 600_000
    /// After how many milliseconds producers are asked again for a value that has not come (D-2).
    public var loadMilliseconds: UInt64 = 10_000
    /// Above this many unsent bytes `latest` subscriptions only keep a mark, and `all` ones queue.
    public var softBytes = 65_536
    /// Above this many unsent and queued bytes `all` subscriptions end with `slow`, then the connection.
    public var hardBytes = 1_048_576
    /// Requests that may wait for the log before the peer is not read any more.
    public var pendingRequests = 64
    /// Their bytes.
    public var pendingBytes = 262_144
    /// Values that one `delay` may hold, values of one `window`, and values of one input that a `zip` lets wait.
    public var delayed = 1_024
    public var windowValues = 10_000
    public var zipBuffer = 1_024
    /// Graphs of the host (`too_large`).
    public var graphs = 1_000
    /// Nodes that one graph keeps with `retain: untilPressure`; before one more is kept, those not in use go (G-131).
    public var kept = 2_048
    /// Members of families that one graph may have at once (`too_large`).
    public var members = 100_000
    /// Members of families, of all graphs, that one principal may have brought to life (`sub_limit`).
    public var membersPerPrincipal = 100_000
    /// Bytes of JSON that the history of one node may hold; its values are bounded where the definition is read.
    public var historyBytes = 16 << 20
    /// Changes of graphs that one connection may ask for in a second, and messages it may send (`rate_limited`, 4429); 0: no bound.
    public var setsPerSecond: UInt64 = 0
    public var messagesPerSecond: UInt64 = 0
    /// How many refusals of those that count (``Breaches``, ``BadMessages``) within how many milliseconds end a connection (4400, 4429).
    public var breaches = 10
    public var breachMilliseconds: UInt64 = 60_000
    /// Seconds between heartbeats, as told in `hello`.
    public var heartbeatSeconds = 25
    /// Milliseconds within which an unauthorised client must say hello.
    public var helloMilliseconds: UInt64 = 5_000

    /// The defaults of the configuration.
    public init() {}
}
