import ReactiveGraph
import TestSupport
import Testing

@Suite("Between")
struct BetweenTests {
    let clock = ManualClock()
    let graph: Graph

    init() {
        graph = Graph(clock: clock)
    }

    /// The second half of each ten seconds.
    private func late() -> Node<Bool> {
        graph.between(
            contains: { $0.components.seconds % 10 >= 5 },
            next: { .seconds(($0.components.seconds / 5 + 1) * 5) }
        )
    }

    @Test("Says at once whether it is time, and again when that changes")
    func emits() {
        clock.advance(by: .seconds(7))
        let node = late()
        #expect(node.value == true)
        let heard = Recorder(node)
        clock.advance(by: .seconds(3))
        clock.advance(by: .seconds(5))
        #expect(heard.history == [true, false, true])
    }

    @Test("A look that finds nothing changed emits nothing")
    func same() {
        let node = graph.between(
            contains: { _ in false },
            next: { $0 < .seconds(3) ? $0 + .seconds(1) : nil }
        )
        let heard = Recorder(node)
        for _ in 0..<4 { clock.advance(by: .seconds(1)) }
        #expect(heard.history == [false])
        #expect(clock.pendingCount == 0)
    }

    @Test("Is released with its last holder, and its timer with it")
    func released() {
        var node: Node<Bool>? = late()
        weak let weakly = node
        node = nil
        #expect(weakly == nil)
        #expect(clock.pendingCount == 0)
    }
}
