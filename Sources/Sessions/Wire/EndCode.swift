/// Why the server ends a subscription (docs/protocol.md, unsub and end).
public enum EndCode: String, Sendable {
    /// The client has lost the right to it: it sent another token, or the tokens were changed.
    case forbidden
    /// The client asked for it.
    case done
    /// The node or its graph was removed.
    case nodeRemoved = "node_removed"
    /// Mode `all`: the queue overflowed.
    case slow
    /// A `prefix` stage has received its last value.
    case complete
    /// The values of the subscription come back to this service (S-9).
    case cycle
    /// The server is about to stop.
    case shutdown
}
