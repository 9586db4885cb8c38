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

    /// The values of this node with the latest one of another, which is held and read, but is no
    /// cause to emit.
    ///
    /// See ``withLatest(from:_:)``.
    @inlinable
    public func withLatest<Other>(from other: Node<Other>) -> Node<(Value, Other)> {
        withLatest(from: other) { ($0, $1) }
    }

    /// `transform` of each value of this node and the latest one of another, which is held and
    /// read, but is no cause to emit.
    ///
    /// While one of them has no value, neither has the node; the first value of `other` completes
    /// it. In a `settled` graph a turn that changes both emits once, with both new values; in
    /// `immediate` mode `other` has the value that it holds at that moment.
    ///
    /// Example: `meter.withLatest(from: tariff) { $0 * $1 }` is computed anew when the meter ticks,
    /// with the tariff of that time.
    @inlinable
    public func withLatest<Other, Out>(
        from other: Node<Other>,
        _ transform: @escaping (Value, Other) -> Out
    ) -> Node<Out> {
        let combine = Combining<Out>(graph)
        let (own, latest) = (combine.input(self), combine.input(other, isPassive: true))
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Out.self) }
            return join.store(transform(own.value, latest.value))
        }
    }

    /// The latest values of five nodes or more, as soon as all hold one.
    ///
    /// See <doc:Combine>. Up to four nodes have forms of their own because parameter packs are not
    /// specialised, nor can they be inlined (the optimiser of Swift 6.3 does not survive it): with
    /// five or more a delivery allocates nothing, but costs a good ten times as much. Where that
    /// matters, combine a list.
    public static func combine<A, B, C, D, E, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ rest: repeat Node<each Rest>
    ) -> Node<(A, B, C, D, E, repeat each Rest)> where Value == (A, B, C, D, E, repeat each Rest) {
        combineEach(a, b, c, d, e, repeat each rest) {
            (a: A, b: B, c: C, d: D, e: E, rest: repeat each Rest) in
            (a, b, c, d, e, repeat each rest)
        }
    }

    /// `transform` of the latest values of five nodes or more.
    ///
    /// See ``combine(_:_:)``.
    public static func combineEach<A, B, C, D, E, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ rest: repeat Node<each Rest>,
        transform: @escaping (A, B, C, D, E, repeat each Rest) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b, c, d, e) = (
            combine.input(a), combine.input(b), combine.input(c), combine.input(d), combine.input(e)
        )
        let inputs = (repeat combine.input(each rest))
        return combine.start { [slots = combine.inputs] join in
            guard slots.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(
                transform(a.value, b.value, c.value, d.value, e.value, repeat (each inputs).value)
            )
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
