import ReactiveGraph
import TestSupport
import Testing

@Suite("Deliver on an executor")
struct DeliverOnTests {
    let loop = ManualExecutor()
    let graph: Graph

    init() {
        graph = Graph(executor: loop)
    }

    @Test("G-73: each value is posted by itself; none is dropped, order is kept; the replay too")
    func emits() {
        let source = graph.mutable(1)
        let delivered = source.deliver(on: loop)
        let heard = Recorder(delivered)
        source.set(2)
        source.set(2)
        source.set(3)
        #expect(delivered.isEmpty)
        loop.run()
        #expect(heard.history == [1, 2, 2, 3])
        #expect(!loop.hasWork)
    }

    @Test("G-73: what was dropped leaves its place in the order of posts empty")
    func droppedPlace() throws {
        let a = graph.mutable(1)
        let b = graph.mutable(10)
        let first = a.deliver(on: loop)
        let edge = try #require(first.upstreamTransforms.first as? TransformEdge<Int, Int>)
        let heard = Recorder<Int>()
        let second = b.deliver(on: loop)
        for node in [first, second] { node.listen(owner: heard) { $0.note($1) } }
        // The post of 1 is still there; that of 2 comes after that of 10.
        edge.from = graph.mutable(2)
        loop.run()
        #expect(heard.history == [10, 2])
    }

    @Test("G-15: its edge is called Deliver")
    func name() {
        let source = graph.mutable(1)
        let delivered = source.deliver(on: loop)
        #expect(delivered.upstreamTransforms.map(\.name) == ["Deliver"])
    }

    @Test("G-11, G-145: emptiness does not come along, unless it travels; then in order")
    func empty() {
        let source = graph.mutable(1)
        let delivered = source.deliver(on: loop)
        source.clear()
        loop.run()
        #expect(delivered.value == 1)
        delivered.propagatesEmpty = true
        let heard = EmissionRecorder(delivered, replay: false)
        source.set(2)
        source.clear()
        loop.run()
        #expect(heard.history == [.value(2), .empty])
    }

    @Test("G-45: context and path are those of the set")
    func keeps() {
        let source = graph.mutable(of: Int.self)
        let delivered = source.deliver(on: loop)
        let bag = CancellableBag()
        var heard: [String] = []
        delivered.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.path.ids) \(delivery.context?.value(as: String.self) ?? "-")")
        }
        source.set(1, context: Context("c"))
        source.set(2)
        loop.run()
        #expect(heard == ["1 [\(source.id), \(delivered.id)] c", "2 [\(source.id), \(delivered.id)] -"])
    }

    @Test("G-41, G-138a: a ring over it stops where it began")
    func ring() {
        let a = graph.mutable(of: Int.self)
        let b = a.deliver(on: loop)
        let link = a.link(to: b.map { $0 + 1 })
        let heard = Recorder(a)
        a.set(1)
        loop.run()
        #expect(heard.history == [1])
        #expect(b.value == 1)
        link?.cancel()
        expectSound(graph, a, b)
    }

    @Test("G-73: a value on its way is dropped when the edge is cancelled, and when its target is freed")
    func drops() {
        let source = graph.mutable(1)
        let delivered = source.deliver(on: loop)
        delivered.removeUpstreamNodes()
        loop.run()
        #expect(delivered.isEmpty)
        var other: Node<Int>? = source.deliver(on: loop)
        weak let gone = other
        other = nil
        #expect(gone == nil)
        loop.run()
        #expect(!source.hasDownstreamNode)
    }

    @Test("G-73: a value on its way does not keep the source alive once its consumer died")
    func source() {
        weak var gone: AnyNode?
        var delivered: Node<Int>?
        do {
            let source = graph.mutable(1)
            gone = source
            delivered = source.deliver(on: loop)
        }
        #expect(gone != nil && delivered != nil)
        delivered = nil
        #expect(gone == nil)
        loop.run()
    }

    @Test("G-23: another source drops what was on its way from the first, and continues with its own")
    func reaiming() throws {
        let a = graph.mutable(1)
        let b = graph.mutable(10)
        let delivered = a.deliver(on: loop)
        let heard = Recorder(delivered)
        let edge = try #require(delivered.upstreamTransforms.first as? TransformEdge<Int, Int>)
        edge.from = b
        loop.run()
        a.set(2)
        b.set(11)
        loop.run()
        #expect(heard.history == [10, 11])
    }

    @Test("Each arrival is a turn of its own: joins behind it settle in between")
    func turns() {
        let source = graph.mutable(1)
        let delivered = source.deliver(on: loop)
        let joined = Node.combine(delivered.map { $0 * 10 }, delivered.map { $0 + 1 })
        let heard = Recorder<String>()
        joined.listen(owner: heard) { $0.note("\($1.0) \($1.1)") }
        source.set(2)
        loop.run()
        #expect(heard.history == ["10 2", "20 3"])
    }

    @Test(
        "G-142: a bounded buffer lets a number of values be on their way; posts are bounded too",
        arguments: [(BufferPolicy.dropOldest(2), [3, 4]), (.dropNewest(2), [1, 2]), (.fail(2), [1, 2])]
    )
    func bounded(policy: BufferPolicy, expected: [Int]) {
        var told = 0
        graph.onError = { if case .overflow(_, _, limit: 2) = $0 { told += 1 } }
        let source = graph.mutable(of: Int.self)
        let control = BufferControl()
        let delivered = source.deliver(on: loop, buffer: policy, control: control)
        let heard = Recorder(delivered)
        for value in 1...4 { source.set(value) }
        #expect(control.count == 2 && control.peak == 2 && control.droppedCount == 2)
        loop.run()
        #expect(heard.history == expected)
        #expect(told == (policy == .fail(2) ? 2 : 0))
        source.set(5)
        delivered.removeUpstreamNodes()
        #expect(control.count == 0 && control.droppedCount == 3)
        loop.run()
        #expect(heard.history == expected)
    }

    @Test("Is released with its last holder, values on the way or not")
    func release() {
        expectReleased(graph) { $0.deliver(on: loop) }
        loop.run()
    }

    @Test("A listener that sets the source when a value arrives just sends another on its way")
    func misbehaves() {
        let source = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        source.deliver(on: loop).listen(in: bag) { value in
            heard.append(value)
            if value < 3 { source.set(value + 1) }
        }
        loop.run()
        #expect(heard == [1, 2, 3])
    }
}
