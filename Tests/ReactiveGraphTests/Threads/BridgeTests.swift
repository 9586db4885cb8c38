import ReactiveGraph
import TestSupport
import Testing

@Suite("Bridges between graphs")
struct BridgeTests {
    let loopA = ManualExecutor()
    let loopB = ManualExecutor()
    let a: Graph
    let b: Graph

    init() {
        a = Graph(executor: loopA)
        b = Graph(executor: loopB)
    }

    /// Runs both loops until neither has anything to do.
    private func run() {
        while loopA.hasWork || loopB.hasWork {
            loopA.run()
            loopB.run()
        }
    }

    @Test("G-111: a bridge hands on the present value and every later one, in order, each a turn")
    func follows() {
        let source = a.mutable(1)
        let copy = b.bridge(from: source.outlet)
        let heard = Recorder(copy)
        #expect(copy.isEmpty)
        run()
        source.set(2)
        source.set(2)
        source.set(3)
        #expect(heard.history == [1])
        run()
        #expect(heard.history == [1, 2, 2, 3])
    }

    @Test("G-111: the context comes along; a value present at the start has none")
    func context() {
        let source = a.mutable(0)
        let copy = b.bridge(from: source.outlet)
        let bag = CancellableBag()
        var heard: [String] = []
        copy.listenEmissions(in: bag) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.context?.value() ?? "-")")
        }
        run()
        source.set(1, context: Context("c"))
        run()
        #expect(heard == ["0 -", "1 c"])
    }

    @Test("G-111: the path is opaque on the other side: its nodes are not taken for nodes of that graph")
    func path() {
        // Nodes of both graphs have the same numbers.
        let source = a.mutable(of: Int.self)
        let sent = source.map { $0 }
        let copy = b.bridge(from: sent.outlet)
        let mapped = copy.map { $0 }
        let bag = CancellableBag()
        var heard: [Path] = []
        mapped.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard !emission.isEmpty else { return }
            heard.append(delivery.path)
        }
        run()
        source.set(1)
        run()
        #expect(heard.map(\.ids) == [[copy.id, mapped.id]])
        #expect(heard.map(\.hasCrossedGraphs) == [true])
        #expect(!Path.empty.hasCrossedGraphs)
    }

    @Test("G-111, G-41: a ring over two graphs stops where it began")
    func ring() {
        let source = a.mutable(of: Int.self)
        let there = b.bridge(from: source.outlet)
        let changed = there.map { $0 + 1 }
        let back = a.bridge(from: changed.outlet)
        source.link(to: back)
        let heard = Recorder(source)
        let heardBack = Recorder(back)
        run()
        source.set(1)
        run()
        #expect(heard.history == [1])
        #expect(heardBack.history == [2])
        // And from the middle: the other graph's node is where it stops.
        source.set(5)
        run()
        #expect(heard.history == [1, 5])
        source.removeUpstreamNodes()
    }

    @Test("G-111: without demand it holds nothing, and follows nothing")
    func noDemand() {
        weak var gone: AnyNode?
        let copy: Node<Int>
        do {
            let source = a.mutable(1)
            gone = source
            copy = b.bridge(from: source.outlet)
            run()
            source.set(2)
            run()
            #expect(copy.isEmpty && !source.hasListener)
        }
        #expect(gone == nil)
        let heard = Recorder(copy)
        run()
        #expect(heard.history == [])
    }

    @Test("G-111: with demand it holds its source; when the demand goes, the source goes")
    func demand() {
        weak var gone: AnyNode?
        let copy: Node<Int>
        do {
            let source = a.mutable(1)
            gone = source
            copy = b.bridge(from: source.outlet)
        }
        #expect(gone == nil)
        let handle: NodeHandle<Int>
        let other: Node<Int>
        do {
            let source = a.mutable(1)
            gone = source
            handle = source.handle
            other = b.bridge(from: source.outlet)
            var mapped: Node<Int>? = other.map { $0 * 10 }
            run()
            #expect(mapped?.value == 10)
            mapped = nil
            run()
            #expect(!source.hasListener)
            mapped = nil
        }
        #expect(gone == nil)
        handle.set(9)
        run()
        #expect(other.value == 1)
        _ = copy
    }

    @Test("G-111: a listener keeps the source alive from the other side")
    func keeps() {
        weak var gone: AnyNode?
        var heard: Recorder<Int>? = Recorder()
        let handle: NodeHandle<Int>
        do {
            let source = a.mutable(1)
            gone = source
            handle = source.handle
            b.bridge(from: source.outlet).listen(owner: heard!) { $0.note($1) }
            run()
        }
        handle.set(2)
        run()
        #expect(heard?.history == [1, 2])
        #expect(gone != nil)
        heard = nil
        run()
        #expect(gone == nil)
        #expect(a.counts.liveNodes == 0 && b.counts.liveNodes == 0)
    }

    @Test("G-111: demand that comes again gets the value of then")
    func again() {
        let source = a.mutable(1)
        let copy = b.bridge(from: source.outlet)
        let first = Recorder(copy)
        run()
        first.listenBag.cancel()
        run()
        source.set(2)
        run()
        #expect(copy.value == 1)
        let second = Recorder(copy)
        run()
        #expect(second.history == [1, 2])
        #expect(first.history == [1])
    }

    @Test("G-11, G-145: emptiness comes over only where it travels")
    func emptiness() {
        let source = a.mutable(1)
        let copy = b.bridge(from: source.outlet)
        let travelling = b.bridge(from: source.outlet, propagatesEmpty: true)
        let heard = [copy, travelling].map { EmissionRecorder($0, replay: false) }
        run()
        source.clear()
        run()
        #expect(heard[0].history == [.value(1)])
        #expect(heard[1].history == [.value(1), .empty])
    }

    private struct Offline: Error {}

    @Test("G-111, G-135: an error that the node keeps is no demand")
    func error() {
        let source = a.mutable(1)
        let copy = b.bridge(from: source.outlet)
        let heard = Recorder(copy)
        run()
        copy.writable().beginLoad().fail(Offline())
        #expect(copy.latestError is Offline)
        heard.listenBag.cancel()
        run()
        #expect(!source.hasListener)
    }

    @Test(
        "G-142: a bounded bridge lets a number of values be on their way, and counts the others",
        arguments: [(BufferPolicy.dropOldest(2), [3, 4]), (.dropNewest(2), [1, 2]), (.fail(2), [1, 2])]
    )
    func bounded(policy: BufferPolicy, expected: [Int]) {
        var told = 0
        a.onError = { if case .overflow(_, _, limit: 2) = $0 { told += 1 } }
        let source = a.mutable(of: Int.self)
        let control = BufferControl()
        let heard = Recorder(b.bridge(from: source.outlet, buffer: policy, control: control))
        run()
        for value in 1...4 { source.set(value) }
        run()
        #expect(heard.history == expected)
        #expect(control.count == 0 && control.peak == 2 && control.droppedCount == 2)
        #expect(told == (policy == .fail(2) ? 2 : 0))
        source.set(5)
        run()
        #expect(heard.history == expected + [5])
    }

    @Test("G-111: two loops on threads of their own")
    func threads() {
        let loop = BlockingLoop()
        let source = Graph(executor: loop).mutable(0)
        let outlet = source.outlet
        let notes = SharedNotes<Int>()
        let other = PlainThread {
            let loop = BlockingLoop()
            let copy = Graph(executor: loop).bridge(from: outlet)
            let bag = CancellableBag()
            copy.map { $0 * 2 }.listen(in: bag) { notes.add($0) }
            loop.run { notes.all.count == 101 }
            // The bag dies here, and with it the demand.
        }
        loop.run { source.hasListener }
        for value in 1...100 { source.set(value) }
        loop.run { !source.hasListener }
        other.join()
        #expect(notes.all == (0...100).map { $0 * 2 })
    }

    // MARK: - Without a bridge

    @Test("G-111: a plain link of nodes of two graphs is stopped; so are merge, combine and sync")
    func traps() async {
        await #expect(processExitsWith: .failure) {
            Graph().mutable(1).link(to: Graph().mutable(2))
        }
        await #expect(processExitsWith: .failure) {
            _ = Node.merge([Graph().mutable(1), Graph().mutable(2)])
        }
        await #expect(processExitsWith: .failure) {
            _ = Node.combine(Graph().mutable(1), Graph().mutable(2))
        }
        await #expect(processExitsWith: .failure) {
            _ = Node.combine([Graph().mutable(1), Graph().mutable(2)])
        }
        await #expect(processExitsWith: .failure) {
            Graph().mutable(1).sync(with: Graph().mutable(2))
        }
        await #expect(processExitsWith: .failure) {
            let other = Graph().mutable(2)
            _ = Graph().mutable(1).flattenMap { _ in other }
        }
    }

    @Test("G-111: without executors there is no bridge")
    func missing() async {
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1).outlet
        }
    }
}
