import ReactiveGraph
import TestSupport
import Testing

@Suite("Map")
struct MapTests {
    let graph = Graph()

    @Test("Emits the transform of each value, the present one at creation (G-69)")
    func emits() {
        let source = graph.mutable(1)
        let heard = Recorder(source.map { $0 * 10 })
        source.set(2)
        source.set(2)
        #expect(heard.history == [10, 20, 20])
    }

    @Test("Calls the function once per delivery (G-69)")
    func calls() {
        let source = graph.mutable(1)
        var calls = 0
        let derived = source.map { value in
            calls += 1
            return value
        }
        let heard = [Recorder(derived), Recorder(derived)]
        source.set(2)
        #expect(calls == 2)
        #expect(heard[1].history == [1, 2])
    }

    @Test("Ignores empty: the derived node keeps its value (G-11)")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.map { $0 }
        source.clear()
        #expect(source.isEmpty)
        #expect(derived.value == 1)
    }

    @Test("Becomes empty with its source where emptiness travels (G-145)")
    func emptyTravels() {
        let graph = Graph(propagatesEmpty: true)
        let source = graph.mutable(1)
        let derived = source.map { $0 }.map { $0 + 1 }
        let heard = EmissionRecorder(derived)
        source.clear()
        source.set(5)
        #expect(heard.history == [.value(2), .empty, .value(6)])
        derived.propagatesEmpty = false
        source.clear()
        #expect(derived.value == 6)
    }

    @Test("Is released with its last holder (G-54)")
    func release() {
        expectReleased { $0.map { $0 }.map { $0 } }
    }

    @Test("A function that cuts its own edge stores nothing (G-47)")
    func cutsItself() {
        let source = graph.mutable(1)
        var derived: Node<Int>?
        derived = source.map { value in
            if value == 2 { derived?.removeUpstreamNodes() }
            return value
        }
        source.set(2)
        #expect(derived?.value == 1)
        source.set(3)
        #expect(derived?.value == 1)
        derived = nil
        expectSound(graph, source)
    }

    @Test("A function that releases its node and the source does no harm")
    func dropsItself() {
        var source: MutableNode<Int>? = graph.mutable(1)
        var derived: Node<Int>?
        derived = source?.map { value in
            if value == 2 {
                derived = nil
                source = nil
            }
            return value
        }
        source?.set(2)
        #expect(derived == nil)
        #expect(graph.counts.liveNodes == 0)
    }

    @Test("A function that sets its source is served later (G-37)")
    func setsSource() {
        let source = graph.mutable(1)
        let derived = source.map { value in
            if value == 2 { source.set(3) }
            return value
        }
        let heard = Recorder(derived)
        source.set(2)
        #expect(heard.history == [1, 2, 3])
        derived.removeUpstreamNodes()
    }
}
