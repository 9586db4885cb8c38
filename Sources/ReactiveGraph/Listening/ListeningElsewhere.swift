internal import Synchronization

// Listening on another thread (G-63, G-113): values and closures that go there are Sendable, and
// the compiler sees to it.
extension Listenable where Value: Sendable {
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
        RemoteListen.begin(node, bag, executor, replay, (file, line)) { value, _, _ in body(value) }
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
        RemoteListen.begin(node, bag, executor, replay, (file, line)) { value, _, context in
            body(value, context)
        }
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
        RemoteListen.begin(node, bag, executor, replay, (file, line), wantsPath: true, body)
    }

    /// As ``Listenable/listen(in:on:replay:file:line:_:)-(_,GraphExecutor,_,_,_,_)``, for as long
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
        RemoteListen.begin(node, owner, executor, replay, (file, line)) { owner, value, _, _ in
            body(owner, value)
        }
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
        RemoteListen.begin(node, owner, executor, replay, (file, line)) { owner, value, _, context in
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
        RemoteListen.begin(node, owner, executor, replay, (file, line), wantsPath: true, body)
    }
}

/// Notifies the calls of a listen on another thread that its edge has lost an end.
private final class RemoteListen: EdgeState {
    /// Whether the listen has ended, for any thread.
    private final class End: Sendable {
        let hasCome = Atomic(false)
    }

    private let end = End()

    static func begin<Value: Sendable>(
        _ node: Node<Value>,
        _ bag: CancellableBag,
        _ executor: any GraphExecutor,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        wantsPath: Bool = false,
        _ body: @escaping @Sendable (Value, Path, Context?) -> Void
    ) -> CancelToken {
        let edge = edge(on: executor, wantsPath: wantsPath, body)
        return node.graph.listen(to: node, in: bag, replay: replay, at: place, edge)
    }

    static func begin<Value: Sendable, Owner: AnyObject & Sendable>(
        _ node: Node<Value>,
        _ owner: Owner,
        _ executor: any GraphExecutor,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        wantsPath: Bool = false,
        _ body: @escaping @Sendable (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        weak let watched = owner
        func make() -> Edge {
            edge(on: executor, wantsPath: wantsPath, isOwned: { watched != nil }) {
                (value: Value, path, context) in
                if let watched { body(watched, value, path, context) }
            }
        }
        return node.graph.listen(
            to: node,
            owner: owner,
            replay: replay,
            at: place,
            owned: make(),
            foreign: make
        )
    }

    private static func edge<Value: Sendable>(
        on executor: any GraphExecutor,
        wantsPath: Bool,
        isOwned: @escaping () -> Bool = { true },
        _ body: @escaping @Sendable (Value, Path, Context?) -> Void
    ) -> Edge {
        let listen = RemoteListen()
        let end = listen.end
        return Edge.listening(wantsPath, isOwned, listen) { (value: Value, path, context) in
            executor.post {
                if !end.hasCome.load(ordering: .acquiring) { body(value, path, context) }
            }
        }
    }

    override func detach() -> AnyObject? {
        end.hasCome.store(true, ordering: .releasing)
        return nil
    }
}
