extension Node {
    /// The transform of each value.
    ///
    /// The function is called once per value and per edge.
    ///
    /// Example: 1, 2 with `{ $0 * 10 }` emits 10, 20.
    @inlinable
    public func map<Out>(_ transform: @escaping (Value) -> Out) -> Node<Out> {
        let target = Node<Out>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Map") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                return edge.store(transform(value))
            }
        )
        return target
    }

}
