/// Lets the server set a node to each value of another one, as long as this object lives.
///
/// The link is made again after a reconnect.
public final class NodeLink: Sendable {
    private let subscriber: Subscriber

    fileprivate init(_ client: SluiceClient, _ fields: JSONObject) {
        // Few reports say all: a reason is sent once, and a value only after a reason.
        subscriber = Subscriber(client, fields, isShared: false, .newest(limit: 100))
    }

    /// What the link reports, from its beginning: why a value was not set (``Meta/failure``), the
    /// next value that is, and why the server has ended it (``Meta/ended``).
    ///
    /// One task may read them.
    public var reports: AsyncStream<ValueDelivery<JSONValue>> {
        AsyncStream { [buffer = subscriber.buffer] in
            await buffer.next().map { ValueDelivery(value: $0.value, meta: $0.meta) }
        }
    }

    /// Ends the link.
    public func close() {
        subscriber.close()
    }
}

extension SluiceClient {
    /// Sets the node `to` to each value that `pipe` makes of the node `from`.
    ///
    /// `pipe` has stages that the server runs. A link with named owners ends with the last of them,
    /// too. Without `initial` the present value is not set.
    public func link(
        _ graph: String,
        from: String,
        to: String,
        pipe: [JSONValue] = [],
        owners: [String] = [],
        initial: Bool = true
    ) -> NodeLink {
        var fields: JSONObject = ["op": "link", "from": .string(from), "to": .string(to)]
        if !pipe.isEmpty { fields["pipe"] = .array(pipe) }
        return makeLink(graph, fields, owners, initial)
    }

    /// Keeps two nodes that are set in step.
    ///
    /// When it begins, the value of `b` wins.
    ///
    /// `toB` is the expression that makes a value of `b` from one of `a`, and `toA` the opposite;
    /// without both, values are copied.
    public func sync(
        _ graph: String,
        _ a: String,
        _ b: String,
        toB: String? = nil,
        toA: String? = nil,
        owners: [String] = [],
        initial: Bool = true
    ) -> NodeLink {
        var fields: JSONObject = ["op": "sync", "a": .string(a), "b": .string(b)]
        fields["to_b"] = toB.map(JSONValue.string)
        fields["to_a"] = toA.map(JSONValue.string)
        return makeLink(graph, fields, owners, initial)
    }

    private func makeLink(
        _ graph: String,
        _ fields: JSONObject,
        _ owners: [String],
        _ initial: Bool
    ) -> NodeLink {
        var fields = fields
        fields["graph"] = .string(graph)
        if !initial { fields["initial"] = false }
        if !owners.isEmpty { fields["owner"] = .array(owners.map(JSONValue.string)) }
        return NodeLink(self, fields)
    }
}
