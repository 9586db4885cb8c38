extension Node {
    /// The running value, by a function that may throw (G-72, G-99).
    ///
    /// A value for which it throws counts as not there: the running value stays, nothing is emitted, and the error goes to
    /// the graph's ``Graph/onError``.
    @inlinable
    public func tryScan<Out>(_ start: Out, _ reduce: @escaping (Out, Value) throws -> Out) -> Node<Out> {
        let target = Node<Out>(graph: graph, .empty)
        let running = Running(start)
        let edge = Edge("Scan") { edge in
            guard case .value(let value) = edge.input(Value.self) else {
                return edge.forwardEmpty(to: Out.self)
            }
            guard case .success(let next) = edge.attempt("tryScan", { try reduce(running.state, value) })
            else {
                return .nothing
            }
            replace(&running.state, with: next)
            return edge.store(next)
        }
        edge.needSide().reset = { running.reset(to: start) }
        graph.derive(target, from: self, edge)
        return target
    }
}
