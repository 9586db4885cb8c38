extension Node {
    /// A node that follows this one, value for value.
    @inlinable
    public func fork() -> Node<Value> {
        let target = Node<Value>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Link") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Value.self)
                }
                return edge.store(value)
            }
        )
        return target
    }

    /// Hands this node to `body` at once, once, and returns it (G-69).
    @inlinable
    @discardableResult
    public func then(_ body: (Node<Value>) throws -> Void) rethrows -> Self {
        try body(self)
        return self
    }
}
