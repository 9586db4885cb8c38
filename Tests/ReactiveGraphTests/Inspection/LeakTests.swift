import ReactiveGraph
import TestSupport
import Testing

@Suite("The leak report (G-56)")
struct LeakTests {
    let graph = Graph()

    /// Rings that nothing holds are reported, and cutting an edge of each frees everything.
    private func expectLeak(
        _ sizes: [Int],
        sourceLocation: SourceLocation = #_sourceLocation,
        _ make: () -> Void
    ) {
        make()
        do {
            let leaked = graph.leakedRings()
            #expect(leaked.map(\.count) == sizes, sourceLocation: sourceLocation)
            for ring in leaked {
                #expect(ring.map(\.id) == ring.map(\.id).sorted(), sourceLocation: sourceLocation)
                for node in ring { node.removeUpstreamNodes() }
            }
        }
        #expect(graph.leakedRings().isEmpty, sourceLocation: sourceLocation)
    }

    @Test("G-56: a ring that nothing holds is reported, in order of creation")
    func ring() {
        expectLeak([3]) {
            let a = graph.mutable(1)
            let c = a.map { $0 }.map { $0 }
            a.link(to: c)
            #expect(graph.leakedRings().isEmpty, "held by variables")
            withExtendedLifetime(a) {}
        }
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("G-56: a variable, a listener or a kept edge anywhere downstream of a ring holds it")
    func held() {
        weak var ring: MutableNode<Int>?
        let bag = CancellableBag()
        var below: Node<Int>?
        var edge: TransformEdge<Int, Int>?
        do {
            let a = graph.mutable(1)
            a.link(to: a.map { $0 })
            ring = a
            below = a.map { $0 }.filter { _ in true }
        }
        #expect(graph.leakedRings().isEmpty)
        ring?.listen(in: bag) { _ in }
        below = nil
        #expect(graph.leakedRings().isEmpty)
        edge = TransformEdge(name: "Kept")
        edge?.from = ring
        bag.cancel()
        #expect(graph.leakedRings().isEmpty)
        edge = nil
        #expect(graph.leakedRings().map(\.count) == [2])
        ring?.removeUpstreamNodes()
        #expect(graph.counts.liveNodes == 0)
        withExtendedLifetime((below, edge)) {}
    }

    @Test("G-56: what a ring holds does not hold it")
    func upstream() {
        let held = graph.mutable(1)
        expectLeak([2]) {
            let a = graph.mutable(1)
            a.link(to: a.map { $0 })
            a.link(to: held)
        }
        #expect(graph.counts.liveNodes == 1 && !held.hasDownstreamNode)
    }

    @Test("G-56, G-103: a ring over an inner following is one")
    func following() {
        expectLeak([2]) {
            let inner = graph.mutable(1)
            let outer = graph.mutable(inner as Node<Int>)
            let flat = outer.flatten()
            inner.link(to: flat)
            #expect(graph.leakedRings().isEmpty)
            outer.clear()
            withExtendedLifetime((inner, outer, flat)) {}
        }
    }

    @Test("G-56: a node that is the value of another, outside the ring, is not held from outside")
    func value() {
        expectLeak([3]) {
            let inner = graph.mutable(1)
            let flat = graph.mutable(inner as Node<Int>).flatten()
            inner.link(to: flat)
        }
        expectLeak([3]) {
            let inner = graph.mutable(1)
            let rooms = graph.mutable(["hall": Optional(inner as Node<Int>)])
            let flat = rooms.flattenMap { $0.values.compactMap(\.self)[0] }
            inner.link(to: flat)
        }
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("G-89: a pair of nodes linked both ways is reported until its link is cancelled")
    func pair() {
        var links: [CancelToken?] = []
        do {
            let a = graph.mutable(1)
            let b = graph.mutable(2)
            links = [a.link(to: b), b.link(to: a)]
        }
        #expect(graph.leakedRings().map(\.count) == [2], "cancellables hold nothing (G-61)")
        for link in links { link?.cancel() }
        #expect(graph.leakedRings().isEmpty && graph.counts.liveNodes == 0)
    }

    @Test(
        "G-56, G-90: rings over a switch and its inner nodes are rings, and the table holds nothing from outside"
    )
    func switches() {
        expectLeak([3]) {
            let numbers = graph.mutable(1)
            numbers.link(to: numbers.switch { $0 > 0 }.case(true))
        }
        #expect(graph.counts.liveNodes == 0)
        expectLeak([4]) {
            let numbers = graph.mutable(1)
            let positive = numbers.switch { $0 > 0 }.case(true)
            // The inner node follows the case: it stands on the ring now.
            positive.followedNodes[0].removeUpstreamNodes()
            (positive.followedNodes[0] as? Node<Int>)?.link(to: positive)
            numbers.link(to: positive)
        }
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("G-56, G-129: a registry that holds a node of a ring holds the ring")
    func registry() {
        let registry = Registry(graph: graph, policy: .always)
        do {
            let a = registry.mutable("/a", as: Int.self)
            a.link(to: a.map { $0 })
        }
        #expect(graph.leakedRings().isEmpty)
        #expect(registry.remove("/a"))
        #expect(graph.leakedRings().map(\.count) == [2])
        graph.leakedRings()[0][0].removeUpstreamNodes()
    }

    @Test("A ring over a delay is one")
    func delayed() {
        let graph = Graph(clock: ManualClock())
        do {
            let a = graph.mutable(1)
            a.link(to: a.delay(for: .seconds(1)))
        }
        #expect(graph.leakedRings().map(\.count) == [2])
        graph.leakedRings()[0][0].removeUpstreamNodes()
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("Two rings that share a node are one component; two that do not are two, oldest first")
    func several() {
        expectLeak([3, 2]) {
            let shared = graph.mutable(1)
            let other = graph.mutable(2)
            shared.link(to: shared.map { $0 })
            shared.link(to: shared.map { $0 })
            other.link(to: other.map { $0 })
        }
    }

    @Test("A held ring and what it holds are not reported, a lost one beside it is")
    func heldAndLost() {
        let held = graph.mutable(1)
        do {
            let lost = graph.mutable(1)
            lost.link(to: lost.map { $0 })
            held.link(to: held.map { $0 })
            lost.link(to: held)
            #expect(graph.leakedRings().isEmpty)
        }
        #expect(graph.leakedRings().map(\.count) == [2])
        graph.leakedRings()[0][0].removeUpstreamNodes()
        held.removeUpstreamNodes()
        #expect(graph.counts.liveNodes == 1)
    }

    @Test("G-67: a dead owner's listen holds a ring until it is noticed")
    func deadOwner() {
        final class Owner {}
        do {
            let owner = Owner()
            let a = graph.mutable(1)
            a.link(to: a.map { $0 })
            a.listen(owner: owner) { _, _ in }
        }
        graph.collect()
        #expect(graph.leakedRings().map(\.count) == [2])
        graph.leakedRings()[0][0].removeUpstreamNodes()
    }

    @Test("G-49: a ring of 100,000 nodes is reported and freed on 512 KiB")
    func deep() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            do {
                let first = graph.mutable(0)
                var last: Node<Int> = first
                for _ in 1..<100_000 { last = last.map { $0 } }
                first.link(to: last)
            }
            #expect(graph.leakedRings().map(\.count) == [100_000])
            graph.leakedRings()[0][0].removeUpstreamNodes()
            #expect(graph.counts.liveNodes == 0)
        }
    }

    @Test("10,000 held rings over one node are searched once")
    func many() {
        let hub = graph.mutable(0)
        let rings = (0..<10_000).map { _ in
            let node = hub.map { $0 }
            node.link(to: node.map { $0 })
            return node
        }
        #expect(graph.leakedRings().isEmpty)
        for node in rings { node.removeUpstreamNodes() }
    }
}
