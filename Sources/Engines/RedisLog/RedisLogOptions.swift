/// How a ``RedisLog`` is set up.
public struct RedisLogOptions: Sendable {
    /// Where Redis is.
    public var address: RedisAddress
    /// What the names of all keys begin with.
    public var prefix: String
    /// How many replicas must have a commit before it is answered.
    public var replicas = 0
    /// How many revs of each graph can be looked back at, at least.
    public var keepRevs: UInt64

    /// Options for a server that is alone.
    public init(_ address: RedisAddress, prefix: String, keepRevs: UInt64) {
        (self.address, self.prefix, self.keepRevs) = (address, prefix, keepRevs)
    }
}
