/// An emission that an operator has put off instead of handling it.
///
/// The operator returns `nil` for it, as though nothing had come. Once ``deliver()`` is called, the
/// operator receives it again. The operator must keep the order: while one emission of an edge
/// waits, later ones of that edge join the same queue.
package final class PostponedEmission<Value>: Postponed {
    private var edge: Edge
    private var emission: Emission<Value>

    /// Puts off what the operator at `site` has received.
    package init(_ emission: Emission<Value>, at site: Site) {
        edge = site.edge.takeUnretainedValue()
        self.emission = emission
    }

    /// Puts off something newer instead.
    package func replace(with emission: Emission<Value>, at site: Site) {
        edge = site.edge.takeUnretainedValue()
        self.emission = emission
    }

    /// The operator receives it in a turn of its own.
    ///
    /// Nothing happens if the edge has lost an end.
    package func deliver() {
        guard let source = edge.source else { return }
        let node = unsafeDowncast(source.takeUnretainedValue(), to: Node<Value>.self)
        node.graph.engine.feed(edge, from: node, emission)
    }
}

/// A ``PostponedEmission`` of any type.
package protocol Postponed: AnyObject {
    /// The operator receives it in a turn of its own.
    func deliver()
}
