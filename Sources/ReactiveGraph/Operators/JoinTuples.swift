// Combine and zip of four to six nodes as tuples of their own: Swift 6.3 cannot take a part such as
// `$0.3` out of an expanded parameter pack within the expression that expands it.
extension Node {
    /// The latest values of four nodes (see <doc:Combine>).
    public static func combine<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>
    ) -> Node<(A, B, C, D)> where Value == (A, B, C, D) {
        combineEach(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// The first values of four nodes, then the second ones, and so on (see <doc:Zip>).
    public static func zip<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B, C, D)> where Value == (A, B, C, D) {
        zipEach(a, b, c, d, buffer: buffer, control: control) { ($0, $1, $2, $3) }
    }

    /// The latest values of five nodes (see <doc:Combine>).
    public static func combine<A, B, C, D, E>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>
    ) -> Node<(A, B, C, D, E)> where Value == (A, B, C, D, E) {
        combineEach(a, b, c, d, e) { ($0, $1, $2, $3, $4) }
    }

    /// The first values of five nodes, then the second ones, and so on (see <doc:Zip>).
    public static func zip<A, B, C, D, E>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B, C, D, E)> where Value == (A, B, C, D, E) {
        zipEach(a, b, c, d, e, buffer: buffer, control: control) { ($0, $1, $2, $3, $4) }
    }

    /// The latest values of six nodes (see <doc:Combine>).
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

    /// The first values of six nodes, then the second ones, and so on (see <doc:Zip>).
    public static func zip<A, B, C, D, E, F>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B, C, D, E, F)> where Value == (A, B, C, D, E, F) {
        zipEach(a, b, c, d, e, f, buffer: buffer, control: control) { ($0, $1, $2, $3, $4, $5) }
    }
}
