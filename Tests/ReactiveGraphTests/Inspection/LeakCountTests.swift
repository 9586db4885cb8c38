import Testing

@testable import ReactiveGraph

extension LeakCount {
    /// The whole count, so many edges at a time.
    static func inSteps(of edges: Int, in graph: Graph) -> Int? {
        var count = LeakCount(in: graph)
        while true {
            var steps = edges
            switch count.goOn(for: &steps) {
            case .found(let nodes): return nodes
            case .disturbed: return nil
            case .unfinished: continue
            }
        }
    }
}

@Suite("Counting lost nodes in steps (G-56, I-3)")
struct LeakCountTests {
    let graph = Graph()

    /// A ring of so many nodes that nothing holds, and a node that cuts it.
    private func makeLeak(_ count: Int) {
        let first = graph.mutable(1)
        var last: Node<Int> = first
        for _ in 1..<count { last = last.map { $0 } }
        first.link(to: last)
    }

    private func cut() {
        while let node = graph.leakedRings().first?.first { node.removeUpstreamNodes() }
    }

    @Test("I-3: it finds what leakedRings finds, however small its steps", arguments: [1, 2, 3, 1_000])
    func steps(edges: Int) {
        #expect(LeakCount.inSteps(of: edges, in: graph) == 0)
        makeLeak(3)
        makeLeak(5)
        let held = graph.mutable(1)
        held.link(to: held.map { $0 })
        let bag = CancellableBag()
        makeLeakAbove(bag)
        #expect(graph.leakedRings().map(\.count) == [3, 5])
        #expect(LeakCount.inSteps(of: edges, in: graph) == 8)
        bag.cancel()
        #expect(LeakCount.inSteps(of: edges, in: graph) == 10)
        cut()
        #expect(LeakCount.inSteps(of: edges, in: graph) == 0)
        withExtendedLifetime(held) {}
    }

    /// A ring of two that only a listener far below it holds.
    private func makeLeakAbove(_ bag: CancellableBag) {
        let first = graph.mutable(1)
        first.link(to: first.map { $0 })
        first.map { $0 }.filter { _ in true }.listen(in: bag) { _ in }
    }

    @Test("I-3: one call looks at as many edges as it was told, and says what is left")
    func bound() {
        makeLeak(100)
        var count = LeakCount(in: graph)
        var calls = 0
        while true {
            var steps = 10
            calls += 1
            let outcome = count.goOn(for: &steps)
            if outcome == .unfinished {
                #expect(steps == 0)
                continue
            }
            #expect(outcome == .found(100))
            break
        }
        #expect((20...60).contains(calls), "edges, nodes and their ends: \(calls)")
        var steps = 1_000_000
        count = LeakCount(in: graph)
        #expect(count.goOn(for: &steps) == .found(100) && (999_000..<1_000_000).contains(steps))
        cut()
    }

    @Test("I-3: a ring with a holder costs no more than the way to it, however large the graph")
    func early() {
        let first = graph.mutable(1)
        var last: Node<Int> = first
        for _ in 0..<10_000 { last = last.map { $0 } }
        first.link(to: last)
        let bag = CancellableBag()
        for _ in 0..<1_000 { first.listen(in: bag) { _ in } }
        var count = LeakCount(in: graph)
        var steps = 100_000
        #expect(count.goOn(for: &steps) == .found(0))
        #expect(steps > 90_000)
        bag.cancel()
        withExtendedLifetime(first) {}
        first.removeUpstreamNodes()
    }

    @Test("I-3: where edges come or go between two steps the count ends, and nothing freed is looked at")
    func disturbed() {
        for disturb in [
            { (graph: Graph) in cutLast(graph) },
            { (graph: Graph) in _ = graph.mutable(1).map { $0 } },
        ] {
            makeLeak(50)
            var count = LeakCount(in: graph)
            var steps = 20
            #expect(count.goOn(for: &steps) == .unfinished)
            disturb(graph)
            steps = 1_000
            #expect(count.goOn(for: &steps) == .disturbed)
            cut()
        }
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("I-3: values may change between two steps")
    func undisturbed() {
        let node = graph.mutable(1)
        node.link(to: node.map { $0 }.distinct())
        makeLeak(50)
        var count = LeakCount(in: graph)
        var steps = 20
        #expect(count.goOn(for: &steps) == .unfinished)
        node.set(2)
        steps = 10_000
        #expect(count.goOn(for: &steps) == .found(50))
        cut()
    }
}

private func cutLast(_ graph: Graph) {
    graph.leakedRings().last?.last?.removeUpstreamNodes()
}
