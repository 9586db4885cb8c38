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

        var ending: Ending? {
            if case .end(let ending) = self { ending } else { nil }
        }
    }

    private let state = Locked(State())
    /// Made with this, and never changed.
    nonisolated(unsafe) private var bell: (any LoopBell)?
    /// The loop of the graph, which holds it; any thread may ask it where it is.
    nonisolated(unsafe) private weak let executor: (any LoopExecutor)?

    init(_ executor: any LoopExecutor, of graph: Graph) {
        unsafe self.executor = executor
        unsafe bell = executor.makeBell { [weak self, weak graph] in self?.run(in: graph) }
    }

    /// Whether the caller is at the graph's home, or the graph is gone.
    var isHere: Bool { unsafe executor?.isCurrent ?? true }

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
        if isFirst { unsafe bell?.ring() }
        return isOpen
    }

    /// Runs what was posted, on the graph's thread; what ends may do so after the graph.
    private func run(in graph: Graph?) {
        for post in state.withLock({ exchange(&$0.posts, with: []) }) {
            precondition(
                graph.map { $0.engine.turnState.running == 0 } ?? true,
                "the executor ran a post inside a turn of the graph"
            )
            switch post {
            case .action(let action): if let graph { action(graph) }
            case .own: graph?.ownPosts.popFirst()?()
            case .end(let ending): ending.perform()
            }
        }
        withExtendedLifetime((self, graph)) {}
    }

    /// The graph is gone: what was posted is dropped, and what ends does so here.
    ///
    /// Elsewhere than at home it ends in a post, and `last` with it.
    func close(_ last: OwnedPart? = nil) {
        let last = last.map { Ending(part: .retaining($0)) }
        let (dropped, ends) = state.withLock { state in
            state.isClosed = true
            let posts = exchange(&state.posts, with: [])
            let ends = posts.compactMap(\.ending)
            guard let last else { return (posts, ends) }
            state.posts = (ends + [last]).map { .end($0) }
            return (posts, [])
        }
        if last != nil { unsafe bell?.ring() }
        // What dropping an action or ending a part brings about happens outside the lock.
        for ending in ends { ending.perform() }
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
                "handle: the graph has no executor; Graph(executor:) takes one, such as DispatchExecutor or ManualExecutor"
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
}
