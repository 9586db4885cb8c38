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
    /// Whether it is held and read, but no cause to emit.
    @usableFromInline let isPassive: Bool

    @usableFromInline
    init(_ latest: Emission<Value>, of inputs: CombineInputs, isPassive: Bool) {
        self.latest = latest
        self.inputs = inputs
        self.isPassive = isPassive
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
        if isPassive { writer.write(emptinessOf: edge.side?.join) }
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        set(try reader.emission(keeping: latest))
        if isPassive { try reader.restore(emptinessOf: edge.side?.join) }
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

    /// Adds an input; a passive one is no cause to emit.
    @inlinable
    func input<Value>(_ node: Node<Value>, isPassive: Bool = false) -> Slot<Value> {
        let slot = Slot(node.stored, of: inputs, isPassive: isPassive)
        let target = target
        ties.append { join in
            let edge = Edge("Combine", .joinInput) { edge in
                let emission = edge.input(Value.self)
                if case .empty = emission {
                    guard edge.traits.contains(.propagatesEmpty) else { return .nothing }
                    join.emptyTravels = true
                }
                slot.set(emission)
                return isPassive
                    ? join.delivered(passivelyBy: edge, missing: slot.inputs.missing)
                    : join.delivered(by: edge)
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

// An emptiness that a passive input has delivered waits for the next cause, also while the state is
// saved.
extension StateWriter {
    mutating func write(emptinessOf join: Join?) { write(join?.emptyTravels == true ? 1 : 0) }
}

extension StateReader {
    mutating func restore(emptinessOf join: Join?) throws {
        let travels = try flag()
        if travels { join?.emptyTravels = true }
    }
}
