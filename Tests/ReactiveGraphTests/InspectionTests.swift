import ReactiveGraph
import TestSupport
import Testing

@Suite("Inspection")
struct InspectionTests {
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

    @Test("Traversal goes both ways, breadth first, upstream before downstream (G-105)")
    func traverse() {
        let root = graph.mutable(1).named("root")
        let left = root.map { $0 }.named("left")
        let right = root.map { $0 }.named("right")
        let bottom = Node.combineEach(left, right, +).named("bottom")
        var visits: [String] = []
        left.traverse(
            node: { node, depth in
                visits.append("\(node.name ?? "?") \(depth)")
                return false
            },
            edge: { edge in
                visits.append("\(edge.fromNode?.name ?? "?")>\(edge.toNode?.name ?? "?")")
                return false
            }
        )
        #expect(
            visits == [
                "left 0", "root>left", "left>bottom", "root -1", "root>right", "bottom 1", "right>bottom",
                "right 0",
            ]
        )
        withExtendedLifetime(bottom) {}
    }

    @Test("A visitor can stop, at a node and at a transform (G-105)")
    func stops() {
        let root = graph.mutable(1)
        let chain = root.map { $0 }.map { $0 }
        var count = 0
        root.traverse(node: { _, _ in
            count += 1
            return count == 2
        })
        #expect(count == 2)
        count = 0
        chain.traverse(edge: { _ in
            count += 1
            return true
        })
        #expect(count == 1)
    }

    @Test("The DOT text is escaped and the same each time (G-106)")
    func dot() {
        let a = graph.mutable("x\"\n").named("a \"quoted\" \\ %s")
        let b = a.map { $0 }
        let loose = TransformEdge<String, Int>(name: "Loose")
        loose.from = b
        let text = a.dot(values: true)
        #expect(text == a.dot(values: true))
        #expect(
            a.dot() == """
                digraph {
                    n\(a.id) [label="a \\"quoted\\" \\\\ %s"];
                    n\(a.id) -> n\(b.id) [label="Map"];
                    n\(b.id) [label="n\(b.id)"];
                    x1 [shape=point];
                    n\(b.id) -> x1 [label="Loose"];
                }

                """
        )
    }

    @Test("Descriptions show name or undefined, and the value or empty (G-16)")
    func descriptions() {
        #expect(graph.mutable(1).named("%d").description == "%d: 1")
        #expect(graph.mutable(of: Int.self).description == "undefined: empty")
    }
}
