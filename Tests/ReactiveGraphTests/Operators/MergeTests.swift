import ReactiveGraph
import TestSupport
import Testing

@Suite("Merge")
struct MergeTests {
    let graph = Graph()

    @Test("Starts with the last non-empty source, then emits every value (G-80)")
    func emits() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let c = graph.mutable(of: Int.self)
        let heard = Recorder(Node.merge([a, b, c]))
        c.set(3)
        a.set(4)
        #expect(heard.history == [2, 3, 4])
    }

    @Test("The same node twice emits twice; removing one source leaves the others (G-80)")
    func twice() {
        let a = graph.mutable(of: Int.self)
        let b = graph.mutable(of: Int.self)
        let merged = Node.merge([a, a, b])
        let heard = Recorder(merged)
        a.set(1)
        merged.removeUpstreamNode(a)
        a.set(2)
        b.set(3)
        #expect(heard.history == [1, 1, 3])
    }

    @Test("A merge of two branches emits twice in both modes (G-43, G-51)", arguments: [true, false])
    func branches(settled: Bool) {
        let graph = Graph(propagation: settled ? .settled : .immediate)
        let source = graph.mutable(3)
        let heard = Recorder(source.map { $0 * 10 }.merge(with: source.map { $0 + 1 }))
        source.set(4)
        #expect(heard.history == [4, 40, 5])
    }

    @Test("Ignores empty, unless it travels")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.merge(with: graph.mutable(2))
        source.clear()
        #expect(derived.value == 2)
        derived.propagatesEmpty = true
        source.clear()
        #expect(derived.isEmpty)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { $0.merge(with: $0.map { $0 }) }
    }
}
