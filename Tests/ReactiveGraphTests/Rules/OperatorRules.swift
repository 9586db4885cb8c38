import ReactiveGraph
import TestSupport
import Testing

@Suite("Rules of operators")
struct OperatorRules {
    let graph = Graph()

    @Test("G-69: a further upstream edge of a derived node delivers on its own")
    func furtherUpstream() {
        let source = graph.mutable(1)
        let other = graph.mutable(5)
        let tens = source.map { $0 * 10 }
        tens.link(to: other)
        #expect(tens.value == 5)
        source.set(2)
        #expect(tens.value == 20)
        other.set(6)
        #expect(tens.value == 6)
    }

    @Test("G-69: a new node holds its edge, the edge its source; dropping the node detaches it")
    func holds() {
        weak var source: Node<Int>?
        var derived: Node<Int>?
        do {
            let made = graph.mutable(1)
            source = made
            derived = made.map { $0 }
        }
        #expect(source?.value == 1 && derived?.value == 1)
        derived = nil
        #expect(source == nil)
    }

    @Test("G-69: counters count the replay and nil, but not emptiness")
    func counters() {
        let source = graph.mutable(Int?.none)
        let skipped = source.skip(2)
        let taken = source.take(2)
        source.clear()
        source.set(nil)
        source.set(3)
        #expect(skipped.value == 3)
        #expect(taken.value == .some(nil))
    }

    @Test("G-70: skip(0) passes everything, take(0) nothing; a finished take keeps its source alive")
    func counts() {
        let source = graph.mutable(1)
        #expect(source.skip(0).value == 1)
        let none = source.take(0)
        source.set(2)
        #expect(none.isEmpty)
        weak var held: Node<Int>?
        var one: Node<Int>?
        do {
            let made = graph.mutable(1)
            held = made
            one = made.take(1)
        }
        #expect(held != nil && one?.value == 1)
        one = nil
        #expect(held == nil)
    }

    @Test("G-71: an emptied downstream node lets the same value pass again")
    func distinct() {
        let source = graph.mutable(1)
        let changes = source.distinct()
        let heard = Recorder(changes)
        changes.writable().clear()
        source.set(1)
        source.set(1)
        #expect(heard.history == [1, 1])
    }

    @Test("G-72: another source is reduced at once, from the start value")
    func scan() throws {
        let source = graph.mutable(1)
        let sum = source.scan(100, +)
        source.set(2)
        let edge = try #require(sum.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = graph.mutable(5)
        #expect(sum.value == 105)
        edge.from = graph.mutable(of: Int.self)
        #expect(sum.value == 105)
        edge.from = source
        #expect(sum.value == 102)
    }

    @Test("G-78: a function that sets the inner node it returns causes one emission, or two")
    func setsInner() {
        let inner = graph.mutable(0)
        let outer = graph.mutable(0)
        let flat = outer.flattenMap { value in
            inner.set(value)
            return inner
        }
        let heard = Recorder(flat, replay: false)
        outer.set(7)
        #expect(heard.history == [7] || heard.history == [7, 7])
        #expect(flat.value == 7)
    }

    @Test("G-79: clearing the outer node does not release the inner one; cancelling does")
    func innerHeld() throws {
        let outer = graph.mutable(0)
        weak var inner: Node<Int>?
        let flat = outer.flattenMap { value in
            let made = graph.mutable(value)
            inner = made
            return made
        }
        outer.clear()
        #expect(inner != nil)
        flat.removeUpstreamNodes()
        #expect(inner == nil)
    }

    @Test("G-79: the following stands among the inner node's listeners")
    func served() {
        let inner = graph.mutable(0)
        let outer = graph.mutable(0)
        let bag = CancellableBag()
        var order: [String] = []
        inner.map { $0 }.listen(in: bag, replay: false) { _ in order.append("transform") }
        outer.flattenMap { _ in inner }.listen(in: bag, replay: false) { _ in order.append("flat") }
        inner.set(1)
        #expect(order == ["flat", "transform"])
    }

    @Test("G-80: a listener attached after creation gets the value of the last non-empty source only")
    func merge() {
        let sources = [graph.mutable(1), graph.mutable(2), graph.mutable(of: Int.self)]
        let heard = Recorder(Node.merge(sources))
        #expect(heard.history == [2])
    }

    @Test("G-82: nothing revives an ended combine; its last tuple stays")
    func ended() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        let sum = Node.combineEach(a, b, +)
        sum.removeUpstreamNode(a)
        b.set(5)
        let link = sum.link(to: graph.mutable(40))
        link?.cancel()
        b.set(6)
        a.set(6)
        #expect(sum.value == 40 && sum.isEnded)
    }

    @Test("G-85: the receiver forms")
    func receivers() {
        let (a, b) = (graph.mutable(1), graph.mutable(2))
        #expect(a.combine(with: b).value?.1 == 2)
        #expect(a.combine(with: b, +).value == 3)
        #expect(a.zip(with: b, +).value == 3)
        #expect(a.merge(with: b).value == 2)
    }

    @Test("G-97: any value as a node, mutable or not")
    func values() {
        let fixed = Node(5, in: graph)
        let free = MutableNode("a", in: graph)
        let none = Node<Int?>(nil, in: graph)
        #expect(fixed.value == 5 && !fixed.isMutable && free.isMutable && !none.isEmpty)
        free.set("b")
        #expect(free.value == "b" && graph.node(5).value == 5 && graph.mutable(5).value == 5)
    }

    @Test("G-149: a link through an edge of one's own without replay")
    func linkWithoutReplay() {
        let upstream = graph.mutable(1)
        let node = graph.mutable(of: Int.self)
        let link = node.link(to: upstream, via: TransformEdge { $0 * 10 }, replay: false)
        #expect(node.isEmpty)
        upstream.set(2)
        #expect(node.value == 20)
        link?.cancel()
        upstream.set(3)
        #expect(node.value == 20)
        expectSound(graph, upstream, node)
    }
}
