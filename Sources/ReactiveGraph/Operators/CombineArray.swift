/// The latest emissions of inputs of one type: the state of the first input's edge.
@usableFromInline
final class Slots<Value>: EdgeState {
    @usableFromInline var latest: [Emission<Value>]
    @usableFromInline var missing: Int
    /// The values of `latest`, once they were asked for; dropped when an input becomes empty.
    @usableFromInline var known: [Value] = []
    /// The places of the inputs that are no cause to emit.
    @usableFromInline let passive: Set<Int>

    @usableFromInline
    init(_ latest: [Emission<Value>], passive: Set<Int> = []) {
        self.latest = latest
        self.passive = passive
        // Not `count(where:)`, which is not specialised here: 3,000 instructions for two inputs.
        missing = 0
        for emission in latest where emission.isEmpty { missing += 1 }
    }

    @usableFromInline
    override func save(to writer: inout StateWriter, of edge: Edge) {
        for emission in latest { writer.write(emission) }
        if !passive.isEmpty { writer.write(emptinessOf: edge.side?.join) }
    }

    @usableFromInline
    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        let restored = try latest.map { try reader.emission(keeping: $0) }
        for (index, emission) in restored.enumerated() { set(index, emission) }
        if !passive.isEmpty { try reader.restore(emptinessOf: edge.side?.join) }
    }

    @inlinable
    func set(_ index: Int, _ emission: Emission<Value>) {
        if latest[index].isEmpty { missing -= 1 }
        if emission.isEmpty { missing += 1 }
        destroy(exchange(&latest[index], with: emission))
        guard !known.isEmpty else { return }
        if case .value(let value) = emission {
            destroy(exchange(&known[index], with: value))
        } else {
            destroy(exchange(&known, with: []))
        }
    }

    /// The values of all inputs, `nil` while one has none.
    ///
    /// One array, changed in place, so that a delivery allocates nothing unless the caller kept the
    /// array of the one before.
    @inlinable
    var values: [Value]? {
        guard missing == 0 else { return nil }
        if known.isEmpty { known = latest.compactMap(\.value) }
        return known
    }

    /// A node that `emit` feeds with what the inputs hold.
    @inlinable
    func join<Out>(
        _ inputs: [Node<Value>],
        _ name: String,
        _ traits: EdgeTraits,
        _ emit: @escaping (Join) -> Outcome
    ) -> Node<Out> {
        let graph = inputs[0].graph
        let target = Node<Out>(graph: graph, .empty)
        let join = graph.makeJoin(target.core, emit)
        for (index, input) in inputs.enumerated() {
            let isPassive = passive.contains(index)
            let edge = Edge(name, traits) { edge in
                let emission = edge.input(Value.self)
                if case .empty = emission {
                    guard edge.traits.contains(.propagatesEmpty) else { return .nothing }
                    join.emptyTravels = true
                }
                self.set(index, emission)
                return isPassive
                    ? join.delivered(passivelyBy: edge, missing: self.missing) : join.delivered(by: edge)
            }
            if index == 0 { edge.needSide().state = self }
            graph.tieInput(edge, input, to: target, join)
        }
        graph.engine.start(join)
        return target
    }
}

extension Graph {
    /// A join of any number of inputs of one type, with a function on emissions: the several-input
    /// counterpart of ``Node/transform(named:_:)``.
    ///
    /// In `settled` mode it is called once per turn, when all inputs have settled; an input that
    /// became empty counts as a delivery. It is called once at creation. `nil` means that nothing
    /// happens downstream; empty makes the node empty. An empty list is a programming error.
    @inlinable
    public static func join<Value, Out>(
        _ inputs: [Node<Value>],
        named name: String = "Join",
        _ function: @escaping ([Emission<Value>], Context?) -> Emission<Out>?
    ) -> Node<Out> {
        precondition(!inputs.isEmpty, "\(name): at least one input is needed")
        let engine = inputs[0].engine
        let slots = Slots(inputs.map(\.stored))
        return slots.join(inputs, name, [.joinInput, .receivesEmpty, .propagatesEmpty]) { join in
            guard let out = function(slots.latest, engine.currentContext) else { return .nothing }
            return join.store(emission: out)
        }
    }
}

extension Node {
    /// The latest values of any number of nodes of one type, in the order of the list.
    ///
    /// See <doc:Combine>.
    ///
    /// - Parameters:
    ///   - nodes: at least one.
    ///   - passive: the places of those that are held and read, but are no cause to emit.
    /// - Returns: the new node.
    @inlinable
    public static func combine<Element>(
        _ nodes: [Node<Element>],
        passive: Set<Int> = []
    ) -> Node<[Element]>
    where Value == [Element] {
        combineEach(nodes, passive: passive) { $0 }
    }

    /// `transform` of the latest values of any number of nodes of one type.
    ///
    /// See ``combine(_:passive:)``.
    @inlinable
    public static func combineEach<Element>(
        _ nodes: [Node<Element>],
        passive: Set<Int> = [],
        _ transform: @escaping ([Element]) -> Value
    ) -> Node<Value> {
        precondition(!nodes.isEmpty, "combine: at least one node is needed")
        let slots = Slots(nodes.map(\.stored), passive: passive)
        return slots.join(nodes, "Combine", .joinInput) { join in
            guard let values = slots.values else { return join.incomplete(Value.self) }
            return join.store(transform(values))
        }
    }
}
