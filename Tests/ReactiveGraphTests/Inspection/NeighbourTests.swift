import ReactiveGraph
import TestSupport
import Testing

@Suite("Neighbours")
struct NeighbourTests {
    let graph = Graph()

    @Test("Neighbours in order of attachment, with repetitions (G-100, G-101)")
    func neighbours() {
        let a = graph.mutable(1).named("a")
        let b = graph.mutable(2).named("b")
        let sum = Node.combineEach(a, b, +)
        let other = a.map { $0 }
        sum.link(to: a)
        #expect(sum.upstreamNodes == [a, b, a])
        #expect(a.downstreamNodes == [sum, other, sum])
        #expect(a.downstreamTransforms(to: sum).map(\.name) == ["Combine", "Link"])
        #expect(sum.upstreamTransforms(from: b).count == 1)
        #expect(sum.hasUpstreamNode && !sum.hasDownstreamNode && !a.hasUpstreamNode)
        #expect(a.isMutable && !sum.isMutable)
    }

    @Test("A half-connected edge is among the transforms, and makes no neighbour (G-102)")
    func half() {
        let a = graph.mutable(1)
        let edge = TransformEdge<Int, Int>()
        edge.from = a
        #expect(a.downstreamTransforms.count == 1)
        #expect(a.downstreamNodes.isEmpty)
        #expect(!a.hasDownstreamNode)
    }

    @Test("The inner following of a flatten is a listener (G-103)")
    func followings() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(0)
        var flat: Node<Int>? = outer.flattenMap { _ in inner }
        #expect(inner.hasListener)
        #expect(inner.isUpstream(of: flat!))
        flat = nil
        #expect(!inner.hasListener)
    }

    @Test("isUpstream goes downstream, and ends on rings (G-104)")
    func isUpstream() {
        let a = graph.mutable(1)
        let b = graph.mutable(1)
        let c = b.map { $0 }
        b.link(to: a)
        a.link(to: b)
        let lonely = graph.mutable(0)
        #expect(a.isUpstream(of: c))
        #expect(a.isUpstream(of: a))
        #expect(!c.isUpstream(of: a))
        #expect(!a.isUpstream(of: lonely))
        a.removeUpstreamNodes()
    }

    @Test("G-104: long and wide graphs are searched once per node")
    func isUpstreamOfDeep() {
        let source = graph.mutable(1)
        var nodes = [source as Node<Int>]
        for _ in 0..<10_000 {
            nodes.append(Node.combineEach(nodes[nodes.count - 1], source, +).map { $0 & 1 })
        }
        #expect(source.isUpstream(of: nodes[10_000]))
        #expect(!nodes[10_000].isUpstream(of: source))
    }

    @Test("G-82, G-144: a combine that lost an input says so, on the node and on the edges it has left")
    func ended() {
        let a = graph.mutable(1)
        let b = graph.mutable(2)
        let sum = Node.combineEach(a, b, +)
        #expect(!sum.isEnded && sum.upstreamTransforms.allSatisfy { !$0.isEnded })
        sum.removeUpstreamNode(a)
        #expect(sum.isEnded && sum.upstreamTransforms.map(\.isEnded) == [true])
        #expect(!a.isEnded)
    }

    @Test("Descriptions show name or undefined, and the value or empty (G-16)")
    func descriptions() {
        #expect(graph.mutable(1).named("%d").description == "%d: 1")
        #expect(graph.mutable(of: Int.self).description == "undefined: empty")
    }
}
