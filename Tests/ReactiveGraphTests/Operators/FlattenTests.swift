import ReactiveGraph
import TestSupport
import Testing

@Suite("Flatten")
struct FlattenTests {
    let graph = Graph()

    @Test("G-77: follows the node that is the latest value")
    func nodes() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(inner as Node<Int>)
        let flat = outer.flatten()
        inner.set(2)
        #expect(flat.value == 2)
    }

    @Test("G-79: releases a node with the next one, and is released with its last holder")
    func release() {
        var first: MutableNode<Int>? = graph.mutable(1)
        weak let gone = first
        let outer = graph.mutable(first! as Node<Int>)
        let flat = outer.flatten()
        first = nil
        #expect(gone != nil && flat.value == 1)
        outer.set(graph.mutable(2))
        #expect(gone == nil && flat.value == 2)
        expectReleased { source in source.map { _ in source.map { $0 } }.flatten() }
    }
}
