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
}
