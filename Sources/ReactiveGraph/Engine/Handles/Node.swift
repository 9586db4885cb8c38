/// A value that notifies its downstream edges when it changes.
///
/// What owns what, in four sentences (G-52):
/// 1. A listener's bag owns its listen edges, and a node owns the edges that come into it.
/// 2. An edge holds its source node, and never its target.
/// 3. So consumers hold providers: a node lives while something outside, a living node downstream
///    or a living listener needs it, and no longer.
/// 4. Cancellables own nothing, and dropping one changes nothing; dropping a bag ends what is in
///    it.
///
/// A node is made by a ``Graph`` or by an operator. It holds one ``Emission`` at a time; it never
/// compares.
public class Node<Value>: AnyNode {
    @usableFromInline
    init(_ core: Core<Value>) {
        super.init(core)
    }

    @inlinable
    convenience init(graph: Graph, _ emission: Emission<Value>) {
        self.init(Core(graph: graph, emission))
    }

    /// Calls `body` with what the graph knows of this node, as the type it is.
    @inlinable
    @inline(__always)
    final func withTypedCore<Result>(_ body: (Core<Value>) -> Result) -> Result {
        withCore { unsafe body(unsafeDowncast($0, to: Core<Value>.self)) }
    }

    /// What the graph knows of this node, as the type it is.
    @inlinable final var typedCore: Core<Value> { withTypedCore { $0 } }

    @inlinable final var stored: Emission<Value> { withTypedCore { $0.stored } }

    /// A node holding `value`: of any value, mutable or not (G-97).
    ///
    /// The graph's own way to say it is `graph.node(value)`, or `graph.mutable(value)`.
    public convenience init(_ value: Value, in graph: Graph) {
        self.init(graph: graph, .value(value))
    }

    /// What the node holds now: a value or empty.
    @inlinable public final var emission: Emission<Value> { stored }

    /// The value, `nil` if the node is empty.
    @inlinable public final var value: Value? { stored.value }

    /// The value, or `fallback` if the node is empty (G-8).
    @inlinable
    public final func value(default fallback: @autoclosure () -> Value) -> Value {
        stored.value(default: fallback())
    }

    /// Runs `body` at once with the value, and not at all if the node is empty (G-9).
    @inlinable
    public final func ifValue(_ body: (Value) throws -> Void) rethrows {
        try stored.ifValue(body)
    }
}
