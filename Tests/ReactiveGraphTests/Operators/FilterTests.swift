import ReactiveGraph
import TestSupport
import Testing

@Suite("Filter")
struct FilterTests {
    let graph = Graph()

    @Test("Emits the values its predicate accepts; others leave the old value in place (G-69)")
    func emits() {
        let source = graph.mutable(1)
        let derived = source.filter { $0 > 1 }
        let heard = Recorder(derived)
        #expect(derived.isEmpty)
        for value in [2, 0, 3] { source.set(value) }
        #expect(heard.history == [2, 3])
        source.set(0)
        #expect(derived.value == 3)
    }

    @Test("Ignores empty, unless it travels")
    func empty() {
        let source = graph.mutable(2)
        let derived = source.filter { $0 > 1 }
        source.clear()
        #expect(derived.value == 2)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.filter { _ in true } }
    }

    @Test("A predicate that clears its own node still stores what it accepts")
    func misbehaves() {
        let source = graph.mutable(1)
        var derived: Node<Int>?
        derived = source.filter { _ in
            derived?.writable().clear()
            return true
        }
        source.set(2)
        #expect(derived?.value == 2)
        derived = nil
    }
}
