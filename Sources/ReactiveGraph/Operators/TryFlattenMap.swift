extension Node {
    /// The values of the node that a function which may throw gives for the latest value (G-77,
    /// G-99).
    ///
    /// When it throws, the node followed until then stays followed, and the error goes to the
    /// graph's ``Graph/onError``. Without that, debug builds print the first error, with `file` and
    /// `line`.
    @inlinable
    public func tryFlattenMap<Out>(
        file: String = #fileID,
        line: Int = #line,
        _ select: @escaping (Value) throws -> Node<Out>
    ) -> Node<Out> {
        let place = CallPlace(file: file, line: line)
        return derive(
            Edge("Flatten") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.stopFollowing(Out.self)
                }
                let result = edge.attempt("tryFlattenMap", at: place) { try select(value) }
                guard case .success(let inner) = result else { return .nothing }
                return edge.follow(inner)
            }
        )
    }
}
