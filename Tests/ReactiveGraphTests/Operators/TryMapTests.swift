import ReactiveGraph
import TestSupport
import Testing

@Suite("Maps that may throw")
struct TryMapTests {
    let graph = Graph()

    struct Odd: Error {}

    @Test("What a function throws goes to the graph's handler; other branches are served (G-99)")
    func errors() {
        let source = graph.mutable(0)
        var errors: [String] = []
        graph.onError = { errors.append($0.description) }
        let halves = source.tryMap { value in
            if !value.isMultiple(of: 2) { throw Odd() }
            return value / 2
        }.named("halves")
        let other = Recorder(source.map { $0 })
        source.set(3)
        source.set(4)
        #expect(halves.value == 2)
        #expect(other.history == [0, 3, 4])
        #expect(errors.count == 1)
        #expect(errors[0].contains("halves"))
    }

    @Test("mapResult hands the error on as a value (G-99)")
    func results() {
        let source = graph.mutable(3)
        let result = source.mapResult { value in
            if !value.isMultiple(of: 2) { throw Odd() }
            return value / 2
        }
        #expect(throws: Odd.self) { try result.value?.get() }
        source.set(4)
        #expect((try? result.value?.get()) == 2)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.tryMap { $0 } }
    }
}
