/// What happens to a node that is not an emission: it changes facets, and only listeners of events
/// receive it.
///
/// Like an emission it waits while the node is in a pass, so that no listener sees things out of
/// order (G-37).
@usableFromInline
indirect enum NodeSignal {
    case requested
    case progress(Double)
    case cancelled
    case notModified
    case failed(any Error, endsLoad: Bool)
    /// A load has ended, and its value follows: no event.
    case finished
    /// The node is about to be wiped: no event.
    case wiped

    /// Happens as a pass of `node`, or is queued after the one that is running.
    func send<Value>(to node: Core<Value>) {
        guard node.pass < 0 else {
            return node.enqueue(.empty, trail: nil, context: nil, signal: self)
        }
        withExtendedLifetime(node) {
            let engine = node.graph.engine
            let saved = engine.beginTurn(trail: nil, context: nil)
            engine.push(.to(node))
            unsafe engine.stack.frames[engine.stack.depth - 1].next = nil
            unsafe engine.stack.frames[engine.stack.depth - 1].transforms = true
            perform(on: node)
            engine.run(to: engine.stack.base)
            engine.endTurn(saved)
        }
    }

    /// Changes facets, and notifies listeners of events.
    func perform<Value>(on node: Core<Value>) {
        Facets.of(node).apply(self, at: node.graph.clock?.now)
        guard !node.graph.engine.turnState.isStopping else { return }
        for edge in node.listenEdges {
            // An earlier listener may have ended this one.
            guard let owned = edge.owners, owned.isActive, let listener = owned.livingListener() else {
                continue
            }
            edge.notify(self, of: node, to: listener)
        }
    }
}
