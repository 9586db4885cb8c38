import ReactiveGraph
import TestSupport
import Testing

@Suite("Skip")
struct SkipTests {
    let graph = Graph()

    @Test(
        "Drops the first values, the replay included (G-70)",
        arguments: [(0, [1, 2, 3]), (2, [3]), (9, [])]
    )
    func emits(count: Int, expected: [Int]) {
        let source = graph.mutable(1)
        let heard = Recorder(source.skip(count))
        source.set(2)
        source.set(3)
        #expect(heard.history == expected)
    }

    @Test("Counts anew when its source changes to a different node, not for the same (G-70)")
    func resets() throws {
        let source = graph.mutable(1)
        let other = graph.mutable(10)
        let derived = source.skip(1)
        let heard = Recorder(derived)
        let edge = try #require(derived.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = source
        #expect(heard.history == [1])
        edge.from = other
        #expect(heard.history == [1])
        other.set(11)
        #expect(heard.history == [1, 11])
    }

    @Test("Does not count emptiness")
    func empty() {
        let source = graph.mutable(of: Int.self)
        let heard = Recorder(source.skip(1))
        source.clear()
        source.set(1)
        source.set(2)
        #expect(heard.history == [2])
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.skip(1) }
    }
}
