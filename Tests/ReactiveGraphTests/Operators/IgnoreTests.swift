import ReactiveGraph
import TestSupport
import Testing

@Suite("Ignore, select and ignoreNil")
struct IgnoreTests {
    let graph = Graph()

    @Test("ignore drops equal values, select keeps them, repeated ones too")
    func emits() {
        let source = graph.mutable(1)
        let ignored = Recorder(source.ignore(1))
        let selected = Recorder(source.select(1))
        for value in [1, 2, 1] { source.set(value) }
        #expect(ignored.history == [2])
        #expect(selected.history == [1, 1, 1])
    }

    @Test("nil is a value like any other (G-2)")
    func nilValues() {
        let source = graph.mutable(Int?.none)
        #expect(!source.isEmpty)
        let ignored = Recorder(source.ignore(nil))
        let selected = Recorder(source.select(nil))
        let unwrapped: Node<Int> = source.ignoreNil()
        let heard = Recorder(unwrapped)
        source.set(3)
        source.set(nil)
        #expect(ignored.history == [3])
        #expect(selected.history == [nil, nil])
        #expect(heard.history == [3])
    }

    @Test("Ignore empty, unless it travels")
    func empty() {
        let source = graph.mutable(Int?.some(1))
        let unwrapped: Node<Int> = source.ignoreNil()
        source.clear()
        #expect(unwrapped.value == 1)
        unwrapped.propagatesEmpty()
        source.clear()
        #expect(unwrapped.isEmpty)
    }

    @Test("Are released with their last holder")
    func release() {
        expectReleased { $0.ignore(0).select(1).map { Optional($0) }.ignoreNil() as Node<Int> }
    }
}
