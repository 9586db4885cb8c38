// Zip of three to six nodes, written out: parameter packs are not specialised and cost four times
// as much.
extension Node {
    /// The first values of three nodes, then the second ones, and so on.
    ///
    /// See ``zip(_:_:buffer:control:)``.
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

    /// `transform` of the first values of three nodes, of the second ones, and so on.
    ///
    /// See ``zipEach(_:_:buffer:control:_:)``.
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
        let (first, second, third) = (zip.input(a), zip.input(b), zip.input(c))
        return zip.start { transform(first.next(), second.next(), third.next()) }
    }

    /// The first values of four nodes, then the second ones, and so on.
    ///
    /// See ``zip(_:_:buffer:control:)``.
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

    /// `transform` of the first values of four nodes, of the second ones, and so on.
    ///
    /// See ``zipEach(_:_:buffer:control:_:)``.
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
        let (first, second, third, fourth) = (zip.input(a), zip.input(b), zip.input(c), zip.input(d))
        return zip.start { transform(first.next(), second.next(), third.next(), fourth.next()) }
    }

    /// The first values of five nodes, then the second ones, and so on.
    ///
    /// See ``zip(_:_:buffer:control:)``.
    @inlinable
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

    /// `transform` of the first values of five nodes, of the second ones, and so on.
    ///
    /// See ``zipEach(_:_:buffer:control:_:)``.
    @inlinable
    public static func zipEach<A, B, C, D, E>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (A, B, C, D, E) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(a.graph, buffer, control)
        let (first, second, third, fourth, fifth) = (
            zip.input(a), zip.input(b), zip.input(c), zip.input(d), zip.input(e)
        )
        return zip.start { transform(first.next(), second.next(), third.next(), fourth.next(), fifth.next()) }
    }

    /// The first values of six nodes, then the second ones, and so on.
    ///
    /// See ``zip(_:_:buffer:control:)``.
    @inlinable
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

    /// `transform` of the first values of six nodes, of the second ones, and so on.
    ///
    /// See ``zipEach(_:_:buffer:control:_:)``.
    @inlinable
    public static func zipEach<A, B, C, D, E, F>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ f: Node<F>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (A, B, C, D, E, F) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(a.graph, buffer, control)
        let (first, second, third, fourth, fifth, sixth) = (
            zip.input(a), zip.input(b), zip.input(c), zip.input(d), zip.input(e), zip.input(f)
        )
        return zip.start {
            transform(first.next(), second.next(), third.next(), fourth.next(), fifth.next(), sixth.next())
        }
    }
}
