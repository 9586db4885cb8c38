import ReactiveGraph
import TestSupport
import Testing

@Suite("Delay")
struct DelayTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    @Test("Every value arrives in order, each its own delay later (G-74)")
    func emits() {
        let source = graph.mutable(1)
        let heard = Recorder(source.delay(for: .seconds(1)))
        clock.advance(by: .milliseconds(500))
        source.set(2)
        source.set(3)
        clock.advance(by: .milliseconds(500))
        #expect(heard.history == [1])
        clock.advance(by: .milliseconds(500))
        #expect(heard.history == [1, 2, 3])
        #expect(clock.pendingCount == 0)
    }

    @Test("Equal deadlines run in order of setting, over several delays (G-112)")
    func ties() {
        let a = graph.mutable(of: String.self)
        let b = graph.mutable(of: String.self)
        let late = Recorder<String>()
        for source in [b, a] {
            source.delay(for: .seconds(1)).listen(owner: late) { $0.note($1) }
        }
        a.set("a1")
        b.set("b1")
        a.set("a2")
        clock.advance(by: .seconds(1))
        #expect(late.history == ["a1", "b1", "a2"])
        late.forget()
        for (source, value) in [(a, "a3"), (a, "a4"), (b, "b2"), (a, "a5")] { source.set(value) }
        clock.advance(by: .seconds(1))
        #expect(late.history == ["a3", "a4", "b2", "a5"])
    }

    @Test("Keeps the context, and the path where somebody asks (G-45, G-74)")
    func keeps() {
        let source = graph.mutable(of: Int.self)
        let delayed = source.delay(for: .seconds(1))
        let bag = CancellableBag()
        var heard: [String] = []
        delayed.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.path.ids) \(delivery.context?.value(as: String.self) ?? "-")")
        }
        source.set(1, context: Context("c"))
        clock.advance(by: .seconds(1))
        #expect(heard == ["1 [\(source.id), \(delayed.id)] c"])
    }

    @Test("A ring over a delay stops where it began (G-41, G-138a)")
    func ring() {
        let a = graph.mutable(of: Int.self)
        let b = a.delay(for: .seconds(1))
        let link = a.link(to: b.map { $0 + 1 })
        let heard = Recorder(a)
        a.set(1)
        clock.advance(by: .seconds(5))
        #expect(heard.history == [1])
        #expect(b.value == 1)
        link?.cancel()
        expectSound(graph, a, b)
    }

    @Test("Values on the way are dropped with the edge and with the node; the timer stops (G-74)")
    func drops() {
        let source = graph.mutable(1)
        var delayed: Node<Int>? = source.delay(for: .seconds(1))
        #expect(clock.pendingCount == 1)
        weak let gone = delayed
        delayed = nil
        #expect(gone == nil)
        #expect(clock.pendingCount == 0)
        let other = source.delay(for: .seconds(1))
        other.removeUpstreamNodes()
        clock.advance(by: .seconds(2))
        #expect(other.isEmpty)
    }

    @Test("Emptiness is not delayed, unless it travels")
    func empty() {
        let source = graph.mutable(1)
        let delayed = source.delay(for: .seconds(1))
        source.clear()
        clock.advance(by: .seconds(1))
        #expect(delayed.value == 1)
        delayed.propagatesEmpty = true
        source.set(2)
        source.clear()
        let heard = EmissionRecorder(delayed, replay: false)
        clock.advance(by: .seconds(1))
        #expect(heard.history == [.value(2), .empty])
    }

    @Test(
        "G-142: a bounded buffer lets a number of values be on their way, and counts the others",
        arguments: [(BufferPolicy.dropOldest(2), [3, 4]), (.dropNewest(2), [1, 2]), (.fail(2), [1, 2])]
    )
    func bounded(policy: BufferPolicy, expected: [Int]) {
        var told = 0
        graph.onError = { if case .overflow(_, _, limit: 2) = $0 { told += 1 } }
        let source = graph.mutable(of: Int.self)
        let control = BufferControl()
        let delayed = source.delay(for: .seconds(1), buffer: policy, control: control)
        let heard = Recorder(delayed)
        for value in 1...4 {
            source.set(value)
            clock.advance(by: .milliseconds(100))
        }
        #expect(control.count == 2 && control.peak == 2 && control.droppedCount == 2)
        // Each its own delay after it was set: the first two are due at 1.0 and 1.1, the last two
        // at 1.2 and 1.3.
        clock.advance(to: .milliseconds(1_150))
        #expect(heard.history == (expected == [1, 2] ? [1, 2] : []))
        clock.advance(by: .seconds(1))
        #expect(heard.history == expected)
        #expect(control.count == 0)
        #expect(told == (policy == .fail(2) ? 2 : 0))
        source.set(9)
        delayed.removeUpstreamNodes()
        #expect(control.count == 0 && control.droppedCount == 3)
        #expect(clock.pendingCount == 0)
    }

    @Test("G-142: an error handler that ends the delay does no harm")
    func handler() {
        let source = graph.mutable(of: Int.self)
        let delayed = source.delay(for: .seconds(1), buffer: .fail(1))
        graph.onError = { _ in delayed.removeUpstreamNodes() }
        source.set(1)
        source.set(2)
        clock.advance(by: .seconds(1))
        #expect(delayed.isEmpty)
        graph.onError = nil
        expectSound(graph, source, delayed)
    }

    @Test("G-74: a non-positive delay is a programming error")
    func programmingError() async {
        await #expect(processExitsWith: .failure) {
            _ = Graph(clock: ManualClock()).mutable(1).delay(for: .seconds(-1))
        }
    }

    @Test("Is released with its last holder, values on the way or not")
    func release() {
        expectReleased(graph) { $0.delay(for: .seconds(1)) }
    }

    @Test("A listener that sets the source when a value arrives just sends another on its way")
    func misbehaves() {
        let source = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        source.delay(for: .seconds(1)).listen(in: bag) { value in
            heard.append(value)
            if value < 3 { source.set(value + 1) }
        }
        clock.advance(by: .seconds(10))
        #expect(heard == [1, 2, 3])
    }
}
