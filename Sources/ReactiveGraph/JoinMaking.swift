// Making a join, and what its function does with the result.
extension Graph {
    /// Makes a node a join that `emit` feeds.
    @usableFromInline
    func makeJoin(_ node: AnyNode, settled: Bool = true, _ emit: @escaping (Join) -> Outcome) -> Join {
        let settled = settled && propagation == .settled
        let join = Join(settled: settled, emptyTravels: propagatesEmpty, emit: emit)
        join.node = .passUnretained(node)
        node.join = .passRetained(join)
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

    /// All inputs are tied: emits what they hold, once, as a turn of its own.
    @usableFromInline
    func start(_ join: Join) {
        guard let node = join.node else { return }
        let saved = beginTurn(trail: nil, context: nil)
        if join.emit(join) == .enter, let node = join.node, node.hasEdges, !stopping {
            push(node)
            run(to: base)
        }
        endTurn(saved)
        withExtendedLifetime(node) {}
    }
}

extension Join {
    /// An input is empty: the node becomes empty where emptiness travels, and stays as it is otherwise.
    @inlinable
    func incomplete<Out>(_ type: Out.Type) -> Outcome {
        guard emptyTravels, !isDead, let node = node(as: Out.self) else { return .nothing }
        return node._withUnsafeGuaranteedRef { $0.isEmpty ? .nothing : $0.acceptEmpty() }
    }

    /// Stores the result, unless the function that made it has ended the join.
    @inlinable
    func store<Out>(_ value: Out) -> Outcome {
        guard !isDead, let node = node(as: Out.self) else { return .nothing }
        return node._withUnsafeGuaranteedRef { $0.accept(value) }
    }

    /// Stores what the function made, a value or emptiness.
    @inlinable
    func store<Out>(emission: Emission<Out>) -> Outcome {
        guard !isDead, let node = node(as: Out.self) else { return .nothing }
        return node._withUnsafeGuaranteedRef { $0.accept(emission: emission) }
    }
}
