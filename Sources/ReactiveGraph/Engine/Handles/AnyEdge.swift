/// The public face of a connection: its name and its ends.
///
/// See ``TransformEdge``.
///
/// Edges of operators get one when they are looked at (``AnyNode/upstreamTransforms``); it is the
/// same object for as long as the edge or anything else holds it.
open class AnyEdge {
    let core: Edge
    /// The handle of the graph of its ends, if that has an executor.
    private var home: GraphHandle?

    init(core: Edge) {
        self.core = core
        home = core.graph?.ownHandle
        core.needSide().userRef = self
    }

    deinit {
        let part = Cut(core)
        if let home { home.end(.retaining(part)) } else { part.end() }
    }

    /// What is left to do once the public edge is gone.
    private final class Cut: OwnedPart {
        private let edge: Edge

        init(_ edge: Edge) {
            self.edge = edge
        }

        override func end() { edge.cut() }
    }

    /// The name, by default that of the kind of edge (G-15).
    ///
    /// Stored verbatim.
    public final var name: String {
        get { core.name }
        set { core.name = newValue }
    }

    /// The source, if there is one: set, change or unset it at any time (G-20).
    ///
    /// The edge holds it. A node whose values are of another type than the edge takes is a
    /// programming error, and traps.
    public final var fromNode: AnyNode? {
        get { core.source?.heldNode }
        set { setSource(newValue) }
    }

    /// The target, if there is one: set, change or unset it at any time (G-20).
    ///
    /// It holds the edge. A node whose values are of another type than the edge gives is a
    /// programming error, and traps.
    public final var toNode: AnyNode? {
        get { core.target?.node }
        set { setTarget(newValue) }
    }

    /// Sets the source; the subclass knows its type.
    func setSource(_ node: AnyNode?) {}

    /// Sets the target; the subclass knows its type.
    func setTarget(_ node: AnyNode?) {}

    /// `node` as a node of the type that an end of this edge asks for.
    final func typed<Value>(_ node: AnyNode?, _ end: StaticString) -> Node<Value>? {
        guard let node else { return nil }
        guard let typed = node as? Node<Value> else {
            preconditionFailure("edge \(name): its \(end) holds \(Value.self), not \(node.valueType)")
        }
        return typed
    }

    /// Whether both ends are there.
    public final var isConnected: Bool { core.traits.contains(.complete) }

    /// Whether an input of this combine was removed: the combine emits no more (G-82, G-144).
    public final var isEnded: Bool { core.side?.join?.isDead ?? false }

    /// Whether emptiness of the source makes the target empty (G-145).
    public final var propagatesEmpty: Bool {
        get { core.propagatesEmpty }
        set { core.propagatesEmpty = newValue }
    }

    /// Unsets both ends.
    ///
    /// Values stay.
    public final func disconnect() {
        withExtendedLifetime(self) { core.cut() }
    }

    // MARK: - Aiming

    /// Sets or unsets the source: detaches, attaches at the end of the order of service, replays
    /// (G-23).
    final func aim(from node: AnyNode?) {
        aim(at: node, and: core.target) { graph in
            noteSource()
            core.detachSource(in: graph)
            if let node { core.attach(from: node) }
        }
    }

    /// Sets or unsets the target: detaches, attaches, and pushes the source's value into it (G-24).
    final func aim(to node: AnyNode?) {
        aim(at: node, and: core.source) { graph in
            core.detachTarget(in: graph)
            if let node { core.attach(to: node.core) }
        }
    }

    /// Changes one end by `change`, unless both would be the same.
    private final func aim(at node: AnyNode?, and other: NodeRef?, _ change: (Graph) -> Void) {
        guard let graph = node?.graph ?? core.graph else { return }
        if let node {
            if node.ref.isSame(as: other) { return }
            precondition(
                core.graph.map { $0 === graph } ?? true,
                "edge \(name): both ends must belong to one graph"
            )
        }
        home = graph.ownHandle
        withExtendedLifetime((self, node)) {
            change(graph)
            if node != nil { core.complete(in: graph) }
            let stamp = core.stamp
            graph.engine.releaseDue()
            // Unless what died has aimed the edge elsewhere by then: that has replayed itself.
            if node != nil, core.stamp == stamp { graph.engine.replay(core) }
        }
    }

    /// Remembers which source the operator's state belongs to.
    private final func noteSource() {
        guard let source = core.source, let side = core.side else { return }
        side.lastSource = source.id
    }
}

extension AnyEdge: Hashable {
    /// Edges are compared by identity.
    public static func == (left: AnyEdge, right: AnyEdge) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
