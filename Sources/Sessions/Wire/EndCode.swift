/// Why the server ends a subscription (docs/protocol.md, unsub and end).
public struct EndCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// A code with that spelling.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The client has lost the right to it: it sent another token, or the tokens were changed.
    public static let forbidden = Self(rawValue: "forbidden")
    /// The client asked for it.
    public static let done = Self(rawValue: "done")
    /// The node or its graph was removed.
    public static let nodeRemoved = Self(rawValue: "node_removed")
    /// Mode `all`: the queue overflowed.
    public static let slow = Self(rawValue: "slow")
    /// A `prefix` stage has received its last value.
    public static let complete = Self(rawValue: "complete")
    /// The server is about to stop.
    public static let shutdown = Self(rawValue: "shutdown")
}
