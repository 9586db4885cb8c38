extension Node {
    /// The values of the node that `select` gives for the latest value: "switch to latest" (G-77).
    ///
    /// On each value the function is called, the inner node followed until then is released, and
    /// the new one is followed and replayed; if it is empty, the new node becomes empty.
    ///
    /// Example: `rooms.flattenMap { $0.temperature }` shows the temperature of the chosen room.
    @inlinable
    public func flattenMap<Out>(_ select: @escaping (Value) -> Node<Out>) -> Node<Out> {
        derive(
            Edge("Flatten") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.stopFollowing(Out.self)
                }
                return edge.follow(select(value))
            }
            .savingFollowing(select)
        )
    }
}
