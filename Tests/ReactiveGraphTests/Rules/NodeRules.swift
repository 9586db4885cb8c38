import ReactiveGraph
import Testing

@Suite("Rules of nodes and values")
struct NodeRules {
    let graph = Graph()
    let trace = Trace()

    @Test("G-1: a node stores one emission and no history")
    func one() {
        let node = graph.mutable(of: Int.self)
        #expect(node.isEmpty)
        node.set(1)
        node.set(2)
        trace.hear(node, as: "n", replay: true)
        #expect(node.value == 2)
        #expect(trace.lines == ["n2"])
    }

    @Test("G-2, G-3: a stored nil is a value, empty is not, and empty equals no value")
    func emptyIsNotNil() {
        let node = graph.mutable(of: Int?.self)
        let holding = graph.mutable(Int?.none)
        #expect(node.isEmpty && !holding.isEmpty)
        trace.hear(node, as: "empty", replay: true)
        trace.hear(holding, as: "nil", replay: true)
        #expect(trace.lines == ["nilnil"])
        #expect(node.emission != holding.emission)
        #expect(node.emission == Emission<Int?>.empty)
    }

    @Test("G-4: an equal value is a complete new emission")
    func equal() {
        let node = graph.mutable(1)
        trace.hear(node.map { $0 }, as: "m")
        node.set(1)
        node.set(1)
        #expect(trace.lines == ["m1", "m1"])
    }

    @Test("G-5: operators return nodes that users cannot set, and edges change them all the same")
    func immutable() {
        let node = graph.mutable(1)
        let derived: Node<Int> = node.map { $0 + 1 }
        #expect(node.isMutable && !derived.isMutable && !(derived is MutableNode<Int>))
        node.set(5)
        #expect(derived.value == 6)
    }

    @Test("G-6, G-7: the writable view is the same node, and leaves its face to others unchanged")
    func writable() {
        let node = graph.node(1)
        trace.hear(node, as: "n")
        let view = node.writable()
        view.set(2)
        #expect(view.node === node && node.value == 2 && !node.isMutable)
        let mutable = graph.mutable(3)
        let plain: Node<Int> = mutable
        #expect(plain === mutable)
        #expect(trace.lines == ["n2"])
    }

    @Test("G-8: the default is given for empty only, a stored nil is returned as nil")
    func defaults() {
        #expect(graph.mutable(of: Int.self).value(default: 7) == 7)
        #expect(graph.mutable(3).value(default: 7) == 3)
        let none = graph.mutable(Int?.none)
        #expect(none.value(default: 7) == nil)
    }

    @Test("G-9: with value, do: at once, at most once, for nil too, not for empty")
    func ifValue() {
        var runs = 0
        graph.mutable(of: Int.self).ifValue { _ in runs += 1 }
        #expect(runs == 0)
        graph.mutable(Int?.none).ifValue { _ in runs += 1 }
        #expect(runs == 1)
    }

    @Test("G-10: a set starts with an empty path, or continues the one it is given")
    func paths() {
        let first = graph.mutable(of: Int.self)
        let second = graph.mutable(of: Int.self)
        trace.hearAll(second, as: "s")
        first.listenEmissions(in: trace.bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            second.set(value)
            second.set(value, context: Context("c"))
            second.set(value, path: delivery.path, context: delivery.context)
        }
        first.set(1, context: Context("d"))
        #expect(
            trace.lines == [
                "s1 via \(second.id) with none", "s1 via \(second.id) with c",
                "s1 via \(first.id) \(second.id) with d",
            ]
        )
    }

    @Test("G-11: clearing travels to no derived node and calls no value listener; listeners stay")
    func clearing() {
        let node = graph.mutable(1)
        let derived = node.map { $0 * 10 }
        trace.hear(node, as: "n")
        trace.hear(derived, as: "d")
        node.clear()
        #expect(node.isEmpty && derived.value == 10 && trace.lines.isEmpty)
        node.set(2)
        #expect(trace.lines == ["n2", "d20"])
    }

    @Test("G-11, G-37: a clear in the node's own pass waits like any set")
    func clearingInside() {
        let node = graph.mutable(of: Int.self)
        node.listen(in: trace.bag) { [trace] (value: Int) in
            if value == 1 { node.clear() }
            trace.note("reads \(node.value.map(String.init) ?? "empty")")
        }
        node.listenEmissions(in: trace.bag, replay: false) { [trace] emission, _ in trace.note("\(emission)")
        }
        node.set(1)
        #expect(trace.lines == ["reads 1", "1", "empty"])
    }

    @Test("G-12: a plain clear has no context, an explicit one has what it is given")
    func clearContext() {
        let node = graph.mutable(1)
        node.listenEmissions(in: trace.bag, replay: false) { [trace] emission, delivery in
            trace.note("\(emission) \(delivery.context?.value(as: String.self) ?? "none")")
        }
        node.clear()
        node.send(.empty, context: Context("c"))
        #expect(trace.lines == ["empty none", "empty c"])
    }

    @Test("G-13: an edge written by a user receives emptiness with path and context")
    func hook() {
        final class Hearing: TransformEdge<Int, Int> {
            var heard: [String] = []
            override func becameEmpty(_ delivery: Delivery) {
                heard.append("\(delivery.path.ids) \(delivery.context?.value(as: String.self) ?? "none")")
            }
        }
        let node = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = Hearing()
        target.link(to: node, via: edge)
        node.clear(context: Context("c"))
        #expect(edge.heard == ["[\(node.id)] c"])
        #expect(target.value == 1)
    }

    @Test("G-14: an edge may emit empty; the effect stops there")
    func emitsEmpty() {
        let node = graph.mutable(1)
        let odd: Node<Int> = node.transform(named: "Odd") { emission, _ in
            guard let value = emission.value, value % 2 == 1 else { return .empty }
            return .value(value)
        }
        let derived = odd.map { $0 * 10 }
        node.set(2)
        #expect(odd.isEmpty && derived.value == 10)
    }

    @Test("G-15, G-16: names are stored verbatim and chained; edges are named by kind")
    func names() {
        let node = graph.mutable(1).named("100 %d \"x\"")
        #expect(node.name == "100 %d \"x\"")
        #expect(node.description == "100 %d \"x\": 1")
        #expect(graph.mutable(of: Int.self).description == "undefined: empty")
        let kinds: [(Node<Int>, String)] = [
            (node.fork(), "Link"), (node.map { $0 }, "Map"), (node.filter { _ in true }, "Filter"),
            (node.skip(0), "Skip"), (node.take(1), "Take"), (node.distinct(), "Distinct"),
            (node.scan(0) { $0 + $1 }, "Scan"), (node.flattenMap { [graph] in graph.node($0) }, "Flatten"),
            (Node.combineEach(node, node) { $0 + $1 }, "Combine"), (node.merge(with: node), "Merge"),
        ]
        for (made, name) in kinds { #expect(made.upstreamTransforms.first?.name == name) }
    }
}
