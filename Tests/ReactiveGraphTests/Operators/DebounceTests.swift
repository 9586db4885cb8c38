import ReactiveGraph
import TestSupport
import Testing

@Suite("Debounce")
struct DebounceTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    private func burst(_ source: MutableNode<Int>, _ values: [Int], every step: Duration = .milliseconds(10))
    {
        for value in values {
            source.set(value)
            clock.advance(by: step)
        }
    }

    @Test(
        "A burst gives its last value, its first, or both (G-75, G-141)",
        arguments: [(DebounceEdge.trailing, [3, 5]), (.leading, [1, 4]), (.both, [1, 3, 4, 5])]
    )
    func emits(edge: DebounceEdge, expected: [Int]) {
        let source = graph.mutable(of: Int.self)
        let heard = Recorder(source.debounce(for: .milliseconds(50), edge: edge))
        burst(source, [1, 2, 3])
        clock.advance(by: .seconds(1))
        burst(source, [4, 5])
        clock.advance(by: .seconds(1))
        #expect(heard.history == expected)
    }

    @Test("G-75: the replay counts as a value; equal values restart the timer as well")
    func restarts() {
        let source = graph.mutable(1)
        let derived = source.debounce(for: .milliseconds(50))
        #expect(derived.isEmpty)
        clock.advance(by: .milliseconds(40))
        source.set(1)
        clock.advance(by: .milliseconds(40))
        #expect(derived.isEmpty)
        clock.advance(by: .milliseconds(10))
        #expect(derived.value == 1)
    }

    @Test("G-141: a pending value of a source that was cleared can be dropped; it counts as dropped")
    func dropsWhenCleared() {
        let source = graph.mutable(of: Int.self)
        let control = TimedControl()
        let derived = source.debounce(
            for: .milliseconds(50),
            edge: .both,
            dropsWhenCleared: true,
            control: control
        )
        let heard = EmissionRecorder(derived, replay: false)
        source.set(1)
        source.set(2)
        source.clear()
        #expect(!control.hasPending && control.droppedCount == 1)
        clock.advance(by: .seconds(1))
        source.set(3)
        #expect(heard.history == [.value(1), .value(3)])
        let sampled = source.sample(every: .milliseconds(50), dropsWhenCleared: true)
        source.clear()
        clock.advance(by: .seconds(1))
        #expect(sampled.isEmpty)
        #expect(clock.pendingCount == 0)
    }

    @Test("G-45, G-138a: path and context are those of the value, also in a ring, which stops where it began")
    func carries() {
        let source = graph.mutable(of: Int.self)
        let derived = source.debounce(for: .milliseconds(50))
        let link = source.link(to: derived.map { $0 + 1 })
        let bag = CancellableBag()
        var heard: [String] = []
        derived.listenEmissions(in: bag, paths: true) { emission, delivery in
            guard let value = emission.value else { return }
            heard.append("\(value) \(delivery.path.ids) \(delivery.context?.value(as: String.self) ?? "-")")
        }
        source.set(1, context: Context("one"))
        source.set(2, context: Context("two"))
        clock.advance(by: .seconds(1))
        #expect(heard == ["2 [\(source.id), \(derived.id)] two"])
        #expect(source.value == 2)
        link?.cancel()
        expectSound(graph, source, derived)
    }

    @Test("G-112: a debounce that restarts counts as a new timer among those due at the same time")
    func dueOrder() {
        let (a, b) = (graph.mutable(of: String.self), graph.mutable(of: String.self))
        let heard = Recorder<String>()
        let merged = Node.merge([
            a.debounce(for: .milliseconds(50)), b.debounce(for: .milliseconds(50)),
            a.delay(for: .milliseconds(50)),
        ])
        merged.listen(owner: heard) { $0.note($1) }
        a.set("a")
        b.set("b")
        a.set("A")
        clock.advance(by: .milliseconds(50))
        // Of a: its delays and its debounce, started anew after b's.
        #expect(heard.history == ["a", "b", "A", "A"])
    }

    @Test("G-75, G-112: a non-positive interval, and a graph without clock, are programming errors")
    func programmingErrors() async {
        await #expect(processExitsWith: .failure) {
            _ = Graph(clock: ManualClock()).mutable(1).throttle(for: .zero)
        }
        await #expect(processExitsWith: .failure) {
            _ = Graph().mutable(1).debounce(for: .seconds(1))
        }
    }

    @Test(
        "A single value is emitted once, whichever the edge",
        arguments: [DebounceEdge.trailing, .leading, .both]
    )
    func single(edge: DebounceEdge) {
        let source = graph.mutable(1)
        let heard = Recorder(source.debounce(for: .milliseconds(50), edge: edge))
        clock.advance(by: .seconds(1))
        #expect(heard.history == [1])
    }

    @Test("A steady stream faster than the interval never emits (G-75)")
    func steady() {
        let source = graph.mutable(0)
        let derived = source.debounce(for: .milliseconds(50))
        burst(source, Array(1...100))
        #expect(derived.isEmpty)
        clock.advance(by: .milliseconds(40))
        #expect(derived.value == 100)
    }

    @Test("A clear neither emits nor stops the timer; where emptiness travels it does both (G-75, G-145)")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.debounce(for: .milliseconds(50))
        source.clear()
        clock.advance(by: .milliseconds(50))
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.set(2)
        source.clear()
        #expect(derived.isEmpty)
        clock.advance(by: .seconds(1))
        #expect(derived.isEmpty)
    }

    @Test("Counts what is dropped, and flushes (G-141)")
    func control() {
        let control = TimedControl()
        let source = graph.mutable(of: Int.self)
        var derived: Node<Int>? = source.debounce(for: .milliseconds(50), control: control)
        burst(source, [1, 2, 3])
        #expect(control.droppedCount == 2)
        #expect(control.hasPending)
        control.flush()
        #expect(derived?.value == 3)
        #expect(!control.hasPending)
        clock.advance(by: .seconds(1))
        source.set(4)
        derived = nil
        #expect(control.droppedCount == 3)
        control.flush()
        #expect(clock.pendingCount == 0)
    }

    @Test("A listener that sets the source starts a new interval (G-76)")
    func setsSource() {
        let source = graph.mutable(1)
        let bag = CancellableBag()
        var heard: [Int] = []
        source.debounce(for: .milliseconds(50)).listen(in: bag) { value in
            heard.append(value)
            if value == 1 { source.set(2) }
        }
        clock.advance(by: .milliseconds(50))
        #expect(heard == [1])
        clock.advance(by: .milliseconds(50))
        #expect(heard == [1, 2])
    }

    @Test("Is released with its last holder; nothing is emitted after a cancel (G-75)")
    func release() {
        expectReleased(graph) { $0.debounce(for: .seconds(1)) }
        let source = graph.mutable(1)
        let derived = source.debounce(for: .milliseconds(50))
        derived.removeUpstreamNodes()
        clock.advance(by: .seconds(1))
        #expect(derived.isEmpty)
    }

    @Test("A flush ends the interval: the next value is a first one (G-141)")
    func flushEndsInterval() {
        let control = TimedControl()
        let source = graph.mutable(of: Int.self)
        let heard = Recorder(source.debounce(for: .milliseconds(50), edge: .both, control: control))
        for value in [1, 2] { source.set(value) }
        control.flush()
        source.set(3)
        #expect(heard.history == [1, 2, 3])
        #expect(control.droppedCount == 0)
    }
}
