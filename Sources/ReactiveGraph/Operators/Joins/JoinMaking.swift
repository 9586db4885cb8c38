// Making a join, and what its function does with the result.
extension Graph {
    /// From the next turn on emissions go through joins in this way (G-50).
    ///
    /// A graph keeps no list of its nodes, so the caller says where to look.
    ///
    /// - Parameters:
    ///   - propagation: the new way.
    ///   - nodes: nodes from which, upstream, every join of the graph can be reached; what is not
    ///     reached keeps the old way.
    public func setPropagation(_ propagation: Propagation, reaching nodes: [AnyNode]) {
        precondition(engine.turnState.running == 0, "Graph: the propagation is changed between turns")
        engine.propagation = propagation
        nodes.walk { node in
            if let join = node.core.join {
                join.with { $0.isSettled = $0.canSettle && propagation == .settled }
            }
            return node.neededNodes
        }
    }

    /// Makes a node a join that `emit` feeds.
    @usableFromInline
    func makeJoin(_ node: NodeCore, settled: Bool = true, _ emit: @escaping (Join) -> Outcome) -> Join {
        let join = Join(
            of: node,
            settled: settled && propagation == .settled,
            canSettle: settled,
            emit: emit
        )
        node.join = .retaining(join)
        return join
    }

    /// Ties the fresh edge of an input to its join.
    ///
    /// Not replayed.
    @usableFromInline
    func tieInput(_ edge: Edge, _ source: AnyNode, to target: AnyNode, _ join: Join) {
        edge.needSide().join = join
        if propagatesEmpty { edge.traits.insert(.propagatesEmpty) }
        tie(edge, from: source, to: target)
    }
}

extension Join {
    /// An input is empty: an emptiness that was delivered since is handed on, once, whatever the
    /// node holds (G-156).
    @inlinable
    func incomplete<Out>(_ type: Out.Type) -> Outcome {
        guard emptyTravels, !isDead, let node = node(as: Out.self) else { return .nothing }
        emptyTravels = false
        return node.with { $0.acceptEmpty() }
    }

    /// Stores the result, unless the function that made it has ended the join.
    @inlinable
    @inline(__always)
    func store<Out>(_ value: Out) -> Outcome {
        guard !isDead, let node = node(as: Out.self) else { return .nothing }
        return node.with { $0.accept(value) }
    }

    /// Stores what the function made, a value or emptiness.
    @inlinable
    func store<Out>(emission: Emission<Out>) -> Outcome {
        guard !isDead, let node = node(as: Out.self) else { return .nothing }
        return node.with { $0.accept(emission: emission) }
    }
}
