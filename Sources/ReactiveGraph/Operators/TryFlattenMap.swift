extension Node {
    /// The values of the node that a function which may throw gives for the latest value (G-77,
    /// G-99).
    ///
    /// When it throws, the node followed until then stays followed, and the error goes to the
    /// graph's ``Graph/onError``.
    @inlinable
    public func tryFlattenMap<Out>(_ select: @escaping (Value) throws -> Node<Out>) -> Node<Out> {
        derive(
            Edge("Flatten") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.stopFollowing(Out.self)
                }
                guard case .success(let inner) = edge.attempt("tryFlattenMap", { try select(value) }) else {
                    return .nothing
                }
                return edge.follow(inner)
            }
        )
    }
}
