public import Dispatch
public import ReactiveGraph

extension Graph {
    /// A graph on the main thread, with the time of the system: for programs that need only one.
    @MainActor public static let main = Graph(
        clock: DispatchClock(queue: .main),
        executor: DispatchExecutor.main
    )

    /// A graph that belongs to `queue`, which must be serial, with the time of the system.
    ///
    /// Call it on that queue.
    public convenience init(queue: DispatchQueue, propagation: Propagation = .settled) {
        self.init(
            propagation: propagation,
            clock: DispatchClock(queue: queue),
            executor: DispatchExecutor(queue: queue)
        )
    }
}
