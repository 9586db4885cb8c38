extension Node {
    /// The first `count` values; then the edge detaches and releases its source (G-70).
    ///
    /// Example: 1, 2, 3 with `prefix(2)` emits 1, 2.
    @inlinable
    public func prefix(_ count: Int) -> Node<Value> {
        apply(Take(count, ends: true))
    }
}
