/// The running value of a scan.
@usableFromInline
final class Running<State> {
    @exclusivity(unchecked) @usableFromInline var state: State
    @exclusivity(unchecked) @usableFromInline var index = 0

    @usableFromInline
    init(_ state: State) {
        self.state = state
    }

    /// Begins anew; what was the state is released with the result.
    @usableFromInline
    func reset(to start: State) -> AnyObject? {
        index = 0
        return Remains(exchange(&state, with: start))
    }
}

extension Node {
    /// The running value: `start` reduced with each value (G-72).
    ///
    /// `start` itself is not emitted.
    ///
    /// Example: 1, 2, 3 with `scan(0, +)` emits 1, 3, 6. Starts anew when the edge's `from` changes.
    @inlinable
    public func scan<Out>(_ start: Out, _ reduce: @escaping (Out, Value) -> Out) -> Node<Out> {
        scan(start) { running, value, _ in reduce(running, value) }
    }

    /// The running value; `reduce` is told the index of the value too, counted from 0.
    @inlinable
    public func scan<Out>(_ start: Out, _ reduce: @escaping (Out, Value, Int) -> Out) -> Node<Out> {
        let target = Node<Out>(graph: graph, .empty)
        let running = Running(start)
        let edge = Edge("Scan") { edge in
            guard case .value(let value) = edge.input(Value.self) else {
                return edge.forwardEmpty(to: Out.self)
            }
            let index = running.index
            running.index += 1
            let next = reduce(running.state, value, index)
            replace(&running.state, with: next)
            return edge.store(next)
        }
        edge.needSide().reset = { running.reset(to: start) }
        graph.derive(target, from: self, edge)
        return target
    }
}
