import ReactiveGraph
import TestSupport
import Testing

@Suite("Otherwise")
struct OtherwiseTests {
    let graph = Graph()

    @Test("G-93: everything but the keys that are named; nil can be one of them")
    func emits() {
        let source = graph.mutable(1)
        let switched = source.switch { $0 > 10 ? nil : $0 }
        let rest = Recorder(switched.otherwise(excluding: [1, 2]))
        let some = Recorder(switched.otherwise(excluding: [nil]))
        for value in [2, 3, 11, 4, 1, 12] { source.set(value) }
        #expect(rest.history == [3, 11, 4, 12])
        #expect(some.history == [1, 2, 3, 4, 1])
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.switch { $0 }.otherwise(excluding: [7]) }
    }
}
