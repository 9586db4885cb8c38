/// The state of a counting edge.
@usableFromInline
final class Counter {
    @exclusivity(unchecked) @usableFromInline var count = 0

    @usableFromInline init() {}
}

extension Node {
    /// The values after the first `count` (G-70).
    ///
    /// Counting starts anew when the edge's `from` changes.
    ///
    /// Example: 1, 2, 3 with `skip(2)` emits 3.
    @inlinable
    public func skip(_ count: Int) -> Node<Value> {
        precondition(count >= 0, "skip: the count must not be negative")
        let counter = Counter()
        return counted("Skip", counter) { _, value, edge in
            guard counter.count == count else {
                counter.count += 1
                return .nothing
            }
            return edge.store(value)
        }
    }

    @inlinable
    func counted(
        _ name: String,
        _ counter: Counter,
        _ body: @escaping (Counter, Value, Edge) -> Outcome
    ) -> Node<Value> {
        let target = Node<Value>(graph: graph, .empty)
        let edge = Edge(name) { edge in
            guard case .value(let value) = edge.input(Value.self) else {
                return edge.forwardEmpty(to: Value.self)
            }
            return body(counter, value, edge)
        }
        edge.needSide().reset = {
            counter.count = 0
            return nil
        }
        graph.derive(target, from: self, edge)
        return target
    }
}
