public import Dispatch
public import ReactiveGraph

/// A serial dispatch queue as the loop of a graph (G-108, G-109).
///
/// Everything that concerns the graph happens on that queue: make the graph there, and come from
/// elsewhere by its handles.
public final class DispatchExecutor: LoopExecutor {
    private static let key = DispatchSpecificKey<ObjectIdentifier>()

    /// The main queue.
    ///
    /// A program without a run loop of its own ends with `dispatchMain()`.
    @MainActor public static let main = DispatchExecutor(queue: .main)

    /// The queue on which all happens.
    public let queue: DispatchQueue

    /// The loop of `queue`, which must be serial.
    public init(queue: DispatchQueue) {
        self.queue = queue
        queue.setSpecific(key: Self.key, value: ObjectIdentifier(queue))
    }

    /// Whether the caller is on the queue.
    public var isCurrent: Bool {
        DispatchQueue.getSpecific(key: Self.key) == ObjectIdentifier(queue)
    }

    /// See `LoopExecutor`.
    public func post(_ action: @escaping () -> Void) {
        // It does not leave the queue: it is posted there and runs there.
        nonisolated(unsafe) let action = action
        queue.async { unsafe action() }
    }

    /// See `LoopExecutor`.
    public func makeBell(_ action: @escaping () -> Void) -> any LoopBell {
        DispatchBell(queue, action)
    }
}

/// Wakes a queue; rings are counted together by the system until the action runs.
///
/// Unchecked, because a dispatch source may be used from any thread, and says so nowhere the
/// compiler sees.
private final class DispatchBell: LoopBell, @unchecked Sendable {
    private let source: any DispatchSourceUserDataAdd

    init(_ queue: DispatchQueue, _ action: @escaping () -> Void) {
        source = DispatchSource.makeUserDataAddSource(queue: queue)
        nonisolated(unsafe) let action = action
        source.setEventHandler { unsafe action() }
        source.activate()
    }

    deinit {
        source.cancel()
    }

    func ring() {
        source.add(data: 1)
    }
}

/// A serial queue runs what a graph sends to another thread.
///
/// ```swift
/// prices.listen(in: bag, on: worker) { result.set($0.reduce(0, +)) }
/// ```
extension DispatchQueue: GraphExecutor {
    /// Calls `action` on this queue, in the order posted if the queue is serial.
    public func post(_ action: @escaping @Sendable () -> Void) {
        async(execute: action)
    }
}
