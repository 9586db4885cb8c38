// Combine of seven nodes and more, by parameter packs. These are not specialised, nor can they be
// inlined (the optimiser of Swift 6.3 does not survive it): a delivery allocates nothing, but costs
// a good ten times as much as with the forms written out. Where that matters, combine in two steps,
// or a list.
extension Node {
    /// The latest values of seven nodes or more, as soon as all hold one.
    ///
    /// See <doc:Combine>.
    public static func combine<A, B, C, D, E, F, G, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        _ g: Node<G>,
        _ rest: repeat Node<each Rest>
    ) -> Node<(A, B, C, D, E, F, G, repeat each Rest)>
    where Value == (A, B, C, D, E, F, G, repeat each Rest) {
        combineEach(a, b, c, d, e, f, g, repeat each rest) {
            (a: A, b: B, c: C, d: D, e: E, f: F, g: G, rest: repeat each Rest) in
            (a, b, c, d, e, f, g, repeat each rest)
        }
    }

    /// `transform` of the latest values of seven nodes or more.
    ///
    /// See <doc:Combine>.
    public static func combineEach<A, B, C, D, E, F, G, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        _ g: Node<G>,
        _ rest: repeat Node<each Rest>,
        transform: @escaping (A, B, C, D, E, F, G, repeat each Rest) -> Value
    ) -> Node<Value> {
        combinePack(a, b, c, d, e, f, g, repeat each rest, graph: a.graph, transform: transform)
    }

    private static func combinePack<each Input>(
        _ nodes: repeat Node<each Input>,
        graph: Graph,
        transform: @escaping (repeat each Input) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(graph)
        let inputs = (repeat combine.input(each nodes))
        return combine.start { [slots = combine.inputs] join in
            guard slots.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(repeat (each inputs).value))
        }
    }
}
