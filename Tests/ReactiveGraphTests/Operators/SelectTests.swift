import ReactiveGraph
import TestSupport
import Testing

@Suite("Select")
struct SelectTests {
    let graph = Graph()

    @Test("G-69: lets equal values through, repeated ones too")
    func emits() {
        let source = graph.mutable(1)
        let heard = Recorder(source.select(1))
        for value in [1, 2, 1] { source.set(value) }
        #expect(heard.history == [1, 1, 1])
    }

    @Test("G-2, G-69: nil can be selected")
    func nilValues() {
        let source = graph.mutable(Int?.none)
        let heard = Recorder(source.select(nil))
        source.set(3)
        source.set(nil)
        #expect(heard.history == [nil, nil])
    }

    @Test("Ignores empty, unless it travels; is released with its last holder")
    func emptyAndRelease() {
        let source = graph.mutable(1)
        let derived = source.select(1)
        source.clear()
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
        expectReleased { $0.select(1) }
    }
}
