import ReactiveGraph
import TestSupport
import Testing

@Suite("Replace")
struct ReplaceTests {
    let graph = Graph()

    @Test("G-69: emits the constant for each value; it may be nil")
    func replaces() {
        let source = graph.mutable(1)
        let heard = Recorder(source.replace(String?.none))
        source.set(2)
        #expect(heard.history == [nil, nil])
    }

    @Test("Ignores empty, unless it travels; is released with its last holder")
    func emptyAndRelease() {
        let source = graph.mutable(1)
        let derived = source.replace("x")
        source.clear()
        #expect(derived.value == "x")
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
        expectReleased { $0.replace(7) }
    }
}
