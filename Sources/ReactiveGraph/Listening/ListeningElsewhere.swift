internal import Synchronization

// Listening on another thread (G-63, G-113): values and closures that go there are Sendable, and
// the compiler sees to it.
extension Listenable where Value: Sendable {
    /// Calls `body` on `executor`, which may be a queue of another thread, with the current value,
    /// if there is one and `replay` is true, and with every later value.
    ///
    /// A set returns before `body` runs. Values arrive in order, and none is left out, so how many
    /// may be on their way is not bounded: where the thread may fall behind, listen to a
    /// ``Node/sample(every:edge:dropsWhenCleared:control:)``, or follow the node from a graph of
    /// that thread by a bridge with a buffer. After the listen has ended nothing more is called; a
    /// call that has begun by then, on its own thread, goes on. Nothing of the graph may be touched
    /// by `body`: results come back through a handle.
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
        let edge = Edge.listening(on: executor, .listener) { (emission: Emission<Value>, _) in
            if let value = emission.value { body(value) }
        }
        return node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), edge)
    }

    /// As the form with a bag, for as long as `owner` lives, with the owner.
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
        let edge = Edge.listening(on: executor, .listener, isOwned: { [weak owner] in owner != nil }) {
            [weak owner] (emission: Emission<Value>, _) in
            if let owner, let value = emission.value { body(owner, value) }
        }
        return node.graph.listen(to: node, owner: owner, replay: replay, at: (file, line), edge)
    }

    /// As the form on the graph's own thread, but each emission is sent to `executor`.
    @discardableResult
    public func listenEmissions(
        in bag: CancellableBag,
        on executor: any GraphExecutor,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        let edge = Edge.listening(on: executor, .emissions(paths: paths), body)
        return node.graph.listen(to: node, in: bag, replay: replay, at: (file, line), edge)
    }

    /// As the form on the graph's own thread, but each emission is sent to `executor`.
    @discardableResult
    public func listenEmissions<Owner: AnyObject & Sendable>(
        owner: Owner,
        on executor: any GraphExecutor,
        replay: Bool = true,
        paths: Bool = false,
        file: String = #fileID,
        line: Int = #line,
        _ body: @escaping @Sendable (Owner, Emission<Value>, Delivery) -> Void
    ) -> CancelToken {
        let traits = EdgeTraits.emissions(paths: paths)
        let edge = Edge.listening(on: executor, traits, isOwned: { [weak owner] in owner != nil }) {
            [weak owner] (emission: Emission<Value>, delivery: Delivery) in
            if let owner { body(owner, emission, delivery) }
        }
        return node.graph.listen(to: node, owner: owner, replay: replay, at: (file, line), edge)
    }
}

extension Edge {
    /// A listen edge that sends its calls of `body` to another thread.
    fileprivate static func listening<Value: Sendable>(
        on executor: any GraphExecutor,
        _ traits: EdgeTraits,
        isOwned: @escaping () -> Bool = { true },
        _ body: @escaping @Sendable (Emission<Value>, Delivery) -> Void
    ) -> Edge {
        let listen = RemoteListen()
        let end = listen.end
        return Edge.listening(traits, isOwned, listen) { (emission: Emission<Value>, path, context) in
            executor.post {
                guard !end.hasCome.load(ordering: .acquiring) else { return }
                body(emission, Delivery(path: path, context: context))
            }
        }
    }
}

/// Notifies the calls of a listen on another thread that its edge has lost an end.
private final class RemoteListen: EdgeState {
    /// Whether the listen has ended, for any thread.
    final class End: Sendable {
        let hasCome = Atomic(false)
    }

    let end = End()

    override func detach() -> AnyObject? {
        end.hasCome.store(true, ordering: .releasing)
        return nil
    }
}
