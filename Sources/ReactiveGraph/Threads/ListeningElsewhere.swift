internal import Synchronization

// Listening on another thread (G-63, G-113): values and closures that go there are Sendable, and
// the compiler sees to it.
extension Node where Value: Sendable {
    /// Calls `body` on `executor`, which may be a queue of another thread, with the current value,
    /// if there is one and `replay` is true, and with every later value.
    ///
    /// A set returns before `body` runs. Values arrive in order, and none is left out, so how many
    /// may be on their way is not bounded: where the thread may fall behind, listen to a
    /// ``Node/sample(every:dropsWhenCleared:control:)``, or follow the node from a graph of that
    /// thread by a bridge with a buffer. After the listen has ended nothing more is called; a call
    /// that has begun by then, on its own thread, goes on. Nothing of the graph may be touched by
    /// `body`: results come back through a handle.
    ///
    /// ```swift
    /// let result = answer.handle
    /// question.listen(in: bag, on: workers) { result.set($0.reduce(0, +)) }
    /// ```
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: any GraphExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Value) -> Void
    ) -> CancelToken {
        let remote = RemoteListen<Value>(executor) { value, _, _ in body(value) }
        return graph.listen(to: self, in: bag, replay: replay, at: (file, line), remote.edge())
    }

    /// As the form without, with the context of each emission.
    @discardableResult
    public func listenWithContext(
        in bag: CancellableBag,
        on executor: any GraphExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Value, Context?) -> Void
    ) -> CancelToken {
        let remote = RemoteListen<Value>(executor) { value, _, context in body(value, context) }
        return graph.listen(to: self, in: bag, replay: replay, at: (file, line), remote.edge())
    }

    /// As the form without, with the path and the context of each emission.
    @discardableResult
    public func listenWithPath(
        in bag: CancellableBag,
        on executor: any GraphExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Value, Path, Context?) -> Void
    ) -> CancelToken {
        let remote = RemoteListen<Value>(executor, body)
        return graph.listen(to: self, in: bag, replay: replay, at: (file, line), remote.edge(wantsPath: true))
    }

    /// As ``listen(in:on:replay:file:line:_:)-(_,GraphExecutor,_,_,_,(Value)->Void)``, for as long
    /// as `owner` lives, with the owner.
    ///
    /// The owner is held while `body` runs, so it may die on the executor's thread.
    @discardableResult
    public func listen<Owner: AnyObject & Sendable>(
        owner: Owner,
        on executor: any GraphExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Owner, Value) -> Void
    ) -> CancelToken {
        listenElsewhere(owner, executor, replay, (file, line)) { owner, value, _, _ in body(owner, value) }
    }

    /// As the form without, with the context of each emission.
    @discardableResult
    public func listenWithContext<Owner: AnyObject & Sendable>(
        owner: Owner,
        on executor: any GraphExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        listenElsewhere(owner, executor, replay, (file, line)) { owner, value, _, context in
            body(owner, value, context)
        }
    }

    /// As the form without, with the path and the context of each emission.
    @discardableResult
    public func listenWithPath<Owner: AnyObject & Sendable>(
        owner: Owner,
        on executor: any GraphExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenElsewhere(owner, executor, replay, (file, line), wantsPath: true, body)
    }

    private func listenElsewhere<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        _ executor: any GraphExecutor,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        wantsPath: Bool = false,
        _ body: @escaping @Sendable (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        weak let watched = owner
        let remote = RemoteListen<Value>(executor) { value, path, context in
            if let watched { body(watched, value, path, context) }
        }
        return graph.listen(
            to: self,
            owner: owner,
            replay: replay,
            at: place,
            owned: remote.edge(wantsPath: wantsPath),
            foreign: { remote.edge(wantsPath: wantsPath) { watched != nil } }
        )
    }
}

/// A listen whose calls run on another thread, and whether it has ended.
private final class RemoteListen<Value: Sendable>: Sendable {
    private let executor: any GraphExecutor
    private let body: @Sendable (Value, Path, Context?) -> Void
    fileprivate let hasEnded = Atomic(false)

    init(_ executor: any GraphExecutor, _ body: @escaping @Sendable (Value, Path, Context?) -> Void) {
        self.executor = executor
        self.body = body
    }

    func edge(wantsPath: Bool = false, isOwned: @escaping () -> Bool = { true }) -> Edge {
        let edge = Edge("Listen", wantsPath ? [.listener, .wantsPath] : .listener) { edge in
            guard isOwned() else { return .dead }
            guard case .value(let value) = edge.input(Value.self), let graph = edge.graph else {
                return .nothing
            }
            let path = wantsPath ? graph.currentPath() : .empty
            let context = graph.currentContext
            self.executor.post { [self] in
                if !hasEnded.load(ordering: .acquiring) { body(value, path, context) }
            }
            return .nothing
        }
        edge.needSide().state = RemoteListenState(self)
        return edge
    }
}

/// Notifies a listen on another thread that its edge has lost an end.
private final class RemoteListenState<Value: Sendable>: EdgeState {
    private let remote: RemoteListen<Value>

    init(_ remote: RemoteListen<Value>) {
        self.remote = remote
    }

    override func detach() -> AnyObject? {
        remote.hasEnded.store(true, ordering: .releasing)
        return nil
    }
}
