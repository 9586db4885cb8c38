import ReactiveGraph
import Testing

@Suite("Traversal (G-105)")
struct TraversalTests {
    let graph = Graph()

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

    @Test("G-105: the receiver first, at 0; each node and each transform once, also over two edges and rings")
    func once() {
        let a = graph.mutable(1).named("a")
        let b = a.map { $0 }.named("b")
        b.link(to: a)
        a.link(to: b)
        var nodes: [String] = []
        var edges: [String] = []
        a.traverse(
            node: { node, depth in
                nodes.append("\(node.name ?? "?") \(depth)")
                return false
            },
            edge: { edge in
                edges.append("\(edge.name) \(edge.fromNode?.name ?? "?")")
                return false
            }
        )
        #expect(nodes == ["a 0", "b -1"])
        #expect(edges == ["Link b", "Map a", "Link a"])
        a.removeUpstreamNodes()
    }

    @Test("G-105: parts of a visitor are optional")
    func optionalParts() {
        struct Names: GraphVisitor {
            var seen: [String] = []
            mutating func visit(node: AnyNode, depth: Int) -> Bool {
                seen.append(node.name ?? "?")
                return false
            }
        }
        struct Edges: GraphVisitor {
            var seen: [String] = []
            mutating func visit(edge: AnyEdge) -> Bool {
                seen.append(edge.name)
                return false
            }
        }
        let a = graph.mutable(1).named("a")
        let b = a.filter { $0 > 0 }.named("b")
        var names = Names()
        b.traverse(&names)
        #expect(names.seen == ["b", "a"])
        var edges = Edges()
        b.traverse(&edges)
        #expect(edges.seen == ["Filter"])
        b.traverse()
    }

    @Test("G-105, G-153: stop at a transform stops there, and nothing is visited after it")
    func stopAtTransform() {
        let root = graph.mutable(1).named("root")
        let left = root.map { $0 }
        let right = root.filter { _ in true }
        var seen: [String] = []
        root.traverse(
            node: { node, _ in
                seen.append(node.name ?? "?")
                return false
            },
            edge: { edge in
                seen.append(edge.name)
                return edge.name == "Map"
            }
        )
        #expect(seen == ["root", "Map"])
        withExtendedLifetime((left, right)) {}
    }

    @Test("G-102, G-105: half-connected edges are visited, listens and inner followings are not")
    func halves() {
        let inner = graph.mutable(1).named("inner")
        let outer = graph.mutable(0).named("outer")
        let flat = outer.flattenMap { _ in inner }.named("flat")
        let bag = CancellableBag()
        flat.listen(in: bag) { _ in }
        let loose = TransformEdge<Int, Int>(name: "Loose")
        loose.to = flat
        var seen: [String] = []
        flat.traverse(
            node: { node, depth in
                seen.append("\(node.name ?? "?") \(depth)")
                return false
            },
            edge: { edge in
                seen.append("\(edge.name) \(edge.isConnected)")
                return false
            }
        )
        #expect(seen == ["flat 0", "Flatten true", "Loose false", "outer -1"])
    }

    @Test("A visitor may cut what it has not come to yet")
    func cutting() {
        let a = graph.mutable(1)
        let chain = a.map { $0 }.map { $0 }.map { $0 }
        var edges = 0
        var nodes = 0
        a.traverse(
            node: { node, _ in
                nodes += 1
                if node !== a { node.removeDownstreamNodes() }
                return false
            },
            edge: { _ in
                edges += 1
                return false
            }
        )
        #expect(edges == 1 && nodes == 2)
        expectSound(graph, a, chain)
    }

    @Test("G-49: a ring of 100,000 nodes is traversed on 512 KiB")
    func deep() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let first = graph.mutable(0)
            var last: Node<Int> = first
            for _ in 1..<100_000 { last = last.map { $0 } }
            let link = first.link(to: last)
            var count = 0
            var deepest = 0
            first.traverse(node: { _, depth in
                count += 1
                deepest = max(deepest, abs(depth))
                return false
            })
            #expect(count == 100_000 && deepest == 50_000)
            link?.cancel()
        }
    }
}
