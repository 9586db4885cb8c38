/// The latest value of one input of a combine.
@usableFromInline
final class Slot<Value> {
    @exclusivity(unchecked) @usableFromInline var latest: Emission<Value> = .empty

    @usableFromInline init() {}
}

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

    /// Ties one input to a join: each value is recorded in `slot`, and the join told.
    ///
    /// Not replayed.
    @inlinable
    func tieInput<Value>(_ slot: Slot<Value>, _ source: Node<Value>, to target: AnyNode, _ join: Join) {
        let edge = Edge("Combine", .joinInput) { edge in
            let emission = edge.input(Value.self)
            if case .empty = emission {
                guard edge.traits.contains(.propagatesEmpty) else { return .nothing }
                join.emptyTravels = true
            }
            replace(&slot.latest, with: emission)
            return join.delivered(by: edge)
        }
        edge.needSide().join = join
        if propagatesEmpty { edge.traits.insert(.propagatesEmpty) }
        slot.latest = source.stored
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
}

extension Node {
    /// The latest values of two nodes, as soon as both hold one, and whenever one of them changes (G-81).
    ///
    /// In `settled` mode it emits once per turn, when both have settled; in `immediate` mode for each delivery.
    /// The last value of each input is remembered by the edge: clearing a source does not empty the input, unless
    /// emptiness travels. Removing an input ends the combine (G-82).
    @inlinable
    public static func combine<A, B>(_ a: Node<A>, _ b: Node<B>) -> Node<(A, B)> where Value == (A, B) {
        combineEach(a, b) { ($0, $1) }
    }

    /// `transform` of the latest values of two nodes (G-87).
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combineEach<A, B>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ transform: @escaping (A, B) -> Value
    ) -> Node<Value> {
        let graph = a.graph
        let target = Node<Value>(graph: graph, .empty)
        let first = Slot<A>()
        let second = Slot<B>()
        let join = graph.makeJoin(target) { join in
            guard case .value(let a) = first.latest, case .value(let b) = second.latest else {
                return join.incomplete(Value.self)
            }
            return join.store(transform(a, b))
        }
        graph.tieInput(first, a, to: target, join)
        graph.tieInput(second, b, to: target, join)
        graph.start(join)
        return target
    }
}
