import ReactiveGraph
import TestSupport
import Testing

@Suite("Scan")
struct ScanTests {
    let graph = Graph()

    @Test("Emits the running value, not the start; the index counts from 0 (G-72)")
    func emits() {
        let source = graph.mutable(1)
        let sums = Recorder(source.scan(100, +))
        let indexed = Recorder(source.scan("") { $0 + "\($2):\($1) " })
        source.set(2)
        source.set(3)
        #expect(sums.history == [101, 103, 106])
        #expect(indexed.history.last == "0:1 1:2 2:3 ")
    }

    @Test("Starts anew when its source changes to a different node (G-72)")
    func resets() throws {
        let source = graph.mutable(1)
        let sum = source.scan(0, +)
        source.set(2)
        let edge = try #require(sum.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = graph.mutable(10)
        #expect(sum.value == 10)
        let indexed = source.scan(0) { _, _, index in index }
        source.set(3)
        #expect(indexed.value == 1)
        (indexed.upstreamTransforms.first as? TransformEdge<Int, Int>)?.from = graph.mutable(10)
        #expect(indexed.value == 0)
    }

    @Test("Ignores empty: the state stays (G-11)")
    func empty() {
        let source = graph.mutable(1)
        let sum = source.scan(0, +)
        sum.propagatesEmpty = true
        source.clear()
        #expect(sum.isEmpty)
        source.set(2)
        #expect(sum.value == 3)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.scan(0, +) }
    }

    @Test("A reducer that sets its source is served later (G-37)")
    func misbehaves() {
        let source = graph.mutable(of: Int.self)
        let sum = source.scan(0) { running, value in
            if value < 3 { source.set(value + 1) }
            return running + value
        }
        let heard = Recorder(sum)
        source.set(1)
        #expect(heard.history == [1, 3, 6])
        sum.removeUpstreamNodes()
    }
}
