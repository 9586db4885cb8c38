import ReactiveGraph
import TestSupport
import Testing

@Suite("IgnoreNil")
struct IgnoreNilTests {
    let graph = Graph()

    @Test("G-69: lets values through that are not nil, unwrapped")
    func emits() {
        let source = graph.mutable(Int?.none)
        let unwrapped: Node<Int> = source.ignoreNil()
        let heard = Recorder(unwrapped)
        for value in [3, nil, 3, 4] { source.set(value) }
        #expect(heard.history == [3, 3, 4])
    }

    @Test("Ignores empty, unless it travels; is released with its last holder")
    func emptyAndRelease() {
        let source = graph.mutable(Int?.some(1))
        let unwrapped: Node<Int> = source.ignoreNil()
        source.clear()
        #expect(unwrapped.value == 1)
        unwrapped.propagatesEmpty = true
        source.clear()
        #expect(unwrapped.isEmpty)
        expectReleased { $0.map { Optional($0) }.ignoreNil() as Node<Int> }
    }
}
