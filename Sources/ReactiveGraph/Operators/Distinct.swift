extension Node {
    /// The values that differ from what the *new node* holds at that time, whoever put it there (G-71).
    ///
    /// Example: 1, 1, 2, 1 emits 1, 2, 1.
    ///
    /// - Parameter areEqual: says whether the held value (first) and the new one (second) are the same.
    /// - Returns: the new node.
    @inlinable
    public func distinctUntilChanged(by areEqual: @escaping (Value, Value) -> Bool) -> Node<Value> {
        let target = Node<Value>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Distinct") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Value.self)
                }
                guard let target = edge.target(as: Value.self) else { return .nothing }
                if case .value(let held) = target._withUnsafeGuaranteedRef({ $0.stored }),
                    areEqual(held, value)
                {
                    return .nothing
                }
                return edge.store(value)
            }
        )
        return target
    }
}

extension Node where Value: Equatable {
    /// The values that differ from what the new node holds at that time.
    ///
    /// `nil` equals `nil` (G-71).
    @inlinable
    public func distinctUntilChanged() -> Node<Value> {
        distinctUntilChanged(by: ==)
    }
}
