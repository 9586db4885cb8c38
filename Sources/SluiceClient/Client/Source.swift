/// What a program can listen to: which nodes, and how their values become the program's own.
public struct Source<Value: Sendable>: Sendable {
    let client: SluiceClient
    /// The fields of the message, without the options.
    let fields: JSONObject
    let isShared: Bool
    /// Makes what turns emissions into deliveries, for one reader.
    let makeReader: @Sendable () -> (Emission) -> ValueDelivery<Value>

    /// Begins to listen.
    func subscribe(_ options: ListenOptions) -> Subscriber {
        // A stream that is read too slowly ends, as a subscription of mode `all` does.
        let policy = options.mode == .all ? Buffer.Policy.all(limit: 10_000) : .latest
        let message = fields.merging(options.fields) { own, _ in own }
        return Subscriber(client, message, isShared: isShared, policy)
    }
}

extension Source where Value: Decodable {
    /// A single value, of a node or of what the server makes of several.
    init(_ client: SluiceClient, _ graph: String, _ fields: JSONObject) {
        self.init(
            client: client,
            fields: fields.merging(["op": "sub", "graph": .string(graph)]) { $1 },
            isShared: true,
            makeReader: { { emission in emission.delivery { try JSONText.convert($0, to: Value.self) } } }
        )
    }
}

extension Emission {
    /// The delivery, with a failure in place of a value that does not have the program's type.
    func delivery<Value>(_ convert: (JSONValue) throws -> Value) -> ValueDelivery<Value> {
        do {
            return ValueDelivery(value: try value.map(convert), meta: meta)
        } catch {
            var meta = meta
            meta.failure = Failure(mismatch: error, Value.self)
            return ValueDelivery(value: nil, meta: meta)
        }
    }
}

extension Failure {
    /// A value that the program's type cannot hold.
    init(mismatch error: any Error, _ type: Any.Type) {
        self.init(code: "type_mismatch", message: "the value is no \(type): \(error)")
    }
}

/// What a program can listen to.
public protocol Subscribable<Value>: Sendable {
    /// The type of the values.
    associatedtype Value: Sendable
    /// Which nodes, and how their values become the program's own.
    var source: Source<Value> { get }
}

extension Subscribable {
    /// The values, for `for try await`.
    ///
    /// The subscription begins with the loop and ends with it, and when the loop's task is
    /// cancelled. Emptiness and failures of the node are left out; ``deliveries(_:)`` has them.
    ///
    /// By default the newest value comes at each change.
    public func values(_ options: ListenOptions = .latest) -> Values<Value> {
        Values(deliveries: deliveries(options))
    }

    /// The values with everything that the server says about them, for `for await`.
    ///
    /// The sequence goes on when the server has ended or refused the subscription
    /// (``Meta/ended``), because it is asked for again with the next connection. It ends when the
    /// client is closed or the owner released, and with `slow` if the program reads too slowly.
    public func deliveries(_ options: ListenOptions = .latest) -> Deliveries<Value> {
        Deliveries {
            source.subscribe(options)
        } reader: {
            source.makeReader()
        }
    }

    /// The present value for a view, as long as the returned object lives.
    @MainActor public func live(_ options: ListenOptions = .latest) -> LiveValue<Value> {
        LiveValue(self, options)
    }
}
