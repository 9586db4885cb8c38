extension Node {
    /// The operator on which others can be built: a function from emission to emission.
    ///
    /// It is called with every value and every emptiness, and at connection with the present
    /// emission, whatever it is. `nil` means that nothing happens downstream; empty makes the new
    /// node empty. State, if any, is the function's own.
    ///
    /// - Parameters:
    ///   - name: the name of the edge in descriptions.
    ///   - function: from emission to emission.
    /// - Returns: the new node.
    @inlinable
    public func transform<Out>(
        named name: String,
        _ function: @escaping (Emission<Value>, Context?) -> Emission<Out>?
    ) -> Node<Out> {
        let engine = self.engine
        return derive(
            Edge(name, .receivesEmpty) { edge in
                guard let out = function(edge.input(Value.self), engine.currentContext) else {
                    return .nothing
                }
                return edge.store(emission: out)
            }
        )
    }

    /// Makes this node follow `upstream` as well, through a function from emission to emission.
    ///
    /// As ``transform(named:_:)``, for a node that exists already: its edges and listeners stay
    /// what they are.
    ///
    /// - Parameters:
    ///   - upstream: the node to follow; linking a node to itself does nothing.
    ///   - name: the name of the edge in descriptions.
    ///   - replay: whether the function is called now with the upstream's present emission (G-149).
    ///   - function: from emission to emission; `nil` means that nothing happens.
    /// - Returns: ends the link when cancelled, and gives its edge; `nil` if nothing was linked.
    @inlinable
    @discardableResult
    public func link<In>(
        to upstream: Node<In>,
        named name: String,
        replay: Bool = true,
        _ function: @escaping (Emission<In>, Context?) -> Emission<Value>?
    ) -> CancelToken? {
        let engine = self.engine
        return graph.link(
            self,
            to: upstream,
            replay: replay,
            Edge(name, .receivesEmpty) { edge in
                guard let out = function(edge.input(In.self), engine.currentContext) else { return .nothing }
                return edge.store(emission: out)
            }
        )
    }
}
