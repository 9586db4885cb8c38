/// The loop that a graph belongs to, as the graph sees it: runs actions later, on the graph's own
/// thread.
///
/// ``ManualExecutor`` stands for it in tests. An adapter of a real loop is an object of that loop's
/// thread, which keeps the actions in a queue of its own; for ``makeBell(_:)`` it uses what wakes
/// the loop from outside, such as libuv's `uv_async_t`.
public protocol LoopExecutor: AnyObject {
    /// Calls `action` once, later, in no turn; several in the order posted. Called on the loop's
    /// own thread.
    func post(_ action: @escaping () -> Void)

    /// A bell that any thread may ring: `action` then runs at least once afterwards, on the loop's
    /// thread and in no turn. Nothing runs any more once the bell has been let go. Called on the
    /// loop's own thread.
    func makeBell(_ action: @escaping () -> Void) -> any LoopBell

    /// Whether the caller is on the loop's thread. Any thread may ask: when something of the graph
    /// is freed (G-165), and in debug builds at every call.
    var isCurrent: Bool { get }
}

/// Wakes a loop from any thread.
public protocol LoopBell: Sendable {
    /// Makes the bell's action run again. Several rings before it runs count as one.
    func ring()
}

/// Runs actions one after the other, in the order posted, on whatever thread it likes: a worker,
/// the main thread, another loop (G-63, G-113).
///
/// What is sent to it is `@Sendable` and carries `Sendable` values. Results come back through a
/// ``NodeHandle`` or ``GraphHandle/submit(_:)``.
public protocol GraphExecutor: Sendable {
    /// Calls `action` once, later. Called on any thread.
    func post(_ action: @escaping @Sendable () -> Void)
}
