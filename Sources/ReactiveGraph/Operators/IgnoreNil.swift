extension Node {
    /// The values that are not `nil`, as non-optional values.
    @inlinable
    public func ignoreNil<Wrapped>() -> Node<Wrapped> where Value == Wrapped? {
        let target = Node<Wrapped>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Filter") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Wrapped.self)
                }
                guard let wrapped = value else { return .nothing }
                return edge.store(wrapped)
            }
        )
        return target
    }
}
