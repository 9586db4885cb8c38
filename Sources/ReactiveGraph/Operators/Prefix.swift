extension Node {
    /// The first `count` values; then the edge detaches and lets go of its source (G-70).
    ///
    /// Example: 1, 2, 3 with `prefix(2)` emits 1, 2.
    @inlinable
    public func prefix(_ count: Int) -> Node<Value> {
        precondition(count >= 0, "prefix: the count must not be negative")
        let counter = Counter()
        let node = counted("Take", counter) { counter, value, edge in
            guard counter.count < count else { return .nothing }
            counter.count += 1
            guard counter.count == count else { return edge.store(value) }
            switch edge.store(value) {
            case .enter: return .enterAndEnd
            default: return .dead
            }
        }
        if count == 0 { node.removeUpstreamNodes() }
        return node
    }
}
