import ReactiveGraph
import TestSupport
import Testing

@Suite("Why a node is alive (G-52, G-53)")
struct OwnerPathTests {
    let graph = Graph()

    /// The paths as text, without the one of the variable that asks.
    private func paths(_ node: AnyNode, limit: Int = 16) -> [String] {
        node.ownerPaths(limit: limit)
            .filter { !($0.holder == .reference && $0.nodes == [node]) }
            .map(\.description)
    }

    @Test("G-52: a listen of an owner with a bag, over everything in between")
    func owner() {
        final class Gauge: ListenerOwner {
            let listenBag = CancellableBag()
        }
        let gauge = Gauge()
        let celsius = graph.mutable(21.5).named("celsius")
        celsius.map { $0 * 9 / 5 + 32 }.filter { $0 > 0 }.named("warm").listen(owner: gauge) { _, _ in }
        #expect(paths(celsius) == ["a listen of Gauge → warm ─Filter→ n2 ─Map→ celsius"])
        let path = celsius.ownerPaths()[1]
        #expect(path.holder == .listener(of: "Gauge", listens: 1))
        #expect(path.nodes.map(\.id) == [3, 2, 1] && path.links == ["Filter", "Map"])
    }

    @Test("Bags by name, foreign owners by type, several listens of one bag together")
    func listeners() {
        final class Foreign {}
        let foreign = Foreign()
        let a = graph.mutable(1).named("a")
        let bag = CancellableBag(name: "dashboard")
        let nameless = CancellableBag()
        a.listen(in: bag) { _ in }
        a.listen(in: bag) { _ in }
        a.listen(in: nameless) { _ in }
        a.listen(owner: foreign) { _, _ in }
        #expect(
            paths(a) == ["2 listens of dashboard → a", "a listen of a bag → a", "a listen of Foreign → a"]
        )
    }

    @Test("G-33: a listen edge of one's own is a listen of its listener, and no reference besides")
    func ownListenEdge() {
        final class Panel: ListenerOwner {
            let listenBag = CancellableBag()
        }
        let panel = Panel()
        var b: Node<Int>? = graph.mutable(1).named("a").map { $0 }.named("b")
        let a = b?.upstreamNodes.first
        b?.listen(ListenEdge<Int>(), owner: panel)
        b = nil
        #expect(a.map { paths($0) } == ["a listen of Panel → b ─Map→ a"])
        withExtendedLifetime(b) {}
    }

    @Test("G-67: the dead own nothing")
    func deadOwner() {
        final class Foreign {}
        let a = graph.mutable(1)
        do {
            let foreign = Foreign()
            a.listen(owner: foreign) { _, _ in }
        }
        #expect(paths(a) == [])
    }

    @Test("A variable downstream is a reference; the one that asks is one too")
    func references() {
        let a = graph.mutable(1).named("a")
        var b: Node<Int>? = a.map { $0 }.named("b")
        let c = b?.map { $0 }.named("c")
        b = nil
        #expect(a.ownerPaths().map(\.description) == ["a reference → a", "a reference → c ─Map→ b ─Map→ a"])
        withExtendedLifetime((b, c)) {}
    }

    @Test("G-20: an edge that something keeps holds its source")
    func keptEdge() {
        let a = graph.mutable(1).named("a")
        let edge = TransformEdge<Int, Int>(name: "Half")
        edge.from = a
        #expect(paths(a) == ["edge Half, held from outside → a"])
        edge.from = nil
        #expect(paths(a) == [])
    }

    @Test("G-56: a ring holds itself, and is named after those who hold it from outside")
    func ring() {
        let bag = CancellableBag(name: "bag")
        let a = graph.mutable(1).named("a")
        let b = a.map { $0 }.named("b")
        a.link(to: b)
        b.map { $0 }.named("c").listen(in: bag) { _ in }
        #expect(
            paths(a) == [
                "a reference → b ─Map→ a", "a listen of bag → c ─Map→ b ─Map→ a",
                "a ring → a ─Link→ b ─Map→ a",
            ]
        )
        let entered = graph.mutable(0).named("entered")
        b.link(to: entered)
        #expect(paths(entered).last == "a ring → b ─Map→ a ─Link→ b ─Link→ entered")
        a.removeUpstreamNodes()
    }

    @Test("Inner followings, and nodes that are values")
    func followings() {
        let inner = graph.mutable(1).named("inner")
        let outer = graph.mutable(inner as Node<Int>).named("outer")
        let bag = CancellableBag(name: "bag")
        outer.flatten().named("flat").listen(in: bag) { _ in }
        #expect(
            paths(inner) == [
                "a listen of bag → flat ─Flatten→ inner", "a reference → outer ─value→ inner",
                "a listen of bag → flat ─Flatten→ outer ─value→ inner",
            ]
        )
    }

    @Test("G-128, G-129: a registry holds as its policies say, under a name")
    func registry() {
        let registry = Registry(graph: graph, policy: .untilPressure)
        let source = graph.mutable(1).named("source")
        registry.node("/total", as: Int.self).link(to: source)
        let kept = registry.mutable("/kept", as: Int.self)
        let loose = registry.mutable("/loose", as: Int.self, retention: .whileInUse)
        #expect(paths(source) == ["registry (/total) → /total ─Link→ source"])
        #expect(paths(kept) == ["registry (/kept) → /kept"])
        #expect(paths(loose) == [])
        registry.flushUnused()
        #expect(paths(source) == [] && paths(kept) == [])
    }

    @Test("G-90: the inner nodes of a switch are held by the switched node, by value and by table")
    func switches() {
        let bag = CancellableBag(name: "bag")
        let numbers = graph.mutable(1).named("numbers")
        var switched: Node<Switched<Bool, Int>>? = numbers.switch { $0 > 0 }.named("switched")
        let inner = switched?.value?.node.named("inner")
        switched?.case(true).named("positive").listen(in: bag) { _ in }
        switched = nil
        #expect(
            inner.map { paths($0) } == [
                "a listen of bag → positive ─Case→ inner",
                "a listen of bag → positive ─Case→ switched ─value→ inner",
            ]
        )
        withExtendedLifetime(switched) {}
    }

    @Test("Every path: the two sides of a diamond, each holder's shortest first")
    func diamond() {
        let bag = CancellableBag(name: "bag")
        let top = graph.mutable(1).named("top")
        do {
            let left = top.map { $0 }.named("left")
            let right = top.map { $0 }.map { $0 }.named("right")
            Node.combineEach(left, right, +).named("sum").listen(in: bag) { _ in }
        }
        #expect(
            paths(top) == [
                "a listen of bag → sum ─Combine→ left ─Map→ top",
                "a listen of bag → sum ─Combine→ right ─Map→ n3 ─Map→ top",
            ]
        )
    }

    @Test("The number of paths is limited, the shortest are kept")
    func limit() {
        let bag = CancellableBag(name: "bag")
        let top = graph.mutable(1).named("top")
        do {
            // 2³⁰ paths.
            var bottom: Node<Int> = top
            for _ in 0..<30 { bottom = Node.combineEach(bottom.map { $0 }, bottom.map { $0 }, +) }
            bottom.listen(in: bag) { _ in }
            top.listen(in: bag) { _ in }
        }
        let all = top.ownerPaths(limit: 8)
        #expect(all.count == 8)
        #expect(all.map(\.nodes.count) == [1, 1] + Array(repeating: 61, count: 6))
        #expect(Set(all.map { $0.nodes.map(\.id) }).count == 7)
    }

    @Test("A clique of rings ends")
    func clique() {
        let nodes = (0..<24).map { graph.mutable($0) }
        for a in nodes { for b in nodes { a.link(to: b, replay: false) } }
        #expect(!nodes[0].ownerPaths(limit: 100).isEmpty)
        for node in nodes { node.removeUpstreamNodes() }
    }

    @Test("Long paths are shown by their two ends")
    func longPath() {
        let bag = CancellableBag(name: "bag")
        let first = graph.mutable(0).named("first")
        var last: Node<Int> = first
        for _ in 0..<20 { last = last.map { $0 } }
        last.listen(in: bag) { _ in }
        last = first
        #expect(
            paths(first) == [
                "a listen of bag → n21 ─Map→ n20 ─Map→ n19 ─Map→ n18 ─Map→ n17 ─Map→ n16 → … 10 more … "
                    + "→ n5 ─Map→ n4 ─Map→ n3 ─Map→ n2 ─Map→ first"
            ]
        )
    }

    @Test("G-49: rings and chains of 100,000 nodes are searched on 512 KiB")
    func deep() {
        onThread(stackBytes: 512 * 1024) {
            let graph = Graph()
            let bag = CancellableBag(name: "bag")
            let first = graph.mutable(0)
            do {
                var last: Node<Int> = first
                for _ in 1..<100_000 { last = last.map { $0 } }
                last.listen(in: bag) { _ in }
                first.link(to: last)
            }
            let paths = first.ownerPaths()
            #expect(paths.map(\.holder) == [.reference, .listener(of: "bag", listens: 1), .ring])
            #expect(paths.map(\.nodes.count) == [1, 100_000, 100_001])
            first.removeUpstreamNodes()
        }
    }

    @Test("G-163: as text, the node, then a line for each path, with the places of listens")
    func text() {
        let bag = CancellableBag(name: "bag")
        let a = graph.mutable(1).named("a")
        let line = #line + 1
        a.listen(in: bag) { _ in }
        #expect(
            a.whyAlive() == """
                a is held by
                    a listen of bag → a (\(#fileID):\(line))
                    a reference → a

                """
        )
        #expect(a.whyAlive(limit: 1).hasSuffix("… there may be more\n"))
    }
}
