import ReactiveGraph
import TestSupport
import Testing

@Suite("IfEmpty")
struct IfEmptyTests {
    let graph = Graph()

    @Test("Emits the constant for an empty source, also at the connection (G-11, G-69)")
    func empty() {
        let source = graph.mutable(of: Int.self)
        let derived = source.ifEmpty(0)
        let heard = Recorder(derived)
        #expect(derived.value == 0)
        source.set(1)
        source.clear()
        source.set(2)
        #expect(heard.history == [0, 1, 0, 2])
    }

    @Test("Replaces emptiness also where it would travel (G-145)")
    func travels() {
        let source = graph.mutable(1)
        let derived = source.ifEmpty(0)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.value == 0)
    }

    @Test("A source that holds a value never shows the constant (G-21)")
    func replay() {
        let heard = EmissionRecorder(graph.mutable(5).ifEmpty(0))
        #expect(heard.history == [.value(5)])
    }

    @Test("Is released with its last holder (G-101)")
    func release() {
        expectReleased { $0.ifEmpty(0) }
    }

    @Test("A listener that clears the source again gets the constant in order (G-37)")
    func misbehaves() {
        let source = graph.mutable(of: Int.self)
        let bag = CancellableBag()
        var heard: [Int] = []
        source.ifEmpty(0).listen(in: bag) { value in
            heard.append(value)
            if value == 1 { source.clear() }
        }
        source.set(1)
        #expect(heard == [0, 1, 0])
    }
}
