extension Node {
    /// The constant `replacement` for each value; it may be `nil` (G-69).
    @inlinable
    public func replace<Out>(_ replacement: Out) -> Node<Out> {
        apply(Map { _ in replacement })
    }
}
