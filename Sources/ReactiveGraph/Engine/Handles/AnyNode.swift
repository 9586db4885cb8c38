/// A node without its value's type: identity, name, neighbours.
///
/// See ``Node`` for what nodes are, and <doc:LookingAtAGraph> for what can be asked of them.
public class AnyNode {
    /// What the graph knows of this node, with the one reference that keeps it.
    ///
    /// Not counted, because that reference is given up where the core ends, which may be on another
    /// thread than this node's death (G-165).
    @usableFromInline final let ref: NodeRef

    @usableFromInline
    init(_ core: NodeCore) {
        ref = .retaining(core)
        core.begin(self)
    }

    deinit {
        let home = ref.with { $0.graph.ownHandle }
        if let home, !home.isHere {
            home.end(ref.cast())
        } else {
            ref.with { $0.end(self) }
            ref.release()
        }
    }

    /// Calls `body` with what the graph knows of this node.
    ///
    /// The optimiser may free a node after its last use, and that would be the reading of `ref`.
    @inlinable
    @inline(__always)
    final func withCore<Result>(_ body: (NodeCore) -> Result) -> Result {
        withExtendedLifetime(self) { ref.with(body) }
    }

    /// What the graph knows of this node.
    @inlinable final var core: NodeCore { withCore { $0 } }

    /// The graph this node belongs to.
    @inlinable public final var graph: Graph { withCore { $0.graph } }

    /// The creation number, unique within the graph, rising.
    @inlinable public final var id: UInt64 { withCore { $0.id } }

    /// The name given for debugging, stored verbatim; `nil` if none was given (G-15).
    ///
    /// A node of a ``Registry`` that was given none has the name by which the registry knows it.
    public final var name: String? {
        get { core.name }
        set { core.name = newValue }
    }

    /// Gives the node a name for debugging, and returns it (G-15).
    @discardableResult
    public final func named(_ name: String) -> Self {
        self.name = name
        return self
    }

    /// Whether nothing is stored.
    public final var isEmpty: Bool { core.isEmpty }

    /// Whether users may set this node directly: only ``MutableNode`` says yes (G-5).
    public var isMutable: Bool { false }

    /// The type of the values this node holds.
    public final var valueType: Any.Type { core.valueType }

    /// Rises along every counted edge: joins settle in this order.
    package final var rank: Int { core.rank }

    /// Whether an emission of this node is being delivered.
    package final var isInPass: Bool { core.pass >= 0 }

    /// The graph's engine.
    @inlinable final var engine: EngineRef { withCore { $0.engine } }

    @inlinable package final var hasEdges: Bool { withCore { $0.hasEdges } }
}

extension AnyNode: CustomStringConvertible {
    /// The name or `undefined`, and the value or the empty marker (G-16).
    public var description: String {
        "\(name ?? "undefined"): \(core.valueDescription)"
    }
}

extension AnyNode: Hashable {
    /// Nodes are compared by identity (G-40).
    public static func == (left: AnyNode, right: AnyNode) -> Bool { left === right }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
