extension Node {
    /// The transform of the parts of each tuple, handed over one by one (G-87).
    ///
    /// Example: `Node.combine(width, height).mapEach { width, height in width * height }`.
    @inlinable
    public func mapEach<each Part, Out>(
        _ transform: @escaping (repeat each Part) -> Out
    ) -> Node<Out> where Value == (repeat each Part) {
        map { parts in transform(repeat each parts) }
    }
}
