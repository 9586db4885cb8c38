// Saving what a graph knows, and going on from there in a graph built anew (G-164).
extension Graph {
    /// Writes what these nodes hold and the state of the edges that come into them: counts, queues,
    /// windows, pending timers, the inner nodes of a switch, and the order in which edges are
    /// served and joins settle (G-164).
    ///
    /// See <doc:SavingState>. Contexts, emissions on their way through an executor or a bridge,
    /// errors and loads of nodes, and listeners are not saved.
    ///
    /// - Parameters:
    ///   - nodes: nodes of this graph, each once, in an order that the restoring program can
    ///     repeat, such as that of
    ///     creation.
    ///   - writer: look at its ``StateWriter/error`` afterwards.
    public func saveState(of nodes: [AnyNode], to writer: inout StateWriter) {
        precondition(engine.turnState.running == 0, "saveState: state is saved between turns")
        for node in nodes {
            precondition(node.graph === self, "saveState: a node belongs to another graph")
            precondition(writer.note(node), "saveState: a node is saved once")
        }
        writer.write(nodes.count)
        for node in nodes { writer.write(Int(node.id)) }
        for node in nodes { writer.write(stateOf: node) }
        writer.write(engine.ranks.areStale ? 1 : 0)
    }

    /// Takes over what ``saveState(of:to:)`` has written: nothing is emitted, and no listener is
    /// called (G-164).
    ///
    /// The graph was built by the same program, and its clock goes on from the time of saving. An
    /// edge that had ended by then, as that of a ``Node/prefix(_:)``, ends.
    ///
    /// - Parameters:
    ///   - nodes: the nodes that take the place of those that were saved, in the same order.
    ///   - reader: over what the writer has written.
    /// - Throws: ``StateError``, or what the reader's function throws. Some nodes may have taken
    ///   over their state by then: release the graph and build it again.
    public func restoreState(of nodes: [AnyNode], from reader: inout StateReader) throws {
        precondition(engine.turnState.running == 0, "restoreState: state is restored between turns")
        guard try reader.count() == nodes.count else { throw StateError.malformed }
        for node in nodes { try reader.order.note(node, as: reader.integer()) }
        // Nothing is released before everything is in place: a node may be without an edge for a
        // moment.
        engine.teardown.isReleasing = true
        defer {
            engine.teardown.isReleasing = false
            engine.releaseDue()
        }
        for node in nodes { try reader.restore(node) }
        let isStale = try reader.flag()
        try reader.order.apply(to: engine)
        engine.ranks.areStale = isStale
        reader.order = RestoredOrder()
    }
}

extension StateWriter {
    fileprivate mutating func write(stateOf node: AnyNode) {
        write(node.rank)
        // A node that was a join once, and has other edges since, may not be one where it is built
        // anew.
        write(node.core.join.map { Int($0.with { $0.number }) } ?? 0)
        let edges = node.core.incoming
        write(edges.count)
        for edge in edges {
            write(text: edge.name)
            write(node: edge.source?.heldNode)
            write(placeOf: edge)
        }
        for edge in edges { edge.saveState(to: &self) }
        node.core.saveValue(to: &self)
    }
}

extension StateReader {
    fileprivate mutating func restore(_ node: AnyNode) throws {
        order.note(rank: try integer(in: RestoredOrder.ranks), of: node)
        let number = try integer()
        if let join = node.core.join { order.joins.append((join, number)) }
        var kept: [Edge] = []
        var rest = UnmatchedEdges(node.core.incoming, order)
        for _ in 0..<(try count()) {
            let (name, source) = (try text(), try integer())
            let place = try place()
            guard let match = rest.take(name, from: source) else { throw StateError.malformed }
            kept.append(match)
            order.places.append((match, place))
        }
        for edge in kept { try edge.restoreState(from: &self) }
        try node.core.restoreValue(from: &self)
        for edge in rest.edges { edge.end(in: node.graph) }
    }
}

/// The edges that come into a node, until those that were saved have been found among them.
private struct UnmatchedEdges {
    private var all: [Edge?]
    /// Their places, by the numbers that their sources had; the first is the last.
    private var places: [Int: [Int]] = [:]

    init(_ edges: [Edge], _ order: RestoredOrder) {
        all = edges
        for (place, edge) in edges.enumerated().reversed() {
            places[order.number(of: edge.source?.heldNode), default: []].append(place)
        }
    }

    /// The first edge with this name that comes from the node with this number.
    mutating func take(_ name: String, from source: Int) -> Edge? {
        guard let index = places[source]?.lastIndex(where: { all[$0]?.name == name }),
            let place = places[source]?.remove(at: index)
        else { return nil }
        return all[place].take()
    }

    /// Those that are left.
    var edges: [Edge] { all.compactMap(\.self) }
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
            writer.write(followed: follower.source?.heldNode)
            follower.with { writer.write(placeOf: $0) }
        }
    }

    override func restore(from reader: inout StateReader, of edge: Edge) throws {
        let saved = try reader.optional { reader in
            (node: try reader.followed(Out.self), place: try reader.place())
        }
        guard let graph = edge.graph, edge.source != nil else { return }
        let node: Node<Out>?
        switch saved?.node {
        case .saved(let known)?: node = known
        case .unsaved?: node = edge.input(In.self).value.flatMap(inner)
        case .evicted?: node = Node(graph: graph, .empty)
        case nil: node = nil
        }
        guard let saved, let node else { return edge.unfollow() }
        guard node.graph === graph else { throw StateError.malformed }
        guard edge.beginFollowing(node), case .saved = saved.node, let follower = edge.side?.follower
        else { return }
        reader.order.places.append((follower.object, saved.place))
    }
}

/// A node that was followed.
private enum Followed<Value> {
    case saved(Node<Value>)
    /// The function says which.
    case unsaved
    /// An inner node that its switch has dropped: it never emits again.
    case evicted
}

extension StateWriter {
    fileprivate mutating func write(followed node: AnyNode?) {
        guard let node, node.core.marks.contains(.isInner), node.core.innerEntry?.isKnown != true else {
            return write(node: node)
        }
        write(-1)
    }
}

extension StateReader {
    fileprivate mutating func followed<Value>(_ type: Value.Type) throws -> Followed<Value> {
        let number = try integer()
        switch number {
        case -1: return .evicted
        case 0: return .unsaved
        default:
            guard let node = order.nodes[number] as? Node<Value> else { throw StateError.malformed }
            return .saved(node)
        }
    }
}
