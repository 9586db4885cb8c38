import ReactiveGraph
import TestSupport
import Testing

/// Follows the node that the latest value names, as a flatten does, and says so in the path.
private final class Chooser: TransformEdge<Int, Int> {
    let choices: [Node<Int>]

    init(_ choices: [Node<Int>]) {
        self.choices = choices
        super.init(name: "Choose")
    }

    override func receive(_ index: Int, _ delivery: Delivery) {
        let chosen = choices[index]
        send(chosen.emission, path: delivery.path.appending(chosen), context: delivery.context)
    }
}

@Suite("Paths of one's own, and edges fed by hand")
struct FeedingTests {
    let graph = Graph()

    // MARK: - Paths

    @Test("G-159: a path is made from nodes, and continued through a further one")
    func path() {
        let (a, b, c) = (graph.mutable(1), graph.mutable("b"), graph.mutable(true))
        let path = Path([a, b])
        #expect(path.ids == [a.id, b.id] && path.contains(a) && !path.contains(c))
        #expect(path.appending(c) == Path([a, b, c]) && path.count == 2)
        #expect(Path([]) == .empty && Path.empty.appending(a) == Path([a]))
    }

    @Test("G-159, G-41: an edge of one's own extends its path, and a ring over that node stops there")
    func ring() {
        let index = graph.mutable(0)
        let inner = graph.mutable(5)
        let shown = graph.node(of: Int.self)
        shown.link(to: index, via: Chooser([inner]))
        inner.link(to: shown)
        var paths: [[UInt64]] = []
        let bag = CancellableBag()
        inner.listen(in: bag, replay: false) { _ in paths.append([]) }
        shown.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            paths.append(delivery.path.ids)
            #expect(delivery.context?.value() == "why")
        }
        index.set(0, context: Context("why"))
        #expect(paths == [[index.id, inner.id, shown.id]])
        expectSound(graph, index, inner, shown)
    }

    @Test("G-159: a set that continues a path made by hand leaves its nodes alone")
    func continued() {
        let a = graph.mutable(1)
        let b = a.map { $0 * 2 }
        let heard = Recorder(b, replay: false)
        a.set(2, path: Path([b]), context: nil)
        a.set(3, path: Path([a]), context: nil)
        #expect(heard.history == [6])
    }

    // MARK: - Feeding

    @Test("G-19, G-159: an edge takes a value by hand, with path and context; the source keeps its own")
    func feed() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = TransformEdge<Int, Int> { $0 * 10 }
        target.link(to: source, via: edge)
        var heard: [String] = []
        let bag = CancellableBag()
        target.listenEmissions(in: bag, replay: false, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.path.ids) \(delivery.context?.value(as: String.self) ?? "-")")
        }
        edge.feed(2)
        edge.feed(3, path: Path([source]), context: Context("by hand"))
        edge.feed(4, path: Path([target]))
        edge.feed(emission: .empty)
        #expect(
            heard == ["20 [\(target.id)] -", "30 [\(source.id), \(target.id)] by hand"]
        )
        #expect(source.value == 1 && target.value == 30)
        edge.propagatesEmpty = true
        edge.feed(emission: .empty)
        #expect(target.isEmpty && source.value == 1)
        expectSound(graph, source, target)
    }

    @Test("Edges of operators move their state on when fed: a skip counts, a combine keeps, a sync continues")
    func operators() throws {
        let source = graph.mutable(0)
        let later = source.skip(2)
        let skip = try #require(later.upstreamTransforms[0] as? TransformEdge<Int, Int>)
        skip.feed(1)
        #expect(later.isEmpty)
        skip.feed(2)
        #expect(later.value == 2)

        let other = graph.mutable(5)
        let sum = Node.combineEach(source, other, +)
        let heard = Recorder(sum, replay: false)
        let input = try #require(sum.upstreamTransforms[0] as? TransformEdge<Int, Int>)
        input.feed(100)
        other.set(6)
        #expect(heard.history == [105, 106])

        let twin = graph.mutable(0)
        twin.sync(with: source)
        let back = try #require(twin.upstreamTransforms[0] as? TransformEdge<Int, Int>)
        back.feed(7)
        #expect(twin.value == 7 && source.value == 7)
        expectSound(graph, source, other, twin)
    }

    @Test(
        "A function that sets the source while its edge is fed has its say; an edge without both ends is silent"
    )
    func misbehaves() {
        let source = graph.mutable(1)
        let target = graph.node(of: Int.self)
        let edge = TransformEdge<Int, Int> { [graph] value in
            if value == 2 { source.set(9) }
            #expect(graph.counts.liveNodes == 2)
            return value
        }
        edge.feed(5)
        edge.from = source
        edge.feed(5)
        edge.to = target
        edge.feed(2)
        #expect(source.value == 9 && target.value == 2)
        edge.disconnect()
        edge.feed(3)
        #expect(target.value == 2)
    }

    @Test("A listen of one's own is fed by hand as well (G-19, G-33)")
    func listenEdge() {
        final class Ear: ListenEdge<Int> {
            var heard: [String] = []
            override func receive(_ value: Int, _ delivery: Delivery) {
                heard.append("\(value) \(delivery.path.ids)")
            }
            override func becameEmpty(_ delivery: Delivery) { heard.append("empty") }
        }
        let owner = BagKeeper()
        let node = graph.mutable(1)
        let ear = Ear()
        ear.feed(0)
        node.listen(ear, owner: owner)
        ear.feed(2, path: Path([node]))
        ear.feed(emission: .empty)
        #expect(ear.heard == ["1 [\(node.id)]", "2 [\(node.id)]", "empty"] && node.value == 1)
    }
}
