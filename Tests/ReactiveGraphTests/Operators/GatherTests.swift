import ReactiveGraph
import TestSupport
import Testing

@Suite("Gather")
struct GatherTests {
    let graph = Graph()

    @Test("members come, change and leave; those without a value count for nothing (F-5)")
    func members() {
        let a = graph.mutable(1.0)
        let b = graph.mutable(of: Double.self)
        let sum = graph.gather(GatherSum<Double>())
        let heard = Recorder(sum)
        sum.insert(a)
        sum.insert(a)
        sum.insert(b)
        b.set(2)
        a.set(5)
        b.clear()
        b.set(1)
        sum.remove(a)
        sum.remove(a)
        a.set(9)
        sum.remove(b)
        #expect(heard.history == [0, 1, 3, 7, 5, 6, 1, 0])
        #expect(sum.memberCount == 0 && !sum.contains(a))
        expectSound(graph, a, b, sum)
    }

    @Test("what is made of no values (F-5)")
    func nothing() {
        #expect(graph.gather(GatherSum<Double>()).value == 0)
        #expect(graph.gather(GatherTotal<Int>()).value == 0)
        #expect(graph.gather(GatherCount<Int>()).value == 0)
        #expect(graph.gather(GatherAny()).value == false)
        #expect(graph.gather(GatherAll()).value == true)
        #expect(graph.gather(GatherList<Int>()).value == [])
        #expect(graph.gather(GatherDictionary<Int>()).value == [:])
        #expect(graph.gather(GatherAverage<Double>()).isEmpty)
        #expect(graph.gather(GatherExtreme<Int>.min).isEmpty)
        #expect(graph.gather(GatherExtreme<Int>.max).isEmpty)
    }

    @Test(
        "one emission per turn in settled mode, one per delivery in immediate mode (F-5, G-51)",
        arguments: [true, false]
    )
    func turns(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(1)
        let total = graph.gather(GatherTotal<Int>())
        let members = (1...3).map { factor in source.map { $0 * factor } }
        total.update { for member in members { total.insert(member) } }
        let heard = Recorder(total)
        source.set(2)
        #expect(heard.history == (settled ? [6, 12] : [6, 7, 9, 12]))
    }

    @Test("a batch is one turn, whatever changes in it")
    func batch() {
        let sources = (0..<10).map { graph.mutable($0) }
        let total = graph.gather(GatherTotal<Int>())
        for source in sources { total.insert(source) }
        let heard = Recorder(total, replay: false)
        graph.batch { batch in
            for source in sources.dropLast() { batch.set(source, 1) }
            batch.clear(sources[9])
        }
        #expect(heard.history == [9])
    }

