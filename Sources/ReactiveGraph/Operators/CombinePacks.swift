// Combine of seven nodes and more, by parameter packs: they are not specialised, so a delivery costs a few times as much
// as with the forms written out, but allocates nothing either.
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
        return combine.start { transform(repeat (each inputs).value) }
    }
}
