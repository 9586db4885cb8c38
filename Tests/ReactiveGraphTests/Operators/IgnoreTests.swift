import ReactiveGraph
import TestSupport
import Testing

@Suite("Ignore")
struct IgnoreTests {
    let graph = Graph()

    @Test("G-69: drops equal values, and no others")
    func emits() {
        let source = graph.mutable(1)
        let heard = Recorder(source.ignore(1))
        for value in [1, 2, 2, 1] { source.set(value) }
        #expect(heard.history == [2, 2])
    }

    @Test("G-2, G-69: ignoring nil drops nil, which is a value like any other")
    func nilValues() {
        let source = graph.mutable(Int?.none)
        #expect(!source.isEmpty)
        let heard = Recorder(source.ignore(nil))
        source.set(3)
        source.set(nil)
        #expect(heard.history == [3])
    }

    @Test("Ignores empty, unless it travels; is released with its last holder")
    func emptyAndRelease() {
        let source = graph.mutable(1)
        let derived = source.ignore(0)
        source.clear()
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
        expectReleased { $0.ignore(0) }
    }
}
