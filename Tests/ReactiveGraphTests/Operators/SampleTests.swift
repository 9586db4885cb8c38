import ReactiveGraph
import TestSupport
import Testing

@Suite("Sample")
struct SampleTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    @Test("Emits the newest value once per interval, and stops when there is none (G-141a)")
    func emits() {
        let source = graph.mutable(1)
        let control = TimedControl()
        let heard = Recorder(source.sample(every: .milliseconds(100), control: control))
        source.set(2)
        clock.advance(by: .milliseconds(100))
        #expect(heard.history == [2])
        source.set(3)
        clock.advance(by: .milliseconds(100))
        clock.advance(by: .milliseconds(100))
        #expect(heard.history == [2, 3])
        #expect(clock.pendingCount == 0)
        source.set(4)
        #expect(heard.history == [2, 3])
        clock.advance(by: .milliseconds(100))
        #expect(heard.history == [2, 3, 4])
        #expect(control.droppedCount == 1)
    }

    @Test("G-141a: an interval begins when the one before is over, not with the next value")
    func intervals() {
        let source = graph.mutable(1)
        let heard = Recorder(source.sample(every: .milliseconds(100)))
        clock.advance(by: .milliseconds(150))
        source.set(2)
        clock.advance(by: .milliseconds(49))
        #expect(heard.history == [1])
        clock.advance(by: .milliseconds(1))
        #expect(heard.history == [1, 2])
    }

    @Test(
        "G-141a: the leading edge passes on the first value of an interval and drops the others; both adds the newest",
        arguments: [DebounceEdge.leading, .both]
    )
    func edges(edge: DebounceEdge) {
        let source = graph.mutable(1)
        let control = TimedControl()
        let heard = Recorder(source.sample(every: .milliseconds(100), edge: edge, control: control))
        source.set(2)
        source.set(3)
        #expect(heard.history == [1])
        clock.advance(by: .milliseconds(100))
        #expect(heard.history == (edge == .leading ? [1] : [1, 3]))
        #expect(control.droppedCount == (edge == .leading ? 2 : 1))
        // With the leading edge the interval is over; the other has begun a new one.
        source.set(4)
        #expect(heard.history == (edge == .leading ? [1, 4] : [1, 3]))
        clock.advance(by: .milliseconds(100))
        source.set(5)
        #expect(heard.history == (edge == .leading ? [1, 4, 5] : [1, 3, 4]))
        clock.advance(by: .milliseconds(100))
        #expect(heard.history == (edge == .leading ? [1, 4, 5] : [1, 3, 4, 5]))
        #expect(clock.pendingCount == 0)
    }

    @Test("Emptiness is ignored, unless it travels: then the pending value is dropped")
    func empty() {
        let source = graph.mutable(1)
        let derived = source.sample(every: .milliseconds(100))
        source.clear()
        clock.advance(by: .milliseconds(100))
        #expect(derived.value == 1)
        derived.propagatesEmpty = true
        source.set(2)
        source.clear()
        clock.advance(by: .seconds(1))
        #expect(derived.isEmpty)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased(graph) { $0.sample(every: .seconds(1)) }
        #expect(clock.pendingCount == 0)
    }
}
