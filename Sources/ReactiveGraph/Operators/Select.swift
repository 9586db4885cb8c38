extension Node where Value: Equatable {
    /// The values equal to `selected`; repeated ones are all emitted.
    ///
    /// Example: 1, 2, 1 with `select(1)` emits 1, 1.
    @inlinable
    public func select(_ selected: Value) -> Node<Value> {
        apply(Filter { $0 == selected })
    }
}
