extension Node {
    /// The values that a predicate accepts which may throw (G-99).
    ///
    /// What it throws goes to the graph's ``Graph/onError``; that value is not emitted, and other branches are served.
    @inlinable
    public func tryFilter(_ isIncluded: @escaping (Value) throws -> Bool) -> Node<Value> {
        let target = Node<Value>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Filter") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Value.self)
                }
                guard case .success(true) = edge.attempt("tryFilter", { try isIncluded(value) }) else {
                    return .nothing
                }
                return edge.store(value)
            }
        )
        return target
    }
}
