/// An edge whose operator puts emissions off instead of handling them.
///
/// The operator returns `nil` for those, as though nothing had come. While the edge is parked, its
/// operator receives only what ``deliver(_:)`` gives it.
package struct PostponingEdge {
    private let edge: Edge

    /// The edge of the operator that runs at `site`.
    package init(at site: Site) {
        edge = site.edge.takeUnretainedValue()
    }

    /// The node whose emissions the operator receives, which emits values of this type; `nil` if
    /// the edge has lost an end.
    package func source<Value>(of type: Value.Type) -> Node<Value>? {
        guard edge.source != nil else { return nil }
        // A downcast would look the type up for each emission.
        return edge.source(as: Value.self)._withUnsafeGuaranteedRef { $0.heldTypedNode }
    }

    /// Its source's emissions no longer reach the operator (``Node/observeMissed(_:)``).
    package func park() { edge.park() }

    /// They reach it again, after the source's other edges.
    package func unpark() { edge.unpark() }

    /// The operator receives an emission of the source in a turn of its own.
    ///
    /// Nothing happens if the edge has lost an end.
    package func deliver<Value>(_ emission: Emission<Value>) {
        guard let node = source(of: Value.self) else { return }
        node.graph.engine.feed(edge, from: node, emission)
    }
}
