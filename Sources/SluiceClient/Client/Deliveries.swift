/// Values with what the server says about them.
///
/// Each loop has a subscription of its own, which ends with the loop.
public struct Deliveries<Value: Sendable>: AsyncSequence, Sendable {
    private let subscribe: @Sendable () -> Subscriber
    private let reader: @Sendable () -> (Emission) -> ValueDelivery<Value>

    init(
        subscribe: @escaping @Sendable () -> Subscriber,
        reader: @escaping @Sendable () -> (Emission) -> ValueDelivery<Value>
    ) {
        self.subscribe = subscribe
        self.reader = reader
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(subscriber: subscribe(), read: reader())
    }

    /// Owns the subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscriber: Subscriber
        fileprivate let read: (Emission) -> ValueDelivery<Value>

        /// The next delivery; `nil` once nothing more comes, and when the task is cancelled.
        public func next(isolation: isolated (any Actor)? = #isolation) async -> ValueDelivery<Value>? {
            await subscriber.buffer.next().map(read)
        }
    }
}

/// Values, without what the server says about them.
///
/// Each loop has a subscription of its own, which ends with the loop.
public struct Values<Value: Sendable>: AsyncSequence, Sendable {
    let deliveries: Deliveries<Value>

    public func makeAsyncIterator() -> Iterator {
        Iterator(deliveries: deliveries.makeAsyncIterator())
    }

    /// Owns the subscription.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let deliveries: Deliveries<Value>.Iterator

        /// The next value; `nil` when the subscription is complete, the client is closed, the owner
        /// is released, or the task is cancelled.
        ///
        /// - Throws: the reason as a ``SluiceError`` if the server refuses or ends the
        ///   subscription, `slow` if the program reads too slowly, and `type_mismatch` if a value
        ///   does not have the program's type.
        public func next(isolation: isolated (any Actor)? = #isolation) async throws -> Value? {
            while let delivery = await deliveries.next(isolation: isolation) {
                if let ended = delivery.meta.ended {
                    if ended.code == "complete" || ended.code == "closed" { return nil }
                    throw ended
                }
                if let value = delivery.value { return value }
                if let failure = delivery.meta.failure, failure.code == "type_mismatch" {
                    throw SluiceError(failure.code, failure.message)
                }
            }
            return nil
        }
    }
}
