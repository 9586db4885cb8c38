internal import Support
internal import Synchronization

/// A loop that runs what was posted when its caller says so, on the caller's thread.
///
/// ```swift
/// let loop = ManualExecutor()
/// let graph = Graph(executor: loop)
/// let node = graph.mutable(1)
/// node.setLater(2)
/// print(node)  // prints undefined: 1
/// loop.run()
/// print(node)  // prints undefined: 2
/// ```
public final class ManualExecutor: LoopExecutor {
    private final class Bell: LoopBell {
        let isRung = Atomic(false)

        func ring() { isRung.store(true, ordering: .releasing) }
    }

    private struct Listener {
        weak let bell: Bell?
        let action: () -> Void
    }

    private var actions = Queue<() -> Void>()
    private var listeners: [Listener] = []
    private var isRunning = false
    /// The thread that made it, or has run it since.
    private let thread = Atomic(currentThread)

    /// An executor with nothing to do.
    public init() {}

    /// Whether something was posted, or a bell was rung, that has not run yet.
    public var hasWork: Bool { !actions.isEmpty || listeners.contains { isRung($0) } }

    /// Whether the caller's thread is the one that made it, or has run it since.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == currentThread }

    /// See ``LoopExecutor/post(_:)``.
    public func post(_ action: @escaping () -> Void) {
        actions.append(action)
    }

    /// See ``LoopExecutor/makeBell(_:)``.
    public func makeBell(_ action: @escaping () -> Void) -> any LoopBell {
        let bell = Bell()
        listeners.removeAll { $0.bell == nil }
        listeners.append(Listener(bell: bell, action: action))
        return bell
    }

    /// Runs everything posted, and what that posts, until nothing is left.
    ///
    /// Does nothing when called by an action.
    public func run() {
        guard !isRunning else { return }
        thread.store(currentThread, ordering: .relaxed)
        isRunning = true
        defer { isRunning = false }
        while hasWork {
            while let action = actions.popFirst() { action() }
            for listener in listeners where isRung(listener) {
                listener.bell?.isRung.store(false, ordering: .relaxed)
                listener.action()
            }
        }
    }

    private func isRung(_ listener: Listener) -> Bool {
        listener.bell?.isRung.load(ordering: .acquiring) ?? false
    }
}

/// Stands for another thread in tests: runs what was posted when the test says so.
public final class ManualThread: GraphExecutor {
    private let actions = Locked(Queue<@Sendable () -> Void>())

    /// A thread with nothing to do.
    public init() {}

    /// How many actions wait.
    public var pendingCount: Int { actions.withLock { $0.count } }

    /// See ``GraphExecutor/post(_:)``.
    public func post(_ action: @escaping @Sendable () -> Void) {
        actions.withLock { $0.append(action) }
    }

    /// Runs everything posted, and what that posts, until nothing is left.
    public func run() {
        while let action = actions.withLock({ $0.popFirst() }) { action() }
    }
}
