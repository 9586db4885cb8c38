/// An emission that an operator has put off instead of handling it.
///
/// The operator returns `nil` for it, as though nothing had come. Once ``deliver()`` is called, the operator receives it
/// again. The operator must keep the order: while one emission of an edge waits, later ones of that edge join the same
/// queue, or take the place of its last.
package class Postponed {
    @usableFromInline final let edge: Edge

    @usableFromInline
    init(at site: Site) {
        edge = site.edge.takeUnretainedValue()
    }

    /// Whether it came on the edge of `site`; then it is a ``PostponedEmission`` of the values of that edge.
    @inlinable
    package final func isPostponed(at site: Site) -> Bool {
        site.edge.toOpaque() == Unmanaged.passUnretained(edge).toOpaque()
    }

    /// The operator receives it in a turn of its own.
    ///
    /// Nothing happens if the edge has lost an end.
    package func deliver() {}
}

/// The emission itself.
package final class PostponedEmission<Value>: Postponed {
    @exclusivity(unchecked) @usableFromInline var emission: Emission<Value>

    /// Puts off what the operator at `site` has received.
    @inlinable
    package init(_ emission: Emission<Value>, at site: Site) {
        self.emission = emission
        super.init(at: site)
    }

    /// Puts off a newer emission of the same edge in the place of this one.
    @inlinable
    package func replace(with newer: Emission<Value>) {
        emission = newer
    }

    package override func deliver() {
        guard let source = edge.source else { return }
        let node = unsafeDowncast(source.takeUnretainedValue(), to: Node<Value>.self)
        node.graph.feed(edge, from: node, emission, .empty, nil)
    }
}
