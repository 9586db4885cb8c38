extension Node where Value: Equatable {
    /// The values that differ from `ignored`.
    ///
    /// `ignore(nil)` drops `nil`.
    ///
    /// Example: 1, 2, 1 with `ignore(1)` emits 2.
    @inlinable
    public func ignore(_ ignored: Value) -> Node<Value> {
        filtered("Filter") { $0 != ignored }
    }

    /// The values equal to `selected`; repeated ones are all emitted.
    ///
    /// Example: 1, 2, 1 with `select(1)` emits 1, 1.
    @inlinable
    public func select(_ selected: Value) -> Node<Value> {
        filtered("Filter") { $0 == selected }
    }
}

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
