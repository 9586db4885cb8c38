extension Node {
    /// The transform of each value by a function that may throw (G-99).
    ///
    /// What it throws goes to the graph's ``Graph/onError``; nothing is emitted, and other branches are served.
    @inlinable
    public func tryMap<Out>(_ transform: @escaping (Value) throws -> Out) -> Node<Out> {
        let target = Node<Out>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Map") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                do {
                    return edge.store(try transform(value))
                } catch {
                    edge.report(error, of: "tryMap")
                    return .nothing
                }
            }
        )
        return target
    }

    /// The transform of each value, or what the function threw, as a value.
    @inlinable
    public func mapResult<Out>(
        _ transform: @escaping (Value) throws -> Out
    ) -> Node<Result<Out, any Error>> {
        map { value in Result { try transform(value) } }
    }
}

extension Edge {
    @usableFromInline
    func report(_ error: any Error, of operation: String) {
        guard let node = target?.takeUnretainedValue() else { return }
        node.graph.onError?(.function(node: node.id, name: node.name, operation: operation, error: error))
    }
}
