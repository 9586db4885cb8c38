/// An emission of any type that an operator has put off.
package protocol Postponed: AnyObject {
    /// Whether it came on the edge of `site`; then it is a ``PostponedEmission`` of the values of that edge.
    func isPostponed(at site: Site) -> Bool

    /// The operator receives it in a turn of its own.
    ///
    /// Nothing happens if the edge has lost an end.
    func deliver()
}

/// An emission that an operator has put off instead of handling it.
///
/// The operator returns `nil` for it, as though nothing had come. Once ``deliver()`` is called, the operator receives it
/// again. The operator must keep the order: while one emission of an edge waits, later ones of that edge join the same
/// queue, or take the place of its last.
package final class PostponedEmission<Value>: Postponed {
    private let edge: Edge
    private var emission: Emission<Value>

    /// Puts off what the operator at `site` has received.
    package init(_ emission: Emission<Value>, at site: Site) {
        edge = site.edge.takeUnretainedValue()
        self.emission = emission
    }

    package func isPostponed(at site: Site) -> Bool {
        site.edge.toOpaque() == Unmanaged.passUnretained(edge).toOpaque()
    }

    /// Puts off a newer emission of the same edge in the place of this one.
    package func replace(with newer: Emission<Value>) {
        emission = newer
    }

    package func deliver() {
        guard let source = edge.source else { return }
        let node = unsafeDowncast(source.takeUnretainedValue(), to: Node<Value>.self)
        node.graph.feed(edge, from: node, emission, .empty, nil)
    }
}
