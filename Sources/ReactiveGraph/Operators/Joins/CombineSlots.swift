/// What the inputs of a combine have in common.
@usableFromInline
final class CombineInputs {
    /// How many of them are empty.
    @usableFromInline var missing = 0

    @usableFromInline init() {}
}

/// The latest value of one input of a combine.
@usableFromInline
final class Slot<Value>: EdgeState {
    @usableFromInline var latest: Emission<Value>
    @usableFromInline let inputs: CombineInputs

    @usableFromInline
    init(_ latest: Emission<Value>, of inputs: CombineInputs) {
        self.latest = latest
        self.inputs = inputs
        if latest.isEmpty { inputs.missing += 1 }
    }

    @inlinable
    func set(_ emission: Emission<Value>) {
        if latest.isEmpty { inputs.missing -= 1 }
        if emission.isEmpty { inputs.missing += 1 }
        destroy(exchange(&latest, with: emission))
    }

    @usableFromInline
    override func save(to writer: inout StateWriter, of edge: Edge) {
        writer.write(latest)
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        set(try reader.emission(keeping: latest))
    }

    /// The value; asked for when every input has one.
    @inlinable
    var value: Value {
        guard case .value(let value) = latest else { preconditionFailure("combine: an input is empty") }
        return value
    }
}

/// A combine being made: its inputs are added one by one, then it is started.
@usableFromInline
final class Combining<Out> {
    @usableFromInline let target: Node<Out>
    @usableFromInline let inputs = CombineInputs()
    @usableFromInline var ties: [(Join) -> Void] = []

    @inlinable
    init(_ graph: Graph) {
        target = Node<Out>(graph: graph, .empty)
    }

    /// Adds an input.
    @inlinable
    func input<Value>(_ node: Node<Value>) -> Slot<Value> {
        let slot = Slot(node.stored, of: inputs)
        let target = target
        ties.append { join in
            let edge = Edge("Combine", .joinInput) { edge in
                let emission = edge.input(Value.self)
                if case .empty = emission {
                    guard edge.traits.contains(.propagatesEmpty) else { return .nothing }
                    join.emptyTravels = true
                }
                slot.set(emission)
                return join.delivered(by: edge)
            }
            edge.needSide().state = slot
            target.graph.tieInput(edge, node, to: target, join)
        }
        return slot
    }

    /// Ties the inputs; `emit` puts the latest values together.
    @inlinable
    func start(_ emit: @escaping (Join) -> Outcome) -> Node<Out> {
        let graph = target.graph
        let join = graph.makeJoin(target.core, emit)
        for tie in ties { tie(join) }
        graph.engine.start(join)
        return target
    }
}
