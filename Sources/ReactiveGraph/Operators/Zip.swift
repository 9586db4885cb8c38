extension Node {
    /// The first values of two nodes, then the second ones, and so on (G-86).
    ///
    /// Each input has a queue. When all queues have a value, the oldest of each are taken and
    /// emitted as one tuple, with the path and context of the value that completed it; at most one
    /// tuple per value that comes in. The values that the nodes hold at creation count. A zip is
    /// not a join that settles: it is the same in both modes.
    ///
    /// Clearing a source takes nothing out of a queue; where emptiness travels (G-145) the new node
    /// becomes empty until the next tuple. Another source for an input (`from` of its edge) finds
    /// what is queued. Removing an input ends the zip (G-82) and drops what is queued.
    ///
    /// Example: 1, 2 on one side and "a" on the other emits (1, "a"); "b" then emits (2, "b").
    ///
    /// - Parameters:
    ///   - a: the first node.
    ///   - b: the second node.
    ///   - buffer: how many values may wait for the other inputs, per input (G-142).
    ///   - control: counts what waits and what is dropped.
    /// - Returns: the new node.
    @inlinable
    public static func zip<A, B>(
        _ a: Node<A>,
        _ b: Node<B>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B)> where Value == (A, B) {
        zipEach(a, b, buffer: buffer, control: control) { ($0, $1) }
    }

    /// `transform` of the first values of two nodes, of the second ones, and so on (G-87).
    ///
    /// See ``zip(_:_:buffer:control:)``.
    @inlinable
    public static func zipEach<A, B>(
        _ a: Node<A>,
        _ b: Node<B>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (A, B) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(a.graph, buffer, control)
        let (first, second) = (zip.input(a), zip.input(b))
        return zip.start { transform(first.next(), second.next()) }
    }

    /// The first values of five nodes or more, then the second ones, and so on.
    ///
    /// See <doc:Zip>. As with combine, more than four nodes cost a good ten times as much per
    /// delivery: where that matters, zip a list.
    public static func zip<A, B, C, D, E, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ rest: repeat Node<each Rest>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(A, B, C, D, E, repeat each Rest)> where Value == (A, B, C, D, E, repeat each Rest) {
        zipEach(a, b, c, d, e, repeat each rest, buffer: buffer, control: control) {
            (a: A, b: B, c: C, d: D, e: E, rest: repeat each Rest) in
            (a, b, c, d, e, repeat each rest)
        }
    }

    /// `transform` of the first values of five nodes or more, of the second ones, and so on.
    ///
    /// See <doc:Zip>.
    public static func zipEach<A, B, C, D, E, each Rest>(
        _ a: Node<A>,
        _ b: Node<B>,
        _ c: Node<C>,
        _ d: Node<D>,
        _ e: Node<E>,
        _ rest: repeat Node<each Rest>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        transform: @escaping (A, B, C, D, E, repeat each Rest) -> Value
    ) -> Node<Value> {
        let zip = Zip<Value>(a.graph, buffer, control)
        let (a, b, c, d, e) = (
            zip.input(a), zip.input(b), zip.input(c), zip.input(d), zip.input(e)
        )
        let inputs = (repeat zip.input(each rest))
        return zip.start {
            transform(a.next(), b.next(), c.next(), d.next(), e.next(), repeat (each inputs).next())
        }
    }

    /// The values of this node and another, one by one.
    ///
    /// See ``zip(_:_:buffer:control:)``.
    @inlinable
    public func zip<Other>(
        with other: Node<Other>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil
    ) -> Node<(Value, Other)> {
        Node<(Value, Other)>.zip(self, other, buffer: buffer, control: control)
    }

    /// `transform` of the values of this node and another, one by one.
    ///
    /// See ``zipEach(_:_:buffer:control:_:)``.
    @inlinable
    public func zip<Other, Out>(
        with other: Node<Other>,
        buffer: BufferPolicy = .unbounded,
        control: BufferControl? = nil,
        _ transform: @escaping (Value, Other) -> Out
    ) -> Node<Out> {
        Node<Out>.zipEach(self, other, buffer: buffer, control: control, transform)
    }
}
