/// What the engine asks of an edge's state, whatever its type.
///
/// Called while lists are being changed, `reset` and `detach` run no code of the caller's: what
/// they release they give back.
@usableFromInline
class EdgeState {
    @usableFromInline init() {}

    /// `from` was set to a different node: the state begins again.
    @usableFromInline func reset() -> AnyObject? { nil }

    /// The edge has lost an end: timers stop, and what was on its way is dropped.
    @usableFromInline func detach() -> AnyObject? { nil }

    /// Visits the nodes that the state holds, once per reference.
    @usableFromInline func forEachKeptNode(_ visit: (AnyNode) -> Void) {}

    /// How many emissions it keeps back.
    @usableFromInline var waiting: Int { 0 }

    /// Writes what the state of `edge` is between two turns (G-164).
    @usableFromInline func save(to writer: inout StateWriter, of edge: Edge) {}

    /// Reads what `save` has written, and emits nothing; what throws has changed nothing.
    @usableFromInline func restore(from reader: inout StateReader, of edge: Edge) throws {}
}
