import ReactiveGraph
import TestSupport
import Testing

@Suite("FlattenMap")
struct FlattenMapTests {
    let graph = Graph()

    @Test("Follows the latest inner node only (G-77)")
    func emits() {
        let first = graph.mutable(1)
        let second = graph.mutable(2)
        let outer = graph.mutable(0)
        let flat = outer.flattenMap { $0 == 0 ? first : second }
        let heard = Recorder(flat)
        first.set(10)
        outer.set(1)
        first.set(11)
        second.set(20)
        #expect(heard.history == [1, 10, 2, 20])
        expectSound(graph, outer, first, second)
    }

    @Test("An empty inner node makes the result empty; its later emptiness is ignored (G-77)")
    func empty() {
        let inner = graph.mutable(of: Int.self)
        let full = graph.mutable(1)
        let outer = graph.mutable(true)
        let flat = outer.flattenMap { $0 ? full : inner }
        outer.set(false)
        #expect(flat.isEmpty)
        inner.set(5)
        inner.clear()
        #expect(flat.value == 5)
        outer.clear()
        inner.set(6)
        #expect(flat.value == 6)
    }

    @Test("Where emptiness travels, the inner node's and the outer's do (G-145)")
    func emptyTravels() {
        let graph = Graph(propagatesEmpty: true)
        let inner = graph.mutable(1)
        let outer = graph.mutable(true)
        let flat = outer.flattenMap { _ in inner }
        inner.clear()
        #expect(flat.isEmpty)
        inner.set(2)
        outer.clear()
        #expect(flat.isEmpty)
        #expect(!inner.hasListener)
    }

    @Test("After it has moved to another node, a join below still emits once per turn (G-50, G-77)")
    func ranks() {
        let source = graph.mutable(1)
        let choice = graph.mutable(0)
        let first = source.combine(with: source).map { $0 + $1 }
        let deep = first.combine(with: source).map { $0 + $1 }
        let flat = choice.flattenMap { $0 == 0 ? source : deep }
        let below = flat.combine(with: source).map { $0 * 100 + $1 }
        let heard = Recorder(below)
        source.set(2)
        choice.set(1)
        source.set(3)
        #expect(heard.history == [101, 202, 602, 903])
        expectSound(graph, source, choice)
    }

    @Test("A node made from its own result can be followed, dropped and followed again (G-50, G-77)")
    func ring() {
        let source = graph.mutable(1)
        let choice = graph.mutable(0)
        var loop = source.map { $0 }
        let flat = choice.flattenMap { $0 == 0 ? source : loop }
        loop = flat.map { $0 + 1 }
        let heard = Recorder(flat)
        for value in [1, 0, 1, 0] {
            choice.set(value)
            expectSound(graph, source, choice, loop)
        }
        source.set(5)
        #expect(heard.history == [1, 2, 1, 2, 1, 5])
        expectSound(graph, source, choice, loop)
        loop = source
    }

    @Test("After it has left a ring, a join below still emits once per turn (G-50, G-77)")
    func afterRing() {
        let source = graph.mutable(1)
        let (choice, depth) = (graph.mutable(0), graph.mutable(0))
        let first = source.combine(with: source).map { $0 + $1 }
        let second = first.combine(with: source).map { $0 + $1 }
        let deep = second.combine(with: source).map { $0 + $1 }
        let middle = depth.flattenMap { $0 == 0 ? source : deep }
        var loop = source.map { $0 }
        let flat = choice.flattenMap { [source, loop, middle][$0] }
        loop = flat.map { $0 + 1 }
        let below = flat.combine(with: source).map { $0 * 100 + $1 }
        choice.set(1)
        choice.set(2)
        depth.set(1)
        let heard = Recorder(below)
        source.set(2)
        #expect(heard.history == [401, 802])
        expectSound(graph, source, choice, depth, loop)
        loop = source
    }

    @Test("A node that emits while it starts to be followed is heard once (G-77)")
    func underWay() {
        let (first, second, outer) = (graph.mutable(1), graph.mutable(2), graph.mutable(0))
        let bag = CancellableBag()
        second.listen(in: bag, replay: false) { _ in outer.set(1) }
        second.listen(in: bag, replay: false) { _ in }
        let flat = outer.flattenMap { $0 == 0 ? first : second }
        let heard = Recorder(flat)
        second.set(5)
        #expect(heard.history == [1, 5])
        expectSound(graph, first, second, outer)
    }

