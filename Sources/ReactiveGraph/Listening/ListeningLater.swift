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
        let edge = Edge.listening(on: executor, .listener) { (emission: Emission<Value>, _) in
            if let value = emission.value { body(value) }
        }
        return node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), edge)
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
        let edge = Edge.listening(on: executor, .listener, isOwned: { [weak owner] in owner != nil }) {
            [weak owner] (emission: Emission<Value>, _) in
            if let owner, let value = emission.value { body(owner, value) }
        }
        return node.graph.listen(to: node, owner: owner, replay: replay, at: (file, line), edge)
    }

    /// As ``listenEmissions(in:replay:paths:file:line:_:)``, but each emission is posted to
    /// `executor`.
    @discardableResult
    public func listenEmissions(
        in bag: CancellableBag,
        on executor: any LoopExecutor,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        let edge = Edge.listening(on: executor, .emissions(paths: paths), body)
        return node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), edge)
    }

    /// As ``listenEmissions(owner:replay:paths:file:line:_:)``, but each emission is posted to
    /// `executor`.
    @discardableResult
    public func listenEmissions<Owner: AnyObject>(
        owner: Owner,
        on executor: any LoopExecutor,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping (Owner, Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        let traits = EdgeTraits.emissions(paths: paths)
        let edge = Edge.listening(on: executor, traits, isOwned: { [weak owner] in owner != nil }) {
            [weak owner] (emission: Emission<Value>, delivery: Delivery) in
            if let owner { body(owner, emission, delivery) }
        }
        return node.graph.listen(to: node, owner: owner, replay: replay, at: (file, line), edge)
    }
}

extension EdgeTraits {
    /// Those of a listen for emissions.
    @usableFromInline
    static func emissions(paths: Bool) -> EdgeTraits {
        paths ? [.listener, .receivesEmpty, .wantsPath] : [.listener, .receivesEmpty]
    }
}

extension Edge {
    /// A listen edge that posts its calls of `body`.
    fileprivate static func listening<Value>(
        on executor: any LoopExecutor,
        _ traits: EdgeTraits,
        isOwned: @escaping () -> Bool = { true },
        _ body: @escaping (Emission<Value>, Delivery) -> Void
    ) -> Edge {
        let listen = LaterListen(body)
        return Edge.listening(traits, isOwned, listen) { emission, path, context in
            executor.post { listen.body?(emission, Delivery(path: path, context: context)) }
        }
    }

    /// The edge of a listen that hands each emission on with its path, if that is wanted, and
    /// context.
    static func listening<Value>(
        _ traits: EdgeTraits,
        _ isOwned: @escaping () -> Bool,
        _ state: EdgeState,
        _ post: @escaping (Emission<Value>, Path, Context?) -> Void
    ) -> Edge {
        let edge = Edge("Listen", traits) { edge in
            guard isOwned(), let engine = edge.graph?.engine else { return .dead }
            let emission = edge.input(Value.self)
            guard !emission.isEmpty || traits.contains(.receivesEmpty) else { return .nothing }
            let path = traits.contains(.wantsPath) ? engine.currentPath() : .empty
            post(emission, path, engine.currentContext)
            return .nothing
        }
        edge.needSide().state = state
        return edge
    }
}

/// A listen whose calls are posted: what they ask when they are about to run.
///
/// The posts hold it, and it holds nothing once the listen has ended.
private final class LaterListen<Value>: EdgeState {
    private(set) var body: ((Emission<Value>, Delivery) -> Void)?

    init(_ body: @escaping (Emission<Value>, Delivery) -> Void) {
        self.body = body
    }

    /// The listen has ended: what the closure holds goes when the outermost turn ends (G-66a).
    override func detach() -> AnyObject? {
        guard let ended = exchange(&body, with: nil) else { return nil }
        return Remains(ended)
    }
}
