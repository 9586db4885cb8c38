/// Limits for one session; exceeding one gives the error code in parentheses.
public struct SessionLimits: Sendable {
    /// Subscriptions of one session (`sub_limit`).
    public var subscriptions = 1_000
    /// Nodes that one session's requests may build, and values they may read, in one turn; the rest
    /// continues in the next turn.
    public var work: UInt64 = 100
    /// Observers of one session (`sub_limit`).
    public var observers = 4
    /// Bytes of one message from the client.
    ///
    /// The server enforces it; `hello` reports it.
    public var messageBytes = 65_536
    /// Stages of one pipeline (`bad_field`).
    public var stages = 16
    /// Nodes of one subscription by globs, and of one answer with values; the rest stay out.
    public var matches = 1_000
    /// Steps that comparing the globs of one request with the names of nodes may take
    /// (`sub_limit`): one for each character compared, and sixteen for each name.
    public var globSteps = 20_000_000
    /// Idempotency keys in all; above that, a principal with more than its share loses its oldest.
    public var idempotencyKeys = 100_000
    /// Different regular expressions in the pipelines of one principal, or in a definition sent by
    /// a client (`pattern_limit`).
    public var patterns = 250
    /// Units of 20 ns for compiling the regular expressions of one request; four times as many for
    /// a definition (`pattern_limit`).
    public var patternWork = 500_000
    /// Units per second that all pipelines of one principal may spend, a five hundredth of them at
    /// once; work above that waits until other clients have been served.
    public var pipelineUnits = 5_000_000
    /// A five hundredth of them: 0.2 ms by default.
    package var pipelineBurst: Int { max(1, pipelineUnits / 500) }
    /// Bytes that one principal's pipelines may hold; a pipeline that would exceed this ends with
    /// `slow`.
    public var held = 16 << 20
    /// Tickets that one principal may have for keeping chains after a disconnect; above that,
    /// `snap` has no ticket (K-3).
    public var keptChains = 10_000
    /// The longest time that a chain is kept, in milliseconds; 0: none is kept.
    public var keepMilliseconds = 600_000
    /// After how many milliseconds producers are asked again for a missing value (D-2).
    public var loadMilliseconds: UInt64 = 10_000
    /// How long a read waits for a commit that another server has answered, in milliseconds
    /// (`not_ready`).
    public var behindMilliseconds: UInt64 = 2_000
    /// Bytes of the values in one answer or `snap` (`too_large`), or update of several nodes
    /// (`slow`); pages of nodes and histories end there.
    public var answerBytes = 4 << 20
    /// Above this many unsent bytes, `latest` subscriptions only keep a mark, and `all`
    /// subscriptions queue.
    public var softBytes = 65_536
    /// Above this many unsent and queued bytes, `all` subscriptions end with `slow`, then the
    /// connection does.
    public var hardBytes = 1_048_576
    /// The most requests that may wait for the log; above that, the server stops reading from the
    /// peer.
    public var pendingRequests = 64
    /// The most bytes of these requests.
    public var pendingBytes = 262_144
    /// Values that one `delay` may hold, values of one `window`, and waiting values of one input of
    /// a `zip`.
    public var delayed = 1_024
    public var windowValues = 10_000
    public var zipBuffer = 1_024
    /// Nodes that one `switch` feeds: each receives each value.
    public var switchKeys = 1_024
    /// Nodes of one graph (`too_large`).
    public var nodes = 100_000
    /// Graphs of the host (`too_large`).
    public var graphs = 10_000
    /// Nodes that one graph keeps with `retain: untilPressure`; above that, unused ones are
    /// released (G-131).
    public var kept = 2_048
    /// Family members that one graph may have at once (`too_large`).
    public var members = 100_000
    /// Family members in all graphs that one principal may have created (`sub_limit`).
    public var membersPerPrincipal = 100_000
    /// Bytes that members hold for the principal that set them last: values, contexts and histories
    /// (`sub_limit`).
    public var memberBytes = 32 << 20
    /// Members of source families, in all graphs, that one principal's listeners may keep wanted
    /// (`sub_limit`, S-7).
    public var wanted = 1_000
    /// Bytes of JSON in the history of one node, and bytes of its history by time, in memory and in
    /// the store; the reader of definitions limits the numbers of values and of steps.
    public var historyBytes = 16 << 20
    /// Bytes of all histories by time in memory; above that, the oldest steps of the node that
    /// needs more go.
    public var historyMemory = 256 << 20
    /// The most nodes of one picture: about two microseconds each.
    public var pictureNodes = 5_000
    /// Changes of graphs and messages per second of one client (``ClientRates``; `rate_limited`,
    /// 4429); 0: no limit.
    public var setsPerSecond: UInt64 = 0
    public var messagesPerSecond: UInt64 = 0
    /// How many refusals (``Violations``) within how many milliseconds end a
    /// connection (4400, 4429).
    public var breaches = 10
    public var breachMilliseconds: UInt64 = 60_000
    /// Seconds between heartbeats, as sent in `hello`.
    public var heartbeatSeconds = 25
    /// Milliseconds within which an unauthorised client must send `hello`.
    public var helloMilliseconds: UInt64 = 5_000

    /// The defaults of the configuration.
    public init() {}
}