    @Test("The same inner node again emits its value again, at the end of the listeners (G-77)")
    func again() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(0)
        let flat = outer.flattenMap { _ in inner }
        var order: [String] = []
        let bag = CancellableBag()
        flat.listen(in: bag, replay: false) { _ in order.append("flat") }
        inner.listen(in: bag, replay: false) { _ in order.append("inner") }
        outer.set(1)
        #expect(order == ["flat"])
        inner.set(2)
        #expect(order == ["flat", "inner", "flat"])
    }

    @Test(
        "The path of an outer emission goes through the inner node; a later one does not know the outer (G-77)"
    )
    func path() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(0)
        let flat = outer.flattenMap { _ in inner }
        let bag = CancellableBag()
        var paths: [[UInt64]] = []
        flat.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            paths.append(delivery.path.ids)
        }
        outer.set(1)
        inner.set(2)
        #expect(paths == [[outer.id, inner.id, flat.id], [inner.id, flat.id]])
    }

    @Test("A queued emission does not inherit the inner node of the one before (G-34, G-77)")
    func queued() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(0)
        let flat = outer.flattenMap { _ in inner }
        let bag = CancellableBag()
        var paths: [[UInt64]] = []
        flat.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            paths.append(delivery.path.ids)
            if value == 1 { flat.writable().set(2) }
        }
        outer.set(1)
        #expect(paths == [[outer.id, inner.id, flat.id], [flat.id]])
        expectSound(graph, outer, inner)
    }

    @Test("Keeps the outer context, and later the inner one (G-77)")
    func context() {
        let inner = graph.mutable(1)
        let outer = graph.mutable(0)
        let bag = CancellableBag()
        var heard: [String?] = []
        outer.flattenMap { _ in inner }.listenEmissions(in: bag, replay: false) { emission, delivery in
            guard !emission.isEmpty else { return }
            heard.append(delivery.context?.value())
        }
        outer.set(1, context: Context("outer"))
        inner.set(2, context: Context("inner"))
        #expect(heard == ["outer", "inner"])
    }

    @Test("Lets go of the inner node with the next one, with its node, and with another source (G-79)")
    func releasesInner() throws {
        let outer = graph.mutable(0)
        weak var last: Node<Int>?
        var flat: Node<Int>? = outer.flattenMap { value in
            let made = self.graph.mutable(value)
            last = made
            return made
        }
        weak let first = last
        #expect(first != nil)
        outer.set(1)
        #expect(first == nil)
        let edge = try #require(flat?.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = graph.mutable(of: Int.self)
        #expect(last == nil)
        edge.from = outer
        #expect(last != nil)
        #expect(graph.counts.liveFollowings == 1)
        flat = nil
        #expect(last == nil)
        #expect(edge.from === outer)  // held here, the edge keeps its source
        edge.disconnect()
        #expect(graph.counts.liveNodes == 1)
    }

    @Test("A function that returns the node itself delivers nothing and holds nothing")
    func itself() {
        let outer = graph.mutable(0)
        let other = graph.mutable(5)
        var flat: Node<Int>?
        flat = outer.flattenMap { _ in flat ?? other }
        #expect(flat?.value == 5)
        outer.set(1)
        #expect(flat?.value == 5)
        #expect(!other.hasListener)
        weak let gone = flat
        flat = nil
        #expect(gone == nil)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased { source in
            let inner = source.map { $0 + 1 }
            return source.flattenMap { _ in inner }
        }
    }

    @Test("A function that releases the flattened node does no harm")
    func misbehaves() {
        let outer = graph.mutable(0)
        let inner = graph.mutable(1)
        var flat: Node<Int>?
        flat = outer.flattenMap { value in
            if value == 1 { flat = nil }
            return inner
        }
        outer.set(1)
        #expect(flat == nil)
        #expect(!inner.hasListener)
        expectSound(graph, outer, inner)
    }
}
