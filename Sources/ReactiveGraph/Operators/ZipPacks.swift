// Zip of seven nodes and more, by parameter packs. These are not specialised, nor can they be
// inlined (the optimiser of Swift 6.3 does not survive it): a delivery allocates nothing, but costs
// a good ten times as much as with the forms written out. Where that matters, zip in two steps, or
// a list.
extension Node {
    /// The first values of seven nodes or more, then the second ones, and so on.
    ///
    /// See <doc:Zip>.
    public static func zip<A, B, C, D, E, F, G, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        _ g: Node<G>,
        _ rest: repeat Node<each Rest>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B, C, D, E, F, G, repeat each Rest)>
    where Value == (A, B, C, D, E, F, G, repeat each Rest) {
        zipEach(a, b, c, d, e, f, g, repeat each rest, buffer: buffer, control: control) {
            (a: A, b: B, c: C, d: D, e: E, f: F, g: G, rest: repeat each Rest) in
            (a, b, c, d, e, f, g, repeat each rest)
        }
    }

    /// `transform` of the first values of seven nodes or more, of the second ones, and so on.
    ///
    /// See <doc:Zip>.
    public static func zipEach<A, B, C, D, E, F, G, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        _ g: Node<G>,
        _ rest: repeat Node<each Rest>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (A, B, C, D, E, F, G, repeat each Rest) -> Value
    ) -> Node<Value> {
        zipPack(
            a,
            b,
            c,
            d,
            e,
            f,
            g,
            repeat each rest,
            graph: a.graph,
            buffer: buffer,
            control: control,
            transform: transform
        )
    }

    private static func zipPack<each Input>(
        _ nodes: repeat Node<each Input>,
        graph: Graph,
        buffer: BufferPolicy,
        control: BufferControl?,
        transform: @escaping (repeat each Input) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(graph, buffer, control)
        let inputs = (repeat zip.input(each nodes))
        return zip.start { transform(repeat (each inputs).next()) }
    }
}
