extension Node {
    /// The values for which `predicate` is true; others leave the old value in place (G-69).
    ///
    /// Example: 1, 2, 3 with `{ $0 > 1 }` emits 2, 3.
    @inlinable
    public func filter(_ predicate: @escaping (Value) -> Bool) -> Node<Value> {
        filtered("Filter", predicate)
    }

    @inlinable
    func filtered(_ name: String, _ predicate: @escaping (Value) -> Bool) -> Node<Value> {
        let target = Node<Value>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge(name) { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Value.self)
                }
                return predicate(value) ? edge.store(value) : .nothing
            }
        )
        return target
    }
}
