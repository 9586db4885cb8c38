extension Node where Value: Equatable {
    /// The values that differ from `ignored`.
    ///
    /// `ignore(nil)` drops `nil`.
    ///
    /// Example: 1, 2, 1 with `ignore(1)` emits 2.
    @inlinable
    public func ignore(_ ignored: Value) -> Node<Value> {
        apply(Filter { $0 != ignored })
    }
}
