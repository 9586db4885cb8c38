import ReactiveGraph
import TestSupport
import Testing

@Suite("Take")
struct TakeTests {
    let graph = Graph()

    @Test("Lets the first values through (G-70)", arguments: [(0, []), (2, [1, 2]), (9, [1, 2, 3])])
    func emits(count: Int, expected: [Int]) {
        let source = graph.mutable(1)
        let taken = Recorder(source.take(count))
        source.set(2)
        source.set(3)
        #expect(taken.history == expected)
    }

    @Test("Stays attached after its last value (G-70)")
    func detaches() {
        let source = graph.mutable(1)
        let taken = source.take(2)
        source.set(2)
        #expect(taken.hasUpstreamNode)
        #expect(source.downstreamNodes == [taken])
        expectSound(graph, source, taken)
    }

    @Test("A finished take starts anew on another source (G-70)")
    func resets() throws {
        let source = graph.mutable(1)
        let taken = source.take(1)
        let heard = Recorder(taken)
        let edge = try #require(taken.upstreamTransforms.first as? TransformEdge<Int, Int>)
        source.set(2)
        edge.from = graph.mutable(7)
        #expect(heard.history == [1, 7])
    }

    @Test("Ignores empty, unless it travels")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.take(5)
        source.clear()
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
    }

    @Test("A clear does not start it anew: used up, it stays empty, where a prefix keeps its value (G-70)")
    func staysEmpty() {
        let source = graph.mutable(1)
        let (taken, kept) = (source.take(1), source.prefix(1))
        taken.propagatesEmpty = true
        kept.propagatesEmpty = true
        source.clear()
        #expect(taken.isEmpty && kept.value == 1)
        source.set(2)
        #expect(taken.isEmpty && kept.value == 1)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.take(5) }
    }
}
