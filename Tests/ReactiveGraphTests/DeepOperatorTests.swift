import ReactiveGraph
import TestSupport
import Testing

/// One way to put a node behind another, over and over.
struct DeepChain: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// By how much the value rises from stage to stage.
    let step: Int
    /// The stage after a node; the second argument is a node that holds 0 and lives as long as the
    /// chain.
    let grow: @Sendable (Graph, MutableNode<Int>, Node<Int>) -> Node<Int>

    init(
        _ name: String,
        step: Int = 1,
        _ grow: @escaping @Sendable (Graph, MutableNode<Int>, Node<Int>) -> Node<Int>
    ) {
        testDescription = name
        self.step = step
        self.grow = grow
    }

    static let synchronous: [DeepChain] = [
        DeepChain("map") { $2.map { $0 + 1 } },
        DeepChain("filter", step: 0) { $2.filter { $0 >= 0 } },
        DeepChain("scan", step: 0) { $2.scan(0) { max($0, $1) } },
        DeepChain("distinct", step: 0) { $2.distinct() },
        DeepChain("skip", step: 0) { $2.skip(0) },
        DeepChain("take", step: 0) { $2.take(100) },
        DeepChain("tryMap") { $2.tryMap { $0 + 1 } },
        DeepChain("transform") { $2.transform(named: "Add") { emission, _ in emission.map { $0 + 1 } } },
        DeepChain("fork", step: 0) { $2.fork() },
        DeepChain("link", step: 0) { graph, _, last in
            let next = graph.node(of: Int.self)
            next.link(to: last)
            return next
        },
        DeepChain("merge", step: 0) { Node.merge([$2, $1]) },
        DeepChain("combine") { Node.combineEach($2, $2) { max($0, $1) + 1 } },
        DeepChain("combine of a list") { Node.combineEach([$2, $1]) { $0[0] + 1 } },
        DeepChain("zip") { Node.zipEach($2, $2) { max($0, $1) + 1 } },
        DeepChain("switch and case", step: 0) { $2.switch { _ in 0 }.case(0) },
        DeepChain("split", step: 0) { $2.split { $0 >= 0 }.thenNode },
        DeepChain("flattenMap to new nodes") { graph, _, last in
            last.flattenMap { [unowned graph] in graph.node($0 + 1) }
        },
        DeepChain("flattenMap that follows the chain", step: 0) { _, constant, last in
            constant.flattenMap { _ in last }
        },
    ]

    static let delayed: [DeepChain] = [
        DeepChain("delay", step: 0) { $2.delay(for: .milliseconds(1)) },
        DeepChain("debounce", step: 0) { $2.debounce(for: .milliseconds(1)) },
        DeepChain("sample", step: 0) { $2.sample(every: .milliseconds(1)) },
    ]
}

@Suite("Depth of each operator: built, set and freed without native stack in proportion (G-49, G-68, G-138)")
struct DeepOperatorTests {
    private static func live(_ kind: DeepChain, _ length: Int, stackBytes: Int) {
        onThread(stackBytes: stackBytes) {
            let clock = ManualClock()
            let graph = Graph(clock: clock)
            let source = graph.mutable(0)
            let constant = graph.mutable(0)
            let wait = Duration.milliseconds(length)
            var chain: Node<Int>? = source
            for _ in 0..<length { chain = chain.map { kind.grow(graph, constant, $0) } }
            clock.advance(by: wait)
            for value in 1...3 {
                source.set(value)
                clock.advance(by: wait)
            }
            #expect(chain?.value == 3 + kind.step * length)
            chain = nil
            #expect(graph.counts.liveNodes == 2)
            #expect(graph.counts.liveEdges == 0)
        }
    }

    // A call takes no less than 50 bytes of stack.
    @Test("5,000 on 128 KiB", arguments: DeepChain.synchronous + DeepChain.delayed)
    func short(kind: DeepChain) {
        Self.live(kind, 5_000, stackBytes: 128 << 10)
    }

    @Test(
        "100,000 on 512 KiB",
        .enabled(if: Nightly.isOn),
        arguments: DeepChain.synchronous + DeepChain.delayed
    )
    func hundredThousand(kind: DeepChain) {
        Self.live(kind, 100_000, stackBytes: 512 << 10)
    }

    @Test(
        "A million on 8 MiB",
        .enabled(if: Nightly.isOn),
        arguments: DeepChain.synchronous + DeepChain.delayed
    )
    func million(kind: DeepChain) {
        Self.live(kind, 1_000_000, stackBytes: 8 << 20)
    }

    private static func liveRing(_ length: Int, stackBytes: Int) {
        onThread(stackBytes: stackBytes) {
            let graph = Graph()
            var nodes = [graph.mutable(0)]
            for _ in 1..<length {
                let next = graph.mutable(of: Int.self)
                next.link(to: nodes[nodes.count - 1])
                nodes.append(next)
            }
            let closing = nodes[0].link(to: nodes[length - 1])
            for value in 1...3 { nodes[value].set(value) }
            #expect(nodes.allSatisfy { $0.value == 3 })
            closing?.cancel()
            nodes = []
            #expect(graph.counts.liveNodes == 0)
        }
    }

    private static func liveSyncs(_ length: Int, stackBytes: Int) {
        onThread(stackBytes: stackBytes) {
            let graph = Graph()
            let bag = CancellableBag()
            var nodes = [graph.mutable(0)]
            for _ in 1..<length {
                let next = graph.mutable(of: Int.self)
                nodes[nodes.count - 1].sync(with: next).store(in: bag)
                nodes.append(next)
            }
            for value in 1...3 { nodes[length / value - 1].set(value) }
            #expect(nodes.allSatisfy { $0.value == 3 })
            bag.cancel()
            nodes = []
            #expect(graph.counts.liveNodes == 0)
        }
    }

    @Test("A ring and a chain of syncs, 20,000 on 128 KiB")
    func rings() {
        Self.liveRing(20_000, stackBytes: 128 << 10)
        Self.liveSyncs(20_000, stackBytes: 128 << 10)
    }

    @Test(
        "A ring and a chain of syncs, 100,000 on 512 KiB and a million on 8 MiB",
        .enabled(if: Nightly.isOn)
    )
    func longRings() {
        Self.liveRing(100_000, stackBytes: 512 << 10)
        Self.liveSyncs(100_000, stackBytes: 512 << 10)
        Self.liveRing(1_000_000, stackBytes: 8 << 20)
        Self.liveSyncs(1_000_000, stackBytes: 8 << 20)
    }
}
