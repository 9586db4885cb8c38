import ReactiveGraph
import TestSupport
import Testing

@Suite("Schedule")
struct ScheduleTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    /// Each full ten seconds.
    private func tens() -> Node<Duration> {
        graph.schedule(
            next: { .seconds(($0.components.seconds / 10 + 1) * 10) },
            last: { .seconds($0.components.seconds / 10 * 10) }
        )
    }

    @Test("Emits each moment when it has come; before the first it is empty")
    func emits() {
        clock.advance(by: .seconds(3))
        let node = tens()
        let heard = Recorder(node)
        #expect(node.isEmpty)
        clock.advance(by: .milliseconds(6_999))
        #expect(heard.history == [])
        clock.advance(by: .milliseconds(1))
        #expect(heard.history == [.seconds(10)])
        clock.advance(by: .seconds(10))
        #expect(heard.history == [.seconds(10), .seconds(20)])
    }

    @Test("A moment at which it begins has passed")
    func begins() {
        clock.advance(by: .seconds(10))
        let heard = Recorder(tens())
        clock.advance(by: .seconds(9))
        #expect(heard.history == [])
        clock.advance(by: .seconds(1))
        #expect(heard.history == [.seconds(20)])
    }

    @Test("Without a next moment nothing is scheduled")
    func never() {
        let node = graph.schedule(next: { _ in nil }, last: { _ in nil })
        #expect(clock.pendingCount == 0)
        withExtendedLifetime(node) {}
    }

    @Test("Is released with its last holder, and its timer with it")
    func released() {
        var node: Node<Duration>? = tens()
        weak let weakly = node
        #expect(clock.pendingCount == 1)
        node = nil
        #expect(weakly == nil)
        #expect(clock.pendingCount == 0)
    }
}
