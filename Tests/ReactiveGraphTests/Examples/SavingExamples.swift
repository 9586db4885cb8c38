import ReactiveGraph
import Testing

extension Examples {
    @Test("Saving and restoring state (G-164)")
    func savingState() throws {
        /// The same graph each time it is made.
        struct Scores {
            let clock = ManualClock()
            let graph: Graph
            let points: MutableNode<Int>
            let total: Node<Int>
            let late: Node<Int>
            var nodes: [AnyNode] { [points, total, late] }

            init(at time: Duration = .zero) {
                clock.advance(to: time)
                graph = Graph(clock: clock)
                points = graph.mutable(of: Int.self)
                total = points.scan(0) { $0 + $1 }
                late = total.delay(for: .seconds(5))
            }
        }

        let first = Scores()
        first.points.set(3)
        first.points.set(4)
        var writer = StateWriter { value, bytes in bytes += "\(value)".utf8 }
        first.graph.saveState(of: first.nodes, to: &writer)
        if let error = writer.error { throw error }

        let second = Scores(at: first.clock.now)
        var reader = StateReader(writer.bytes) { bytes, _ in
            guard let value = Int(String(decoding: bytes, as: UTF8.self)) else { throw StateError.malformed }
            return value
        }
        try second.graph.restoreState(of: second.nodes, from: &reader)
        let bag = CancellableBag()
        second.total.listen(in: bag) { print("total", $0) }  // prints total 7
        second.late.listen(in: bag) { print("late", $0) }
        second.points.set(5)  // prints total 12
        second.clock.advance(by: .seconds(5))  // prints late 3, then late 7, then late 12
        try check()
    }
}
