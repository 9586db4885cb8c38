// Listening later, on the graph's own thread (G-63). Closures may capture what they like.
extension Node {
    /// As ``listen(in:replay:file:line:_:)``, but each value, that of the replay too, is posted to
    /// `executor`, and `body` runs when its turn comes: a set returns before.
    ///
    /// `executor` is the graph's own loop, or another queue of the same thread. Values arrive in
    /// order, and none is left out; one that is on its way keeps nothing alive, and is dropped when
    /// the listen ends. How many may be on their way is not bounded: where the executor may fall
    /// behind, listen to a ``Node/deliver(on:buffer:control:)``.
    @discardableResult
    public func listen(
        in bag: CancellableBag,
        on executor: any LoopExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value) -> Void
    ) -> CancelToken {
        let life = ListenLife { value, _, _ in body(value) }
        return graph.listen(
            to: self,
            in: bag,
            replay: replay,
            at: (file, line),
            life.edge(of: Value.self, on: executor)
        )
    }

    /// As the form without, with the context of each emission.
    @discardableResult
    public func listenWithContext(
        in bag: CancellableBag,
        on executor: any LoopExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value, Context?) -> Void
    ) -> CancelToken {
        let life = ListenLife { value, _, context in body(value, context) }
        return graph.listen(
            to: self,
            in: bag,
            replay: replay,
            at: (file, line),
            life.edge(of: Value.self, on: executor)
        )
    }

    /// As the form without, with the path and the context of each emission.
    @discardableResult
    public func listenWithPath(
        in bag: CancellableBag,
        on executor: any LoopExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> CancelToken {
        let life = ListenLife(body)
        let edge = life.edge(of: Value.self, on: executor, wantsPath: true)
        return graph.listen(to: self, in: bag, replay: replay, at: (file, line), edge)
    }

    /// As ``listen(owner:replay:file:line:_:)``, but each value is posted to `executor`.
    ///
    /// See ``listen(in:on:replay:file:line:_:)-(_,LoopExecutor,_,_,_,(Value)->Void)``. After the
    /// owner's death nothing is called.
    @discardableResult
    public func listen<Owner: AnyObject>(
        owner: Owner,
        on executor: any LoopExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value) -> Void
    ) -> CancelToken {
        listenLater(owner, executor, replay, (file, line)) { owner, value, _, _ in body(owner, value) }
    }

    /// As the form without, with the context of each emission.
    @discardableResult
    public func listenWithContext<Owner: AnyObject>(
        owner: Owner,
        on executor: any LoopExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value, Context?) -> Void
    ) -> CancelToken {
        listenLater(owner, executor, replay, (file, line)) { owner, value, _, context in
            body(owner, value, context)
        }
    }

    /// As the form without, with the path and the context of each emission.
    @discardableResult
    public func listenWithPath<Owner: AnyObject>(
        owner: Owner,
        on executor: any LoopExecutor,
        replay: Bool = true,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        listenLater(owner, executor, replay, (file, line), wantsPath: true, body)
    }

    private func listenLater<Owner: AnyObject>(
        _ owner: Owner,
        _ executor: any LoopExecutor,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        wantsPath: Bool = false,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        let life = ListenLife<Value> { [weak owner] value, path, context in
            if let owner { body(owner, value, path, context) }
        }
        func edge() -> Edge {
            life.edge(of: Value.self, on: executor, wantsPath: wantsPath) { [weak owner] in owner != nil }
        }
        return graph.listen(to: self, owner: owner, replay: replay, at: place, owned: edge(), foreign: edge)
    }
}

/// A listen whose calls are posted: what they ask when they are about to run.
///
/// The posts hold it, and it holds nothing once the listen has ended.
private final class ListenLife<Value>: EdgeState {
    private var body: ((Value, Path, Context?) -> Void)?

    init(_ body: @escaping (Value, Path, Context?) -> Void) {
        self.body = body
    }

    /// The listen has ended: what the closure holds goes when the outermost turn ends (G-66a).
    override func detach() -> AnyObject? {
        guard let ended = exchange(&body, with: nil) else { return nil }
        return Remains(ended)
    }

    func edge(
        of type: Value.Type,
        on executor: any LoopExecutor,
        wantsPath: Bool = false,
        isOwned: @escaping () -> Bool = { true }
    ) -> Edge {
        let edge = Edge("Listen", wantsPath ? [.listener, .wantsPath] : .listener) { edge in
            guard isOwned() else { return .dead }
            guard case .value(let value) = edge.input(Value.self), let graph = edge.graph else {
                return .nothing
            }
            let path = wantsPath ? graph.currentPath() : .empty
            let context = graph.currentContext
            executor.post { self.body?(value, path, context) }
            return .nothing
        }
        edge.needSide().state = self
        return edge
    }
}
