import ReactiveGraph
import Testing

@Suite("Saving and restoring the order of joins")
struct RankStateTests {
    /// Two joins that do not depend on each other; one of them follows what `choice` says.
    private struct World {
        let graph = Graph()
        let source: MutableNode<Int>
        let choice: MutableNode<Int>
        let nodes: [AnyNode]
        let newest: Node<String>

        init() {
            let source = graph.mutable(1)
            choice = graph.mutable(0)
            let near = source.map { $0 }
            let middle = near.map { $0 }
            let far = middle.map { $0 }.map { $0 }
            let chosen = choice.flattenMap { $0 == 0 ? source : far }
            let first = Node<String>.combineEach(chosen, source) { _, _ in "first" }
            let second = Node<String>.combineEach(middle, source) { _, _ in "second" }
            newest = Node.merge([first, second])
            self.source = source
            nodes = [source, choice, near, middle, far, chosen, first, second, newest]
        }
    }

    @Test("G-164: joins settle in the order in which they would have, also when what raised them is gone")
    func ranks() throws {
        let first = World()
        for choice in [1, 0] { first.choice.set(choice) }
        var writer = StateWriter { value, bytes in bytes += "\(value)".utf8 }
        first.graph.saveState(of: first.nodes, to: &writer)
        let second = World()
        var reader = StateReader(writer.bytes) { bytes, type in
            let text = String(decoding: bytes, as: UTF8.self)
            return type == Int.self ? Int(text) ?? 0 : text
        }
        try second.graph.restoreState(of: second.nodes, from: &reader)
        for world in [first, second] {
            world.source.set(2)
            #expect(world.newest.value == "first")
        }
        let fresh = World()
        fresh.source.set(2)
        #expect(fresh.newest.value == "second")
    }

    @Test(
        "G-164: joins of one rank settle in the order in which they would have, also when they were made in another one"
    )
    func joinsOfOneRank() throws {
        func make(
            backwards: Bool
        ) -> (graph: Graph, source: MutableNode<Int>, newest: Node<Int>, nodes: [AnyNode]) {
            let graph = Graph()
            let source = graph.mutable(1)
            var joins: [Int: Node<Int>] = [:]
            for number in backwards ? [2, 1, 0] : [0, 1, 2] {
                joins[number] = Node.combineEach(source, source) { _, _ in number }
            }
            let nodes = (0..<3).compactMap { joins[$0] }
            let newest = Node.merge(nodes)
            return (graph, source, newest, [source] + nodes + [newest])
        }
        var (graph, source, newest, nodes) = make(backwards: true)
        // A restored graph is saved in its turn: its joins are not numbered as they were made.
        for backwards in [false, false, true] {
            var writer = StateWriter { value, bytes in bytes += "\(value)".utf8 }
            graph.saveState(of: nodes, to: &writer)
            var reader = StateReader(writer.bytes) { bytes, _ in
                Int(String(decoding: bytes, as: UTF8.self)) ?? 0
            }
            (graph, source, newest, nodes) = make(backwards: backwards)
            try graph.restoreState(of: nodes, from: &reader)
            source.set(2)
            #expect(newest.value == 0)
        }
    }

    @Test(
        "G-164: an emission that was kept back on a ring stops where it would have, whatever numbers the nodes have"
    )
    func paths() throws {
        func make(behind others: Int) -> (clock: ManualClock, graph: Graph, nodes: [AnyNode]) {
            let clock = ManualClock()
            let graph = Graph(clock: clock)
            for _ in 0..<others { _ = graph.mutable(0) }
            let source = graph.mutable(of: Int.self)
            let late = source.delay(for: .seconds(1))
            source.link(to: late)
            return (clock, graph, [source, late])
        }
        let first = make(behind: 0)
        (first.nodes[0] as? MutableNode<Int>)?.set(5)
        var writer = StateWriter { value, bytes in bytes += "\(value)".utf8 }
        first.graph.saveState(of: first.nodes, to: &writer)
        let second = make(behind: 9)
        var reader = StateReader(writer.bytes) { bytes, _ in Int(String(decoding: bytes, as: UTF8.self)) ?? 0
        }
        try second.graph.restoreState(of: second.nodes, from: &reader)
        for (clock, _, nodes) in [first, second] {
            let before = nodes.map(\.emissionCount)
            clock.advance(by: .seconds(9))
            #expect(zip(nodes, before).map { $0.emissionCount &- $1 } == [0, 1])
        }
    }
}
