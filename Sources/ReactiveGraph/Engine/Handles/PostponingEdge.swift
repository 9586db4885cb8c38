/// The only edge into a node, which is parked: an emission of its source reaches it when it is
/// delivered, and not before.
package struct PostponingEdge {
    private let edge: Edge

    /// The edge into `node`; `nil` if there is none.
    package init?(into node: AnyNode) {
        guard let edge = node.core.held.first else { return nil }
        self.edge = edge.object
    }

    /// The node that it comes from; `nil` if the edge has lost an end.
    package var source: AnyNode? { edge.source?.heldNode }

    /// Emissions of its source no longer reach its operator (``Node/observeMissed(_:)``).
    package func park() { edge.park() }

    /// Its operator receives an emission of the source in a turn of its own.
    ///
    /// It goes on with the path and context that it came with. Nothing happens if the edge has lost
    /// an end.
    package func deliver<Value>(_ emission: Emission<Value>, after passage: Passage? = nil) {
        guard edge.source != nil else { return }
        // A downcast would look the type up for each emission.
        let node = edge.source(as: Value.self).with { $0.heldTypedNode }
        node.graph.engine.feed(edge, from: node, emission, after: passage)
    }
}
