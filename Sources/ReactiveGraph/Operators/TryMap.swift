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
                guard case .success(let out) = edge.attempt("tryMap", { try transform(value) }) else {
                    return .nothing
                }
                return edge.store(out)
            }
        )
        return target
    }

    /// The transform of each value, or what the function threw, as a value (G-99).
    ///
    /// The error goes to the graph's ``Graph/onError`` as well.
    @inlinable
    public func mapResult<Out>(
        _ transform: @escaping (Value) throws -> Out
    ) -> Node<Result<Out, any Error>> {
        let target = Node<Result<Out, any Error>>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Map") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Result<Out, any Error>.self)
                }
                return edge.store(edge.attempt("mapResult") { try transform(value) })
            }
        )
        return target
    }
}

extension Edge {
    /// Calls the function of an operator; what it throws is told to the graph too.
    @inlinable
    func attempt<Out>(_ operation: String, _ function: () throws -> Out) -> Result<Out, any Error> {
        // Looked at first, because the function may cut this edge.
        guard let node = target else { return Result(catching: function) }
        let id = node.id
        let graph = node._withUnsafeGuaranteedRef { Unmanaged.passUnretained($0.graph) }
        do {
            return .success(try function())
        } catch {
            graph._withUnsafeGuaranteedRef { report(error, of: operation, node: id, to: $0) }
            return .failure(error)
        }
    }

    @usableFromInline
    func report(_ error: any Error, of operation: String, node id: UInt64, to graph: Graph) {
        let name = target?.takeUnretainedValue().name
        graph.onError?(.function(node: id, name: name, operation: operation, error: error))
    }
}
