internal import Support

/// The handle of a graph for other threads (G-109).
///
/// ```swift
/// let handle = speed.handle  // Sendable: may go anywhere
/// thread.post { handle.set(50) }
/// ```
/// What is submitted runs on the graph's own thread, in no turn of another's (G-110); what one
/// thread submits runs in the order submitted. A handle does not keep its graph alive: what is
/// submitted to a graph that is gone is dropped.
public final class GraphHandle: Sendable {
    private struct State {
        var posts: [Post] = []
        var isClosed = false
    }

    enum Post: Sendable {
        /// Submitted by any thread.
        case action(@Sendable (Graph) -> Void)
        /// Stands for the next of the actions that wait on the graph's own side.
        case own
        /// What belonged to an object that another thread has freed.
        case end(Ending)
    }

    private let state = Locked(State())
    private let bell: any LoopBell
    /// The loop of the graph, which holds it; any thread may ask it where it is.
    nonisolated(unsafe) private weak let executor: (any LoopExecutor)?

    init(_ executor: any LoopExecutor, _ bell: any LoopBell) {
        self.executor = executor
        self.bell = bell
    }

    /// Whether the caller is at the graph's home, or the graph is gone.
    var isHere: Bool { executor?.isCurrent ?? true }

    /// Runs `action` on the graph's own thread, as a turn of its own.
    ///
    /// Called on any thread.
    ///
    /// - Returns: false if the graph is gone; nothing will run then.
    @discardableResult
    public func submit(_ action: @escaping @Sendable (Graph) -> Void) -> Bool {
        post(.action(action))
    }

    func post(_ post: Post) -> Bool {
        let (isOpen, isFirst) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.posts.append(post)
            return (true, state.posts.count == 1)
        }
        if isFirst { bell.ring() }
        return isOpen
    }

    func takeAll() -> [Post] {
        state.withLock { exchange(&$0.posts, with: []) }
    }

    /// The graph is gone.
    func close() {
        let dropped = state.withLock { state in
            state.isClosed = true
            return exchange(&state.posts, with: [])
        }
        // What dropping an action or ending a part brings about happens outside the lock.
        for case .end(let ending) in dropped { ending.perform() }
        withExtendedLifetime(dropped) {}
    }
}

extension Graph {
    /// The handle of this graph for other threads.
    ///
    /// The graph needs an executor. Asked for on the graph's own thread; the handle may go
    /// anywhere.
    public var handle: GraphHandle {
        guard let ownHandle else {
            preconditionFailure(
                "handle: the graph has no executor; make it with Graph(executor:), in tests with a ManualExecutor"
            )
        }
        return ownHandle
    }

    /// Runs `action` later on this graph's own thread, as a turn of its own (G-109).
    ///
    /// Called on that thread; for other threads there is ``handle``. The order among everything
    /// submitted on this thread is kept.
    public func submit(_ action: @escaping () -> Void) {
        checkThread("submit")
        ownPosts.append(action)
        _ = handle.post(.own)
    }

    func runPosts() {
        for post in handle.takeAll() {
            precondition(engine.turns == 0, "the executor ran a post inside a turn of the graph")
            switch post {
            case .action(let action): action(self)
            case .own: ownPosts.popFirst()?()
            case .end(let ending): ending.perform()
            }
        }
        withExtendedLifetime(self) {}
    }
}
