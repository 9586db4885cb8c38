/// The latest value of one input of a combine.
@usableFromInline
final class Slot<Value>: EdgeState {
    @exclusivity(unchecked) @usableFromInline var latest: Emission<Value>

    @usableFromInline
    init(_ latest: Emission<Value>) {
        self.latest = latest
    }

    @usableFromInline
    override func save(to writer: inout StateWriter, of edge: Edge) {
        writer.write(latest)
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        overwrite(&latest, with: try reader.emission(keeping: latest))
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
    @usableFromInline var ties: [(Join) -> Void] = []

    @inlinable
    init(_ graph: Graph) {
        target = Node<Out>(graph: graph, .empty)
    }

    /// Adds an input.
    @inlinable
    func input<Value>(_ node: Node<Value>) -> Slot<Value> {
        let slot = Slot(node.stored)
        let target = target
        ties.append { join in
            let edge = Edge("Combine", .joinInput) { edge in
                let emission = edge.input(Value.self)
                if case .empty = emission {
                    guard edge.traits.contains(.propagatesEmpty) else { return .nothing }
                    join.emptyTravels = true
                }
                overwrite(&slot.latest, with: emission)
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
        let join = graph.makeJoin(target, emit)
        for tie in ties { tie(join) }
        graph.start(join)
        return target
    }
}
