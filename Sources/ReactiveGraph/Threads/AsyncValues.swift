/// How many values wait for a task that is slower than the node (G-142).
public enum ValueBuffer: Sendable {
    /// The newest so many, at least 1: older ones are dropped.
    case newest(Int)
    /// All of them, without a limit.
    case all
}

extension Node where Value: Sendable {
    /// The values of this node as an asynchronous sequence, for a task on any thread: the present
    /// one first, then each later one.
    ///
    /// The sequence holds the node, as a listen does, until its task is cancelled or nothing holds
    /// the sequence or an iterator of it any more; the listen then ends as a turn of its own. The
    /// graph needs an executor. What one iterator takes is gone for the others.
    ///
    /// - Parameters:
    ///   - buffer: what becomes of values that come faster than they are taken.
    ///   - replay: whether the present value comes first (G-149).
    /// - Returns: a sequence that never ends by itself.
    public func values(buffering buffer: ValueBuffer = .newest(1), replay: Bool = true) -> AsyncStream<Value>
    {
        let policy: AsyncStream<Value>.Continuation.BufferingPolicy
        switch buffer {
        case .all: policy = .unbounded
        case .newest(let limit):
            precondition(limit > 0, "values: the buffer must hold at least one value")
            policy = .bufferingNewest(limit)
        }
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
        let bag = CancellableBag(name: "an asynchronous sequence")
        let key = ObjectIdentifier(bag)
        let handle = graph.handle
        graph.bridges[key] = bag
        continuation.onTermination = { _ in handle.submit { graph in graph.bridges[key] = nil } }
        listen(in: bag, replay: replay) { continuation.yield($0) }
        return stream
    }
}
