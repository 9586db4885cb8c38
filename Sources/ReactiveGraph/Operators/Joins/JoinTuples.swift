// Combine and zip of three and four nodes as forms of their own: parameter packs are not
// specialised, so that a delivery costs ten times as much with them.
extension Node {
    /// `transform` of the latest values of three nodes (see <doc:Combine>).
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

    /// `transform` of the latest values of four nodes (see <doc:Combine>).
    @inlinable
    public static func combineEach<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ transform: @escaping (A, B, C, D) -> Value
    ) -> Node<Value> {
        let combine = Combining<Value>(a.graph)
        let (a, b, c, d) = (combine.input(a), combine.input(b), combine.input(c), combine.input(d))
        return combine.start { [inputs = combine.inputs] join in
            guard inputs.missing == 0 else { return join.incomplete(Value.self) }
            return join.store(transform(a.value, b.value, c.value, d.value))
        }
    }

    /// `transform` of the first values of three nodes, then of the second ones (see <doc:Zip>).
    @inlinable
    public static func zipEach<A, B, C>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (A, B, C) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(a.graph, buffer, control)
        let (a, b, c) = (zip.input(a), zip.input(b), zip.input(c))
        return zip.start { transform(a.next(), b.next(), c.next()) }
    }

    /// `transform` of the first values of four nodes, then of the second ones (see <doc:Zip>).
    @inlinable
    public static func zipEach<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (A, B, C, D) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(a.graph, buffer, control)
        let (a, b, c, d) = (zip.input(a), zip.input(b), zip.input(c), zip.input(d))
        return zip.start { transform(a.next(), b.next(), c.next(), d.next()) }
    }

    /// The latest values of three nodes (see <doc:Combine>).
    @inlinable
    public static func combine<A, B, C>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>
    ) -> Node<(A, B, C)> where Value == (A, B, C) {
        combineEach(a, b, c) { ($0, $1, $2) }
    }

    /// The first values of three nodes, then the second ones, and so on (see <doc:Zip>).
    @inlinable
    public static func zip<A, B, C>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B, C)> where Value == (A, B, C) {
        zipEach(a, b, c, buffer: buffer, control: control) { ($0, $1, $2) }
    }

    /// The latest values of four nodes (see <doc:Combine>).
    @inlinable
    public static func combine<A, B, C, D>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>
    ) -> Node<(A, B, C, D)> where Value == (A, B, C, D) {
        combineEach(a, b, c, d) { ($0, $1, $2, $3) }
    }

    /// The first values of four nodes, then the second ones, and so on (see <doc:Zip>).
    @inlinable
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
}
