extension Node {
    /// The values that a predicate accepts which may throw (G-99).
    ///
    /// What it throws goes to the graph's ``Graph/onError``; that value is not emitted, and other
    /// branches are served.
    @inlinable
    public func tryFilter(_ isIncluded: @escaping (Value) throws -> Bool) -> Node<Value> {
        apply(
            TryMap(name: "Filter", operation: "tryFilter") { value in
                try isIncluded(value) ? .some(value) : .none
            }
        )
    }
}
