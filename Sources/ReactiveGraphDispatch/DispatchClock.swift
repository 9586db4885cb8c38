public import Dispatch
public import ReactiveGraph

/// The time since the machine was started, sleep left out, for timed operators (G-112).
public final class DispatchClock: LoopClock {
    private let queue: DispatchQueue

    /// A clock that calls on `queue`, which is that of the graph.
    public init(queue: DispatchQueue) {
        self.queue = queue
    }

    /// The time by the system's monotonic clock.
    public var now: Duration {
        .nanoseconds(Int64(clamping: DispatchTime.now().uptimeNanoseconds))
    }

    /// See `LoopClock`.
    public func schedule(at deadline: Duration, _ action: @escaping () -> Void) -> any Cancellable {
        let (seconds, attoseconds) = max(deadline, .zero).components
        let nanoseconds = UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
        let item = DispatchWorkItem(block: action)
        queue.asyncAfter(deadline: DispatchTime(uptimeNanoseconds: nanoseconds), execute: item)
        return CancelToken { item.cancel() }
    }
}