    @Test("no glitch: a node of a member and of all settles after both (F-5, G-50)")
    func diamond() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let total = graph.gather(GatherTotal<Int>())
        total.insert(a)
        let share = Node.combineEach(a, total) { "\($0)/\($1)" }
        total.insert(b)
        let heard = Recorder(share)
        a.set(3)
        b.set(7)
        graph.batch { batch in
            batch.set(a, 1)
            batch.set(b, 1)
        }
        #expect(heard.history == ["1/3", "3/5", "3/10", "1/2"])
    }

    @Test("a member of a higher rank, added later, settles before it, and what is after it still does (G-50)")
    func ranks() {
        let source = graph.mutable(1)
        let total = graph.gather(GatherTotal<Int>())
        total.insert(source)
        let both = Node.combineEach(source, total) { "\($0)/\($1)" }
        var late: Node<Int> = source
        for _ in 0..<5 { late = Node.combineEach(late, source, +) }
        total.insert(late)
        let heard = Recorder(both, replay: false)
        source.set(2)
        #expect(heard.history == ["2/14"])
        expectSound(graph, source)
    }

    @Test("inserting and removing in a turn: one emission, at its end; outside, at once")
    func inTurn() {
        let bag = CancellableBag()
        let source = graph.mutable(0)
        let (a, b) = (graph.mutable(10), graph.mutable(20))
        let total = graph.gather(GatherTotal<Int>())
        total.insert(source)
        source.listen(in: bag, replay: false) { value in
            if value == 1 {
                total.insert(a)
                total.insert(b)
            } else {
                total.remove(a)
            }
        }
        let heard = Recorder(total, replay: false)
        source.set(1)
        source.set(2)
        #expect(heard.history == [31, 22])
        total.update {
            total.remove(b)
            total.insert(a)
        }
        #expect(heard.history == [31, 22, 12])
    }

    @Test(
        "a dismissed member counts for nothing from its next emission on: clearing and removing it is one emission"
    )
    func dismissing() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let never = a.ifEmpty(10)
        let total = graph.gather(GatherTotal<Int>())
        for node in [a, never, b] { total.insert(node) }
        let heard = Recorder(total)
        total.dismiss(a)
        total.dismiss(never)
        #expect(total.contains(a))
        never.propagatesEmpty = true
        graph.batch { batch in
            batch.clear(a)
            batch.set(b, 5)
        }
        total.remove(a)
        total.remove(never)
        #expect(heard.history == [4, 5] && total.memberCount == 1)
        #expect(a.downstreamNodes.map(\.id) == [never.id])
        total.dismiss(b)
        total.remove(b)
        #expect(heard.history == [4, 5, 0])
        expectSound(graph, a, b, total)
    }

    @Test("edges that are cut by hand are members that have left; one that is aimed elsewhere is none")
    func cutByHand() throws {
        let (a, b, c) = (graph.mutable(1), graph.mutable(2), graph.mutable(4))
        let total = graph.gather(GatherTotal<Int>())
        for node in [a, b, c] { total.insert(node) }
        total.removeUpstreamNode(a)
        b.set(3)
        #expect(total.value == 7 && total.memberCount == 2)
        let edge = try #require(b.downstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = a
        a.set(50)
        c.set(5)
        #expect(total.value == 5)
        total.insert(a)
        #expect(total.value == 55)
        edge.to = nil
        total.removeUpstreamNodes()
        #expect(total.memberCount == 0)
        total.insert(b)
        #expect(total.value == 3)
        expectSound(graph, a, b, c, total)
    }

    @Test("the list is in the order of the keys, the dictionary by them")
    func keys() {
        let list = graph.gather(GatherList<Int>())
        let byKey = graph.gather(GatherDictionary<Int>())
        for (number, key) in ["d", "b", "e", "a"].enumerated() {
            let node = graph.mutable(number)
            list.insert(node, as: key)
            byKey.insert(node, as: key)
        }
        #expect(list.value == [3, 1, 0, 2])
        #expect(byKey.value == ["d": 0, "b": 1, "e": 2, "a": 3])
    }

    @Test("it holds its members, and is released with its last holder")
    func release() {
        expectReleased { source in
            let total = source.graph.gather(GatherTotal<Int>())
            for factor in 1...5 { total.insert(source.map { $0 * factor }) }
            return total
        }
        let total = graph.gather(GatherTotal<Int>())
        weak var member: Node<Int>?
        do {
            let node = graph.mutable(1)
            member = node
            total.insert(node)
        }
        #expect(member != nil)
        if let member { total.remove(member) }
        #expect(member == nil)
    }

    @Test("the values of members die when they are replaced or leave, and with the node")
    func deaths() {
        final class Thing {}
        weak var first: Thing?
        weak var second: Thing?
        let count = graph.gather(GatherCount<Thing>())
        do {
            let (one, two) = (Thing(), Thing())
            (first, second) = (one, two)
            let node = graph.mutable(one)
            count.insert(node)
            node.set(two)
        }
        #expect(first == nil && second != nil)
        count.removeUpstreamNodes()
        #expect(second == nil)
    }

    @Test("a ring through a member ends where it began")
    func ring() {
        let (a, b) = (graph.mutable(1), graph.mutable(10))
        let total = graph.gather(GatherTotal<Int>())
        total.insert(a)
        total.insert(b)
        let copy = total.map { $0 }
        b.link(to: copy, replay: false)
        let heard = Recorder(total, replay: false)
        a.set(2)
        #expect(heard.history == [12] && b.value == 12)
        expectSound(graph, a, b, total)
    }

    @Test("a saved graph continues with the same members and values (G-164)")
    func saving() throws {
        func build() -> (graph: Graph, nodes: [MutableNode<Int>], sum: GatheringNode<GatherTotal<Int>>) {
            let graph = Graph()
            let nodes = (0..<4).map { _ in graph.mutable(of: Int.self) }
            let total = graph.gather(GatherTotal<Int>())
            for node in nodes { total.insert(node) }
            return (graph, nodes, total)
        }
        let old = build()
        for (number, node) in old.nodes.dropLast().enumerated() { node.set(number + 1) }
        old.sum.remove(old.nodes[0])
        var writer = StateWriter { value, bytes in bytes.append(UInt8(value as? Int ?? 0)) }
        old.graph.saveState(of: old.nodes + [old.sum], to: &writer)
        #expect(writer.error == nil)

        let new = build()
        var reader = StateReader(writer.bytes) { bytes, _ in bytes.reduce(0) { $0 << 8 | Int($1) } }
        // In another order than that of the edges.
        try new.graph.restoreState(of: new.nodes + [new.sum], from: &reader)
        #expect(new.sum.value == 5 && new.sum.memberCount == 3)
        new.nodes[3].set(10)
        new.nodes[0].set(100)
        #expect(new.sum.value == 15)
        expectSound(new.graph, new.sum, new.nodes[0], new.nodes[3])
    }

    @Test(
        "random comings, goings and sets: every reduction is what a naive one makes of the members (F-5)",
        arguments: 0..<40
    )
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let graph = Graph(propagation: generator.chance(1, in: 3) ? .immediate : .settled)
        let world = GatherWorld(graph)
        var nodes: [(node: MutableNode<Double>, key: String)] = []
        var members: Set<Int> = []
        for number in 0..<30 {
            nodes.append((graph.mutable(of: Double.self), "k\(100 - number)"))
        }
        for _ in 0..<400 {
            let index = generator.below(nodes.count)
            let (node, key) = nodes[index]
            switch generator.below(6) {
            case 0 where members.contains(index):
                members.remove(index)
                world.remove(node)
            case 1:
                members.insert(index)
                world.insert(node, key)
            case 2: node.clear()
            case 3:
                let others = (0..<4).map { _ in generator.below(nodes.count) }
                let value = Double(generator.below(5))
                graph.batch { batch in for other in others { batch.set(nodes[other].node, value) } }
            default: node.set(Double(generator.below(9)) / 10)
            }
            let values = nodes.indices.filter { members.contains($0) && !nodes[$0].node.isEmpty }
                .sorted { nodes[$0].key < nodes[$1].key }.compactMap { nodes[$0].node.value }
            world.expect(values)
        }
        #expect(graph.validate(roots: nodes.map(\.node) + world.all) == [])
    }

    @Test("100,000 members: what a change costs does not grow with them")
    func many() {
        let count = 100_000
        let average = graph.gather(GatherAverage<Double>())
        let nodes = (0..<count).map { graph.mutable(Double($0)) }
        average.update { for node in nodes { average.insert(node) } }
        #expect(average.value == Double(count - 1) / 2)
        let searched = graph.engine.ranks.searchedNodes
        for node in nodes { node.set(1) }
        for node in nodes.dropFirst() { average.remove(node) }
        #expect(average.value == 1 && average.memberCount == 1)
        #expect(graph.engine.ranks.searchedNodes == searched)
    }
}

