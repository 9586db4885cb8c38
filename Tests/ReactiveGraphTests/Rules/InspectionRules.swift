import ReactiveGraph
import Testing

@Suite("Rules of inspection")
struct InspectionRules {
    let graph = Graph()

    @Test("G-100, G-101: neighbours and transforms are snapshots in order of attachment, with repetitions")
    func neighbours() {
        let a = graph.mutable(1).named("a")
        let b = graph.mutable(2).named("b")
        let target = graph.node(of: Int.self).named("t")
        #expect(!target.hasUpstreamNode && target.upstreamNodes.isEmpty && target.upstreamTransforms.isEmpty)
        target.link(to: a)
        target.link(to: b, via: TransformEdge { $0 })
        target.link(to: a)
        #expect(target.upstreamNodes.map(\.name) == ["a", "b", "a"])
        #expect(a.downstreamNodes.map(\.id) == [target.id, target.id])
        #expect(target.upstreamTransforms.map(\.name) == ["Link", "Map", "Link"])
        #expect(target.upstreamTransforms(from: b).count == 1 && a.downstreamTransforms(to: b).isEmpty)
        #expect(target.hasUpstreamNode && b.hasDownstreamNode && !target.isMutable && !target.isEmpty)
    }

    @Test("G-102: half an edge is among the transforms of its end, and makes no neighbour")
    func half() {
        let a = graph.mutable(1)
        let edge = TransformEdge<Int, Int> { $0 }
        edge.from = a
        #expect(a.downstreamTransforms.count == 1 && a.downstreamNodes.isEmpty && !a.hasDownstreamNode)
        edge.from = nil
        edge.to = a
        #expect(a.upstreamTransforms.count == 1 && a.upstreamNodes.isEmpty && !a.hasUpstreamNode)
    }

    @Test("G-103: the inner following of a flatten counts as a listener, a dead owner does not")
    func listeners() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(0)
        let flat = outer.flattenMap { _ in inner }
        #expect(inner.hasListener && !outer.hasListener && !flat.hasListener)
        #expect(inner.downstreamTransforms.isEmpty)
        #expect(flat.upstreamNodes == [outer] && flat.upstreamTransforms.count == 1)
        final class Owner {}
        do {
            let owner = Owner()
            outer.listen(owner: owner) { _, _ in }
            #expect(outer.hasListener)
        }
        #expect(!outer.hasListener)
        withExtendedLifetime(flat) {}
    }

    @Test("G-104: isUpstream ends on rings")
    func upstream() {
        let a = graph.mutable(1)
        let b = a.map { $0 }
        let c = b.map { $0 }
        a.link(to: c)
        let apart = graph.mutable(1)
        #expect(a.isUpstream(of: c) && c.isUpstream(of: b) && !a.isUpstream(of: apart))
        a.removeUpstreamNodes()
        #expect(!c.isUpstream(of: b))
    }

    @Test(
        "G-105: traversal goes both ways, breadth first, upstream first, with the depth of discovery; and stops"
    )
    func traversal() {
        let top = graph.mutable(1).named("top")
        let start = top.map { $0 }.named("start")
        let sibling = top.map { $0 }.named("sibling")
        let below = start.map { $0 }.named("below")
        var seen: [String] = []
        var edges = 0
        start.traverse(
            node: { node, depth in
                seen.append("\(node.name ?? "") \(depth)")
                return false
            },
            edge: { _ in
                edges += 1
                return false
            }
        )
        #expect(seen == ["start 0", "top -1", "below 1", "sibling 0"] && edges == 3)
        var stopped = 0
        start.traverse(
            node: { _, _ in
                stopped += 1
                return false
            },
            edge: { _ in true }
        )
        #expect(stopped == 1)
        withExtendedLifetime((sibling, below)) {}
    }

    @Test("G-106: the DOT text has a line per node and transform, escaped, and is the same each time")
    func dot() {
        let a = graph.mutable(1).named("say \"a\"")
        let b = a.map { $0 }
        let text = b.dot()
        #expect(text == b.dot())
        #expect(text.contains("n\(a.id) -> n\(b.id) [label=\"Map\"]"))
        #expect(text.contains("label=\"say \\\"a\\\"\"") && text.contains("label=\"n\(b.id)\""))
        #expect(b.dot(values: true) != text)
    }
}
