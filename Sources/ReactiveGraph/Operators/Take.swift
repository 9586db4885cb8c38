extension Node {
    /// The first `count` values (G-70).
    ///
    /// The edge stays attached after the last one, and starts anew when its
    /// `from` is set to a different node.
    ///
    /// Example: 1, 2, 3 with `take(2)` emits 1, 2.
    @inlinable
    public func take(_ count: Int) -> Node<Value> {
        precondition(count >= 0, "take: the count must not be negative")
        let counter = Counter()
        return counted("Take", counter) { _, value, edge in
            guard counter.count < count else { return .nothing }
            counter.count += 1
            return edge.store(value)
        }
    }
}