/// Every reduction over the same members.
private final class GatherWorld {
    let sum: GatheringNode<GatherSum<Double>>
    let average: GatheringNode<GatherAverage<Double>>
    let least: GatheringNode<GatherExtreme<Double>>
    let greatest: GatheringNode<GatherExtreme<Double>>
    let count: GatheringNode<GatherCount<Double>>
    let list: GatheringNode<GatherList<Double>>
    let all: [AnyNode]

    init(_ graph: Graph) {
        sum = graph.gather(GatherSum())
        average = graph.gather(GatherAverage())
        least = graph.gather(.min)
        greatest = graph.gather(.max)
        count = graph.gather(GatherCount())
        list = graph.gather(GatherList())
        all = [sum, average, least, greatest, count, list]
    }

    func insert(_ node: Node<Double>, _ key: String) {
        sum.insert(node, as: key)
        average.insert(node, as: key)
        least.insert(node, as: key)
        greatest.insert(node, as: key)
        count.insert(node, as: key)
        list.insert(node, as: key)
    }

    func remove(_ node: Node<Double>) {
        sum.remove(node)
        average.remove(node)
        least.remove(node)
        greatest.remove(node)
        count.remove(node)
        list.remove(node)
    }

    /// `values` in the order of their keys.
    func expect(_ values: [Double]) {
        var exact = ExactSum<Double>()
        for value in values { exact.add(value) }
        #expect(sum.value == exact.value)
        #expect(average.value == exact.mean)
        #expect(least.value == values.min())
        #expect(greatest.value == values.max())
        #expect(count.value == values.count)
        #expect(list.value == values)
    }
}
