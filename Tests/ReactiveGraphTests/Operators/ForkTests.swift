import ReactiveGraph
import TestSupport
import Testing

@Suite("Fork and then")
struct ForkTests {
    let graph = Graph()

    @Test("Emits what its source emits")
    func emits() {
        let source = graph.mutable(1)
        let heard = Recorder(source.fork())
        source.set(2)
        #expect(heard.history == [1, 2])
    }

    @Test("Ignores empty, unless it travels")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.fork()
        source.clear()
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.fork() }
    }
}
