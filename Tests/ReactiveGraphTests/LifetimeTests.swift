import ReactiveGraph
import TestSupport
import Testing

@Suite("Lifetime")
struct LifetimeTests {
    let graph = Graph()

    @Test(
        "A derived node that is not kept is freed at the end of the statement; its function has run once (G-55)"
    )
    func statement() {
        let source = graph.mutable(1)
        var calls = 0
        _ = source.map { _ in calls += 1 }
        #expect(calls == 1)
        #expect(graph.counts.liveNodes == 1)
        #expect(graph.counts.releasedNodes == 1)
    }

    @Test("Every released node is reported, in the same call (G-53)")
    func onRelease() {
        var released: [UInt64] = []
        graph.onRelease = { released.append($0) }
        let source = graph.mutable(1)
        var chain: Node<Int>? = source.map { $0 }.map { $0 }
        let id = chain?.id
        chain = nil
        #expect(released.first == id)
        #expect(released.count == 2)
    }

    @Test("A branch cut during a turn is freed at once; its functions are not called any more (G-66a)")
    func cutBranch() {
        let source = graph.mutable(0)
        var calls = 0
        var branch: Node<Int>? = source.map { value in
            calls += 1
            return value
        }
        let bag = CancellableBag()
        source.listen(in: bag, replay: false) { _ in
            branch = nil
            #expect(self.graph.counts.liveNodes == 1)
        }
        source.set(1)
        #expect(calls == 1)
        #expect(branch == nil)
    }

    @Test("Closures are released when the outermost turn ends (G-66a)")
    func closures() {
        final class Token {}
        let source = graph.mutable(0)
        let bag = CancellableBag()
        weak var token: Token?
        var branch: Node<Int>?
        do {
            let made = Token()
            token = made
            branch = source.map { value in
                withExtendedLifetime(made) { value }
            }
        }
        var seen: Bool?
        source.listen(in: bag, replay: false) { _ in
            branch = nil
            seen = token != nil && branch == nil
        }
        source.set(1)
        #expect(seen == true)
        #expect(token == nil)
    }

    @Test("A node that loses its last holder in its own pass completes it (G-66)")
    func ownPass() {
        var source: MutableNode<Int>? = graph.mutable(0)
        var listens: [CancelToken] = []
        let bag = CancellableBag()
        var heard: [Int] = []
        listens.append(
            source!.listen(in: bag, replay: false) { _ in
                source = nil
                listens[0].cancel()
            }
        )
        listens.append(source!.listen(in: bag, replay: false) { heard.append($0) })
        source?.set(1)
        #expect(heard == [1])
        bag.cancel()
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("A ring holds itself until an edge on it is cut; it is reported while it is unreachable (G-56)")
    func rings() {
        var a: MutableNode<Int>? = graph.mutable(1)
        var b: MutableNode<Int>? = graph.mutable(2)
        a!.link(to: b!)
        let link = b!.link(to: a!)
        #expect(graph.leakedRings().isEmpty)
        let tail = Recorder(b!.map { $0 })
        a = nil
        b = nil
        #expect(graph.counts.liveNodes == 3)
        #expect(graph.leakedRings().isEmpty)
        tail.listenBag.cancel()
        #expect(graph.counts.liveNodes == 2)
        let leaked = graph.leakedRings()
        #expect(leaked.map(\.count) == [2])
        link?.cancel()
        #expect(graph.leakedRings().isEmpty)
    }

    @Test("A ring that something holds further down is not reported (G-56)")
    func heldRing() {
        var outside: Node<Int>?
        do {
            let a = graph.mutable(1)
            let b = graph.mutable(2)
            a.link(to: b)
            b.link(to: a)
            outside = b.map { $0 }
        }
        #expect(graph.leakedRings().isEmpty)
        #expect(outside?.value == 2)
        outside = nil
        #expect(graph.leakedRings().map(\.count) == [2])
        for node in graph.leakedRings().joined() { node.removeUpstreamNodes() }
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("A node keeps its graph alive, nothing else does")
    func graphLives() {
        weak var engine: Graph?
        var node: Node<Int>?
        do {
            let graph = Graph()
            engine = graph
            node = graph.mutable(1).map { $0 }
        }
        #expect(engine != nil)
        #expect(node?.value == 1)
        node = nil
        #expect(engine == nil)
    }

    @Test("A value whose death sets nodes and releases others does no harm")
    func deadlyValue() {
        final class Bomb {
            let action: () -> Void
            init(_ action: @escaping () -> Void) { self.action = action }
            deinit { action() }
        }
        let source = graph.mutable(of: Bomb.self)
        let counter = graph.mutable(0)
        var victim: Node<Bomb>? = source.map { $0 }
        let heard = Recorder(counter.map { $0 })
        source.set(
            Bomb {
                counter.set(counter.value(default: 0) + 1)
                victim = nil
            }
        )
        source.set(Bomb {})
        #expect(heard.history.last == 1)
        #expect(victim == nil)
        expectSound(graph, source, counter)
    }

    @Test("Random links and cuts leave nothing behind", arguments: 0..<20)
    func random(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        do {
            var nodes: [MutableNode<Int>] = (0..<12).map { graph.mutable($0) }
            var bags: [CancellableBag] = [CancellableBag()]
            for step in 0..<400 {
                guard let a = nodes.randomElement(using: &random), let b = nodes.randomElement(using: &random)
                else { break }
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1: a.link(to: b)
                case 2: a.removeUpstreamNode(b)
                case 3: a.set(step)
                case 4: b.map { $0 &+ 1 }.filter { $0 % 3 != 0 }.listen(in: bags[0]) { _ in }
                case 5: Node.combineEach(a, b, &+).listen(in: bags[0]) { _ in }
                case 6: bags = [CancellableBag()]
                case 7: a.link(to: b.distinct())
                default:
                    nodes.removeAll { $0 === a }
                    nodes.append(graph.mutable(step))
                }
                if step % 50 == 0 {
                    #expect(
                        graph.validate(roots: nodes + [a, b] + graph.leakedRings().joined()) == [],
                        "seed \(seed)"
                    )
                    let lost = graph.leakedRings().reduce(0) { $0 + $1.count }
                    #expect(LeakCount.inSteps(of: 1 + step % 7, in: graph) == lost, "seed \(seed)")
                }
            }
            for node in nodes { node.removeUpstreamNodes() }
        }
        while let node = graph.leakedRings().first?.first { node.removeUpstreamNodes() }
        #expect(graph.counts.liveNodes == 0, "seed \(seed)")
        #expect(graph.counts.liveEdges == 0, "seed \(seed)")
    }

    @Test("What only a listen kept is freed when it is cancelled, within the turn too (G-53, G-66a)")
    func cutListen() {
        let source = graph.mutable(0)
        let bag = CancellableBag()
        var calls = 0
        var listen: CancelToken?
        source.listen(in: bag, replay: false) { _ in
            listen?.cancel()
            #expect(self.graph.counts.liveNodes == 1)
        }
        listen = source.map { value in
            calls += 1
            return value
        }.map { $0 }.listen(in: bag) { _ in }
        source.set(1)
        #expect(calls == 1)
    }
}
