import ReactiveGraph
import TestSupport
import Testing

@Suite("Delta")
struct DeltaTests {
    let graph = Graph()

    @Test("The difference of each value to the one before; the first has none (G-69)")
    func emits() {
        let source = graph.mutable(1)
        let derived = source.delta()
        #expect(derived.isEmpty)
        let heard = Recorder(derived)
        for value in [4, 2, 2] { source.set(value) }
        #expect(heard.history == [3, -2, 0])
    }

    @Test("A difference of one's own gets the value before and the new one (G-69)")
    func function() {
        let source = graph.mutable("a")
        let heard = Recorder(source.apply(Delta<String, String> { "\($0)→\($1)" }))
        source.set("b")
        source.set("c")
        #expect(heard.history == ["a→b", "b→c"])
    }

    @Test("Emptiness does not count as a value, and does not end the sequence (G-11, G-145)")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.delta()
        let heard = Recorder(derived)
        source.clear()
        source.set(4)
        #expect(heard.history == [3])
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
        source.set(6)
        #expect(heard.history == [3, 2])
    }

    @Test("Starts anew when its source changes to a different node, not for the same (G-72)")
    func resets() throws {
        let source = graph.mutable(1)
        let other = graph.mutable(10)
        let derived = source.delta()
        let heard = Recorder(derived)
        let edge = try #require(derived.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = source
        source.set(3)
        edge.from = other
        other.set(11)
        #expect(heard.history.last == 1)
        #expect(!heard.history.contains(9) && !heard.history.contains(7))
    }

    @Test("Is released with its last holder (G-101)")
    func release() {
        expectReleased { $0.delta() }
    }

    @Test("A listener that sets the source hears the next difference in order (G-37)")
    func misbehaves() {
        let source = graph.mutable(0)
        let bag = CancellableBag()
        var heard: [Int] = []
        source.delta().listen(in: bag) { difference in
            heard.append(difference)
            if difference == 5 { source.set(6) }
        }
        source.set(5)
        #expect(heard == [5, 1])
    }
}
