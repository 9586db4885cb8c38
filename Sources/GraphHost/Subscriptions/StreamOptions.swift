/// How a stream is served: server-sent events, a plain stream, or a read that waits.
public struct StreamOptions {
    /// The text of a list of stages that each node's values go through; nil: none.
    public var pipe: [UInt8]?
    /// Milliseconds between deliveries at most.
    public var every: UInt64
    /// Whether every value is sent, or the newest of each turn.
    public var isAll: Bool
    /// Whether messages say what is known besides the values.
    public var hasFacets: Bool
    /// Whether producers are asked for what is empty or stale (D-2).
    public var loads: Bool

    /// What a stream gets that asks for nothing else.
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

    /// The stages; nil where there is no pipe.
    func stages(on host: Host) throws(HostError) -> [Stage]? {
        guard let pipe else { return nil }
        return try pipe.withUnsafeBytes { text in
            Result { () throws(HostError) in try Pipe(host).stages(text) }
        }.get()
    }
}

extension SubscriptionOptions {
    /// What each subscription of a stream gets.
    init(_ stream: StreamOptions) {
        every = stream.every
        isAll = stream.isAll
        hasFacets = stream.hasFacets
        loads = stream.loads
    }
}
