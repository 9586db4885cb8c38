/// What the inputs of a combine have in common.
@usableFromInline
final class CombineSlots {
    /// Inputs without a value: at 0 the combine is complete.
    @exclusivity(unchecked) @usableFromInline var missing = 0

    @usableFromInline init() {}
}

/// The latest value of one input of a combine.
@usableFromInline
final class Slot<Value> {
    @exclusivity(unchecked) @usableFromInline var latest: Emission<Value>
    @usableFromInline let common: CombineSlots

    @inlinable
    init(_ latest: Emission<Value>, _ common: CombineSlots) {
        self.latest = latest
        self.common = common
        if latest.isEmpty { common.missing += 1 }
    }

    @inlinable
    func set(_ emission: Emission<Value>) {
        if latest.isEmpty { common.missing -= 1 }
        if emission.isEmpty { common.missing += 1 }
        replace(&latest, with: emission)
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
    @usableFromInline let common = CombineSlots()
    @usableFromInline var ties: [(Join) -> Void] = []

    @inlinable
    init(_ graph: Graph) {
        target = Node<Out>(graph: graph, .empty)
    }

    /// Adds an input.
    @inlinable
    func input<Value>(_ node: Node<Value>) -> Slot<Value> {
        let slot = Slot(node.stored, common)
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
            target.graph.tieInput(edge, node, to: target, join)
        }
        return slot
    }

    /// Ties the inputs; `gather` makes the emission of the latest values.
    @inlinable
    func start(_ gather: @escaping () -> Out) -> Node<Out> {
        let common = common
        let graph = target.graph
        let join = graph.makeJoin(target) { join in
            common.missing == 0 ? join.store(gather()) : join.incomplete(Out.self)
        }
        for tie in ties { tie(join) }
        graph.start(join)
        return target
    }
}
