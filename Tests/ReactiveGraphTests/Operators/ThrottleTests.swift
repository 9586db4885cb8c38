import ReactiveGraph
import TestSupport
import Testing

@Suite("Throttle")
struct ThrottleTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    @Test(
        "G-75: the same operator as debounce, by its other name",
        arguments: [DebounceEdge.trailing, .both]
    )
    func alias(edge: DebounceEdge) {
        let source = graph.mutable(of: Int.self)
        let throttled = source.throttle(for: .milliseconds(50), edge: edge)
        let heard = [Recorder(source.debounce(for: .milliseconds(50), edge: edge)), Recorder(throttled)]
        for value in [1, 2, 3] {
            source.set(value)
            clock.advance(by: .milliseconds(10))
        }
        clock.advance(by: .seconds(1))
        #expect(heard[0].history == heard[1].history && heard[1].history.last == 3)
        #expect(throttled.upstreamTransforms.map(\.name) == ["Throttle"])
    }

    @Test("G-141: counts and flushes through its control, drops what was cleared where that is asked for")
    func control() {
        let control = TimedControl()
        let source = graph.mutable(1)
        let throttled = source.throttle(for: .seconds(1), dropsWhenCleared: true, control: control)
        source.set(2)
        #expect(control.hasPending && control.droppedCount == 1)
        control.flush()
        #expect(throttled.value == 2)
        source.set(3)
        source.clear()
        clock.advance(by: .seconds(2))
        #expect(throttled.value == 2 && control.droppedCount == 2)
    }

    @Test("Is released with its last holder")
    func release() {
        expectReleased(graph) { $0.throttle(for: .seconds(1)) }
    }
}
