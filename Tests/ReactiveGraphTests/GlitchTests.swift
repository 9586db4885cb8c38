import ReactiveGraph
import TestSupport
import Testing

/// Random graphs without rings, and random batches.
///
/// Each source is set to the number of the commit, each node's value says which commits of which
/// sources it was made of, so a listener can tell an old part from a new one.
@Suite("Properties of random graphs (G-34a, G-50, G-136, G-137)")
struct GlitchTests {
    /// Source → the commit that its part is of.
    typealias Parts = [Int: Int]

    @Test("G-50, G-136: what follows a join sees inputs of one commit only, and is called once per commit")
    func glitchFree() {
        for seed in 1...UInt64(Nightly.isOn ? 5_000 : 250) {
            let problem = Run(seed: seed).problem(commits: 25)
            #expect(problem == nil, "seed \(seed)")
            if problem != nil { return }
        }
    }

    /// A control: without settling, the same graphs show old and new parts together.
    @Test("G-50: immediate joins do mix, so the check can tell")
    func immediateMixes() {
        let mixed = (1...40).count { Run(seed: $0, propagation: .immediate).problem(commits: 25) != nil }
        #expect(mixed > 20)
    }

    @Test("G-50, G-75: emptiness that passes a sample reaches the join after it once")
    func emptinessPastSample() {
        let clock = ManualClock()
        let graph = Graph(clock: clock, propagatesEmpty: true)
        let source = graph.mutable(1)
        let sum = Node.combineEach(source, source.map { $0 }) { $0 + $1 }
        let sampled = sum.sample(every: .seconds(1))
        clock.advance(by: .seconds(1))
        let both = Node.combineEach(sampled, source) { $0 + $1 }
        let bag = CancellableBag()
        var heard: [Int?] = []
        both.listenEmissions(in: bag, replay: false) { emission, _ in heard.append(emission.value) }
        source.clear()
        #expect(heard == [nil])
    }

    @Test("G-50: on a ring, the edge that delivers later is the one that does not bind the joins")
    func ringOverDelay() {
        let clock = ManualClock()
        let graph = Graph(clock: clock)
        let (source, back) = (graph.mutable(1), graph.mutable(0))
        let first = Node.combineEach(back, source) { $0 + $1 }
        let second = Node.combineEach(first.delay(for: .seconds(1)), source) { $1 * 100 + $0 * 0 }
        clock.advance(by: .seconds(1))
        back.link(to: second)
        let bag = CancellableBag()
        var heard: [Int] = []
        first.listen(in: bag, replay: false) { heard.append($0) }
        source.set(2)
        #expect(heard == [202])
    }

    @Test("G-137: any number of stacked diamonds costs one call each", arguments: [1, 2, 3, 10, 100])
    func diamonds(count: Int) {
        let graph = Graph()
        let source = graph.mutable(0)
        var calls = 0
        var last: Node<Int> = source
        for _ in 0..<count {
            last = Node.combineEach(last.fork(), last.fork()) { one, other in
                calls += 1
                return one == other ? one : -1
            }
        }
        for value in 1...3 {
            calls = 0
            source.set(value)
            #expect(calls == count && last.value == value)
        }
    }

    @Test("G-137: in a clique of synced nodes a set reaches each node once", arguments: 2...9)
    func cliques(count: Int) {
        let graph = Graph()
        let nodes = (0..<count).map { graph.mutable($0) }
        for (index, node) in nodes.enumerated() {
            for other in nodes[..<index] { other.sync(with: node) }
        }
        let bag = CancellableBag()
        var sets = 0
        for node in nodes { node.listen(in: bag, replay: false) { _ in sets += 1 } }
        for (turn, node) in nodes.enumerated() {
            sets = 0
            node.set(100 + turn)
            #expect(sets == count && nodes.allSatisfy { $0.value == 100 + turn })
        }
        for node in nodes { node.removeUpstreamNodes() }
    }

    /// One random graph.
    private final class Run {
        private var random: SeededGenerator
        private let graph: Graph
        private var sources: [MutableNode<Parts>] = []
        private var nodes: [Node<Parts>] = []
        private let bag = CancellableBag()
        private var current: Parts = [:]
        private var calls: [UInt64: Int] = [:]
        private var found: String?
        private var isMaking = true

        init(seed: UInt64, propagation: Graph.Propagation = .settled) {
            random = SeededGenerator(seed: seed)
            graph = Graph(propagation: propagation)
            for index in 0..<(2 + random.below(4)) {
                current[index] = 0
                sources.append(graph.mutable([index: 0]))
            }
            nodes = sources
            for _ in 0..<(6 + random.below(16)) { nodes.append(makeNode()) }
            isMaking = false
        }

        /// Commits a few times; says what a listener has seen that it should not.
        func problem(commits: Int) -> String? {
            for commit in 1...commits {
                calls = [:]
                let chosen = sources.indices.filter { _ in random.chance(1, in: 2) }
                for index in chosen { current[index] = commit }
                graph.batch { batch in
                    for index in chosen.shuffled(using: &random) {
                        batch.set(sources[index], [index: commit])
                    }
                }
                if let found { return found }
            }
            return nil
        }

        private func makeNode() -> Node<Parts> {
            switch random.below(8) {
            case 0: return pick().fork()
            case 1: return pick().map { $0 }
            case 2: return Node.merge([pick(), pick()])
            case 3:
                let inner = [pick(), pick(), pick()]
                return pick().flattenMap { inner[abs($0.values.reduce(0, +)) % inner.count] }
            case 4, 5:
                return checked(Node.combineEach(pick(), pick(), pick()) { Self.together([$0, $1, $2]) })
            case 6:
                let inputs = (0..<(2 + random.below(4))).map { _ in pick() }
                return checked(Node.combineEach(inputs) { Self.together($0) })
            default: return checked(Node.combineEach(pick(), pick()) { Self.together([$0, $1]) })
            }
        }

        private func pick() -> Node<Parts> { nodes[random.below(nodes.count)] }

        /// Parts of one source that differ become −1.
        private static func together(_ parts: [Parts]) -> Parts {
            parts.reduce(into: [:]) { all, some in all.merge(some) { $0 == $1 ? $0 : -1 } }
        }

        /// Listens to a join, and to what is made of it.
        private func checked(_ join: Node<Parts>) -> Node<Parts> {
            for node in [join, join.map { $0 }] {
                node.listen(in: bag, replay: false) { [unowned self, unowned node] parts in
                    guard !isMaking else { return }
                    calls[node.id, default: 0] += 1
                    if calls[node.id] != 1 { found = found ?? "n\(node.id) is called twice in a commit" }
                    for (source, commit) in parts where commit != current[source] {
                        found =
                            found ?? "n\(node.id) has source \(source) of commit \(commit), not \(current)"
                    }
                }
            }
            return join
        }
    }
}
