// Listening later, on the graph's own thread (G-63). Closures may capture what they like.
extension Listenable {
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
        LaterListen.begin(node, bag, executor, replay, (file, line)) { value, _, _ in body(value) }
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
        LaterListen.begin(node, bag, executor, replay, (file, line)) { value, _, context in
            body(value, context)
        }
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
        LaterListen.begin(node, bag, executor, replay, (file, line), wantsPath: true, body)
    }

    /// As ``listen(owner:replay:file:line:_:)``, but each value is posted to `executor`.
    ///
    /// See ``Listenable/listen(in:on:replay:file:line:_:)-(_,LoopExecutor,_,_,_,_)``. After the
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
        LaterListen.begin(node, owner, executor, replay, (file, line)) { owner, value, _, _ in
            body(owner, value)
        }
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
        LaterListen.begin(node, owner, executor, replay, (file, line)) { owner, value, _, context in
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
        LaterListen.begin(node, owner, executor, replay, (file, line), wantsPath: true, body)
    }
}

/// A listen whose calls are posted: what they ask when they are about to run.
///
/// The posts hold it, and it holds nothing once the listen has ended.
private final class LaterListen<Value>: EdgeState {
    private var body: ((Value, Path, Context?) -> Void)?

    static func begin(
        _ node: Node<Value>,
        _ bag: CancellableBag,
        _ executor: any LoopExecutor,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        wantsPath: Bool = false,
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> CancelToken {
        let edge = edge(on: executor, wantsPath: wantsPath, body)
        return node.graph.listen(to: node, in: bag, replay: replay, at: place, edge)
    }

    static func begin<Owner: AnyObject>(
        _ node: Node<Value>,
        _ owner: Owner,
        _ executor: any LoopExecutor,
        _ replay: Bool,
        _ place: (file: String, line: Int),
        wantsPath: Bool = false,
        _ body: @escaping (Owner, Value, Path, Context?) -> Void
    ) -> CancelToken {
        weak let watched = owner
        func make() -> Edge {
            edge(on: executor, wantsPath: wantsPath, isOwned: { watched != nil }) {
                if let watched { body(watched, $0, $1, $2) }
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

    private static func edge(
        on executor: any LoopExecutor,
        wantsPath: Bool,
        isOwned: @escaping () -> Bool = { true },
        _ body: @escaping (Value, Path, Context?) -> Void
    ) -> Edge {
        let listen = LaterListen()
        listen.body = body
        return Edge.listening(wantsPath, isOwned, listen) { value, path, context in
            executor.post { listen.body?(value, path, context) }
        }
    }

    /// The listen has ended: what the closure holds goes when the outermost turn ends (G-66a).
    override func detach() -> AnyObject? {
        guard let ended = exchange(&body, with: nil) else { return nil }
        return Remains(ended)
    }
}

extension Edge {
    /// The edge of a listen that hands each value on with its path, if that is wanted, and context.
    static func listening<Value>(
        _ wantsPath: Bool,
        _ isOwned: @escaping () -> Bool,
        _ state: EdgeState,
        _ post: @escaping (Value, Path, Context?) -> Void
    ) -> Edge {
        let edge = Edge("Listen", wantsPath ? [.listener, .wantsPath] : .listener) { edge in
            guard isOwned() else { return .dead }
            guard case .value(let value) = edge.input(Value.self), let engine = edge.graph?.engine else {
                return .nothing
            }
            post(value, wantsPath ? engine.currentPath() : .empty, engine.currentContext)
            return .nothing
        }
        edge.needSide().state = state
        return edge
    }
}
