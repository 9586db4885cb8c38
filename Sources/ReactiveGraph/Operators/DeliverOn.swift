extension Node {
    /// Every value, later on the graph's own thread, when `executor` runs what was posted (G-73).
    ///
    /// Each value is posted by itself, none is left out, and order, path and context are kept.
    /// Values on their way are dropped when the edge is cancelled or the new node is freed; they
    /// keep nothing alive. To work on another thread,
    /// ``Listenable/listen(in:on:replay:file:line:_:)-(_,GraphExecutor,_,_,_,_)`` there and come
    /// back through a ``NodeHandle``.
    ///
    /// - Parameters:
    ///   - executor: the graph's own loop, or another queue of the same thread.
    ///   - buffer: how many values may be on their way (G-142).
    ///   - control: counts what waits and what is dropped.
    /// - Returns: the new node.
    public func deliver(
        on executor: any LoopExecutor,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<Value> {
        buffer.require(for: "deliver")
        let state = DeliverOn<Value>(executor, Backlog(buffer, control))
        let edge = Edge("Deliver", .asynchronous) { edge in state.receive(edge) }
        state.edge = .to(edge)
        edge.needSide().state = state
        return derive(edge)
    }
}

/// The values on their way through an executor.
///
/// They are not saved: another executor has them.
private final class DeliverOn<Value>: EdgeState {
    private let executor: any LoopExecutor
    private let entries: Backlog<HeldEmission<Value>>
    /// Posts that have not come back: never fewer than there are entries, and no more than the
    /// buffer has held.
    private var posted = 0
    /// Posts of values that were dropped with a former end: they come first, and nothing arrives
    /// with them.
    private var blanks = 0
    var edge: EdgeRef?

    init(_ executor: any LoopExecutor, _ entries: Backlog<HeldEmission<Value>>) {
        self.executor = executor
        self.entries = entries
    }

    func receive(_ edge: Edge) -> Outcome {
        let emission = edge.input(Value.self)
        if emission.isEmpty, !edge.traits.contains(.propagatesEmpty) { return .nothing }
        guard let graph = edge.graph else { return .nothing }
        entries.append(
            HeldEmission(emission, trail: graph.engine.captureTrail(), context: graph.engine.currentContext),
            of: edge
        )
        if posted < entries.count {
            posted += 1
            executor.post { [weak self] in self?.arrive() }
        }
        return .nothing
    }

    override func detach() -> AnyObject? {
        blanks += posted
        posted = 0
        return entries.removeAll()
    }

    private func arrive() {
        guard blanks == 0 else {
            blanks -= 1
            return
        }
        posted -= 1
        guard let edge, let entry = entries.popFirst() else { return }
        Due(edge.object, entry)?.perform()
    }
}
