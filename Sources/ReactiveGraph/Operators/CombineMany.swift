// Combine of three to six nodes, written out: parameter packs are not specialised and cost four
// times as much. Parallel to ZipMany.swift.
extension Node {
    /// The latest values of three nodes, as soon as all hold one.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combine<A, B, C>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>
    ) -> Node<(A, B, C)> where Value == (A, B, C) {
        combineEach(a, b, c) { ($0, $1, $2) }
    }

    /// `transform` of the latest values of three nodes.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combineEach<A, B, C>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ transform: @escaping (A, B, C) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b, c) = (combine.input(a), combine.input(b), combine.input(c))
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(a.value, b.value, c.value))
        }
    }

    /// The latest values of four nodes, as soon as all hold one.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combine<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>
    ) -> Node<(A, B, C, D)> where Value == (A, B, C, D) {
        combineEach(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// `transform` of the latest values of four nodes.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combineEach<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ transform: @escaping (A, B, C, D) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b, c, d) = (
            combine.input(a), combine.input(b), combine.input(c), combine.input(d)
        )
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(a.value, b.value, c.value, d.value))
        }
    }

    /// The latest values of five nodes, as soon as all hold one.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combine<A, B, C, D, E>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>
    ) -> Node<(A, B, C, D, E)> where Value == (A, B, C, D, E) {
        combineEach(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// `transform` of the latest values of five nodes.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combineEach<A, B, C, D, E>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ transform: @escaping (A, B, C, D, E) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b, c, d, e) = (
            combine.input(a), combine.input(b), combine.input(c), combine.input(d), combine.input(e)
        )
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(a.value, b.value, c.value, d.value, e.value))
        }
    }

    /// The latest values of six nodes, as soon as all hold one.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combine<A, B, C, D, E, F>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>
    ) -> Node<(A, B, C, D, E, F)> where Value == (A, B, C, D, E, F) {
        combineEach(a, b, c, d, e, f) { ($0, $1, $2, $3, $4, $5) }
    }

    /// `transform` of the latest values of six nodes.
    ///
    /// See <doc:Combine>.
    @inlinable
    public static func combineEach<A, B, C, D, E, F>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        _ transform: @escaping (A, B, C, D, E, F) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b, c, d, e, f) = (
            combine.input(a), combine.input(b), combine.input(c), combine.input(d), combine.input(e),
            combine.input(f)
        )
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(a.value, b.value, c.value, d.value, e.value, f.value))
        }
    }
}
