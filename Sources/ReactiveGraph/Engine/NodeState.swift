// Saving what a graph knows, and going on from there in a graph built anew (G-164).
extension AnyNode {
    /// Writes what this node holds and the state of the edges that come into it: counts, queues, windows, pending
    /// timers, the inner nodes of a switch (G-164).
    ///
    /// Save the nodes of a graph between two turns, each after those upstream of it; the order of creation serves.
    /// A value that is a node, or a ``Switched``, is saved as a reference, if its node was saved before; otherwise the
    /// node keeps what the program gives it. Contexts, emissions on their way through an executor, and listeners are not
    /// saved.
    ///
    /// - Parameter writer: one for all nodes; look at its ``StateWriter/error`` at the end.
    public final func saveState(to writer: inout StateWriter) {
        precondition(graph.turns == 0, "saveState: state is saved between turns")
        let edges = incoming
        writer.write(edges.count)
        for edge in edges {
            writer.write(text: edge.name)
            writer.write(node: edge.source?.takeUnretainedValue())
        }
        for edge in edges { edge.side?.state?.save(to: &writer, of: edge) }
        saveValue(to: &writer)
        writer.note(self)
    }

    /// Takes over what ``saveState(to:)`` has written: nothing is emitted, and no listener is called (G-164).
    ///
    /// The graph was built by the same program, and its clock goes on from the time of saving. Nodes are restored in the
    /// order in which they were saved. An edge that had ended by then, as that of a ``Node/prefix(_:)``, ends.
    ///
    /// - Parameter reader: one for all nodes, over what the writer has written.
    /// - Throws: ``StateError``, or what the reader's function throws. The node keeps what it holds; an edge whose state was
    ///   read before the error has the saved state.
    public final func restoreState(from reader: inout StateReader) throws {
        precondition(graph.turns == 0, "restoreState: state is restored between turns")
        var kept: [Edge] = []
        var ended: [Edge] = []
        var rest = incoming[...]
        for _ in 0..<(try reader.count()) {
            let (name, number) = (try reader.text(), try reader.integer())
            while let edge = rest.first,
                name != edge.name || number != reader.number(of: edge.source?.takeUnretainedValue())
            {
                ended.append(edge)
                rest.removeFirst()
            }
            guard let edge = rest.popFirst() else { throw StateError.malformed }
            kept.append(edge)
        }
        for edge in kept { try edge.side?.state?.restore(from: &reader, of: edge) }
        try restoreValue(from: &reader)
        for edge in ended + rest { graph.end(edge) }
        graph.bury()
        reader.note(self)
    }
}

extension AnyNode: NodeReference {
    func write(to writer: inout StateWriter) {
        writer.write(node: self)
    }

    static func read(from reader: inout StateReader) throws -> Self {
        guard let node = try reader.node() as? Self else { throw StateError.malformed }
        return node
    }
}

/// What a flatten or a case follows.
@usableFromInline
final class FollowingState<In, Out>: EdgeState {
    /// What is followed with a value of the source; `nil`: nothing.
    private let inner: (In) -> Node<Out>?

    @usableFromInline
    init(_ inner: @escaping (In) -> Node<Out>?) {
        self.inner = inner
    }

    override func save(to writer: inout StateWriter, of edge: Edge) {
        writer.write(edge.side?.follower) { writer, follower in
            writer.write(node: follower.source?.takeUnretainedValue())
            writer.write(Int(follower.stamp))
        }
    }

    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        let saved = try reader.optional { reader in
            (node: try reader.node(), stamp: UInt64(try reader.integer(in: 0...(.max >> 1))))
        }
        guard let graph = edge.graph, edge.source != nil else { return }
        guard let saved, let node = try saved.node.map(typed) ?? edge.input(In.self).value.flatMap(inner)
        else {
            return graph.unfollow(edge)
        }
        guard node.graph === graph else { throw StateError.malformed }
        guard edge.beginFollowing(node), let follower = edge.side?.follower else { return }
        graph.restoreOrder(of: follower.takeUnretainedValue(), stamp: saved.stamp)
    }

    private func typed(_ node: AnyNode) throws -> Node<Out> {
        guard let node = node as? Node<Out> else { throw StateError.malformed }
        return node
    }
}

extension Graph {
    /// Moves a following to where it stood among the listeners, which are served in the order in which they came.
    func restoreOrder(of edge: Edge, stamp: UInt64) {
        guard let node = edge.source?.takeUnretainedValue() else { return }
        connections = max(connections, stamp)
        edge.stamp = stamp
        let ref = EdgeRef.passUnretained(edge)
        while let previous = edge.previous, previous.stamp > stamp, previous.stamp != .max {
            let (before, after) = (previous.previous, edge.next)
            if let before { before.next = ref } else { node.listens = ref }
            if let after { after.previous = previous } else { node.lastListen = previous }
            previous.next = after
            previous.previous = ref
            edge.next = previous
            edge.previous = before
        }
    }
}
