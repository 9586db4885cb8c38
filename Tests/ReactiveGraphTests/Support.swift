#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import ReactiveGraph
import Testing

/// Makes a derived node, releases it, and checks that nothing of it is left and the source is alone
/// again.
func expectReleased(
    _ graph: Graph = Graph(),
    sourceLocation: SourceLocation = #_sourceLocation,
    _ make: (MutableNode<Int>) -> AnyNode
) {
    let source = graph.mutable(1)
    let before = graph.counts
    weak var released: AnyNode?
    do {
        let derived = make(source)
        released = derived
        #expect(graph.counts.liveNodes > before.liveNodes, sourceLocation: sourceLocation)
        source.set(2)
    }
    #expect(released == nil, sourceLocation: sourceLocation)
    #expect(graph.counts.liveNodes == before.liveNodes, sourceLocation: sourceLocation)
    #expect(graph.counts.liveEdges == 0, sourceLocation: sourceLocation)
    #expect(!source.hasDownstreamNode && !source.hasListener, sourceLocation: sourceLocation)
    #expect(graph.validate(roots: [source]) == [], sourceLocation: sourceLocation)
}

/// Checks every invariant and that the counters equal what can be reached.
func expectSound(_ graph: Graph, _ roots: AnyNode..., sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(graph.validate(roots: roots) == [], sourceLocation: sourceLocation)
}
