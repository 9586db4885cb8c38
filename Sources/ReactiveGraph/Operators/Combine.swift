extension Node {
    /// The latest values of two nodes, as soon as both hold one, and whenever one of them changes
    /// (G-81).
    ///
    /// In `settled` mode it emits once per turn, when both have settled; in `immediate` mode for
    /// each delivery. The last value of each input is remembered by the edge: clearing a source
    /// does not empty the input, unless emptiness travels. Removing an input ends the combine
    /// (G-82).
    @inlinable
    public static func combine<A, B>(_ a: Node<A>, _ b: Node<B>) -> Node<(A, B)> where Value == (A, B) {
        combineEach(a, b) { ($0, $1) }
    }

    /// `transform` of the latest values of two nodes (G-87).
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combineEach<A, B>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ transform: @escaping (A, B) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b) = (combine.input(a), combine.input(b))
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(a.value, b.value))
        }
    }

    /// The latest values of this node and another.
    ///
    /// See <doc:Combine>.
    @inlinable
    public func combine<Other>(with other: Node<Other>) -> Node<(Value, Other)> {
        Node<(Value, Other)>.combine(self, other)
    }

    /// `transform` of the latest values of this node and another.
    ///
    /// See <doc:Combine>.
    @inlinable
    public func combine<Other, Out>(
        with other: Node<Other>,
        _ transform: @escaping (Value, Other) -> Out
    ) -> Node<Out> {
        Node<Out>.combineEach(self, other, transform)
    }
}
