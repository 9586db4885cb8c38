extension Node {
    /// Calls `body` with each emission of this node, before any listener receives it; `nil` ends
    /// that.
    ///
    /// A note that belongs to the node itself: it holds no node and keeps none alive, and is not
    /// counted. There is one for each node.
    package func observe(_ body: ((Emission<Value>) -> Void)?) {
        let core = typedCore
        guard body != nil || core.side != nil else { return }
        let side = core.needSide()
        if let former = side.observer {
            // It may be running.
            graph.engine.teardown.retired.append(former)
            side.observer = nil
            former.detachSource(in: graph)
        }
        guard let body else { return graph.engine.releaseDue() }
        let edge = Edge("Observe", [.listener, .own]) { edge in
            body(edge.input(Value.self))
            return .nothing
        }
        side.observer = edge
        edge.attachFirst(to: core)
    }
}
