import ReactiveGraph
import TestSupport
import Testing

@Suite("Prefix")
struct PrefixTests {
    let graph = Graph()

    @Test("Lets the first values through (G-70)", arguments: [(0, []), (2, [1, 2]), (9, [1, 2, 3])])
    func emits(count: Int, expected: [Int]) {
        let source = graph.mutable(1)
        let heard = Recorder(source.prefix(count))
        source.set(2)
        source.set(3)
        #expect(heard.history == expected)
    }

    @Test("Detaches after its last value (G-70)")
    func detaches() {
        let source = graph.mutable(1)
        let prefix = source.prefix(2)
        #expect(prefix.hasUpstreamNode)
        source.set(2)
        #expect(!prefix.hasUpstreamNode && !source.hasDownstreamNode)
        expectSound(graph, source, prefix)
    }

    @Test("prefix hands its last value on before the next edge is served, and after it releases its source")
    func lastValue() {
        var source: MutableNode<Int>? = graph.mutable(of: Int.self)
        let prefix = source?.prefix(1)
        var order: [String] = []
        let bag = CancellableBag()
        prefix?.map { $0 + 1 }.listen(in: bag) { order.append("prefix \($0)") }
        source?.set(1)
        #expect(order == ["prefix 2"])
        weak let gone = source
        source = nil
        #expect(gone == nil)
        #expect(prefix?.value == 1)
    }

    @Test("A source that prefix releases in its own pass stays on the path (G-40)")
    func path() {
        let source = graph.mutable(of: Int.self)
        var middle: Node<Int>? = source.map { $0 }
        let id = middle?.id ?? 0
        let prefix = middle?.prefix(1)
        middle = nil
        let bag = CancellableBag()
        var paths: [[UInt64]] = []
        prefix?.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            paths.append(delivery.path.ids)
        }
        source.set(1)
        #expect(paths == [[source.id, id, prefix?.id ?? 0]])
    }

    @Test("A long chain of prefixes uses no native stack for its last values")
    func deep() {
        let source = graph.mutable(of: Int.self)
        var chain: Node<Int> = source
        for _ in 0..<100_000 { chain = chain.prefix(1) }
        source.set(4)
        #expect(chain.value == 4)
        #expect(graph.counts.liveEdges == 0)
    }

    @Test("Ignores empty, unless it travels; is released with its last holder")
    func emptyAndRelease() {
        let source = graph.mutable(1)
        let derived = source.prefix(5)
        source.clear()
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
        expectReleased { $0.prefix(5) }
    }
}
