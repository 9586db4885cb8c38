public import Graphs
internal import Definitions
internal import Support
internal import Values

/// The options of a stream: server-sent events, a bare stream, or a waiting read.
public struct StreamOptions {
    /// The text of a list of stages that each node's values pass through; nil: none.
    public var pipe: [UInt8]?
    /// What another thread has parsed of that, if it is long (``text``).
    public var parsed: ParsedPipeline?
    /// The shortest time between deliveries, in milliseconds.
    public var every: UInt64
    /// Whether every value is sent; otherwise the newest of each turn.
    public var isAll: Bool
    public var hasFacets: Bool
    /// Whether deliveries say where their values have been.
    public var hasPath = false
    /// Whether producers are asked for missing and stale values (D-2).
    public var loads: Bool
    /// Whether a bare stream begins with the present value.
    public var initial = true
    /// With `isAll`: the most values that may be queued; nil: as many as with `sub`.
    public var queue: Int?

    /// The options of a stream, with their defaults.
    public init(
        pipe: [UInt8]? = nil,
        every: UInt64 = 0,
        isAll: Bool = false,
        hasFacets: Bool = false,
        loads: Bool = false
    ) {
        self.pipe = pipe
        self.every = every
        self.isAll = isAll
        self.hasFacets = hasFacets
        self.loads = loads
    }

    /// What is parsed before the stream is started.
    public var text: PipelineText? { pipe.map { $0.withBorrowedBytes { PipelineText(stages: $0) } } }

    func stages(on host: Host) throws(HostError) -> [Stage]? {
        guard let pipe else { return nil }
        return try pipe.withBorrowedBytes { text throws(HostError) in
            try PipelineParser(host, parsed).stages(of: text)
        }
    }
}

extension SubscriptionOptions {
    /// The options of each subscription of a stream.
    init(_ stream: StreamOptions) {
        every = UInt32(stream.every)
        isAll = stream.isAll
        hasFacets = stream.hasFacets
        hasPath = stream.hasPath
        loads = stream.loads
        if let most = stream.queue { queue = Int32(most) }
    }
}
