/// The nodes an emission has gone through, oldest first, by their creation numbers (G-40).
///
/// A path holds no node. An edge that leads an emission through a further node appends it, so that
/// a ring over that node stops there as well (G-159). Ask for a path only where it is needed:
/// collecting it costs time in proportion to its length, and nothing is collected unless a path is
/// asked for or a ring exists.
public struct Path: Equatable, Sendable {
    /// Creation numbers of the nodes, in the order they were passed.
    public let ids: [UInt64]
    /// Where the emission was before it came from another graph.
    let before: Crossing?

    /// The path of a set made by a user: no node yet.
    public static var empty: Path { Path(ids: []) }

    /// The path through `nodes`, in this order; all belong to one graph (G-159).
    public init(_ nodes: [AnyNode]) {
        self.init(ids: nodes.map(\.id))
    }

    init(ids: [UInt64], before: Crossing? = nil) {
        self.ids = ids
        self.before = before
    }

    /// Equal if they have gone through the same nodes, here and in other graphs.
    public static func == (left: Path, right: Path) -> Bool {
        left.ids == right.ids && left.before === right.before
    }

    /// This path, continued through `node` (G-159).
    public func appending(_ node: AnyNode) -> Path {
        Path(ids: ids + [node.id], before: before)
    }

    /// Whether the emission has gone through `node`.
    public func contains(_ node: AnyNode) -> Bool {
        ids.contains(node.id)
    }

    /// Whether no node has been passed.
    public var isEmpty: Bool { ids.isEmpty }

    /// The number of nodes passed.
    public var count: Int { ids.count }
}

/// A number in paths that belongs to no node: code that sets a node with it recognises the emission
/// later (G-96).
package struct PathMark {
    private let id: UInt64

    /// A mark that no other path has.
    package init(in graph: Graph) {
        id = graph.nextToken()
    }

    /// The path to set a node with.
    package var path: Path { Path(ids: [id]) }

    /// Whether the emission that `graph` is delivering was sent with this mark.
    package func isOnPath(in graph: Graph) -> Bool { graph.engine.isRestored(id) }
}

/// What comes along with an emission that an edge or a listener receives.
///
/// Valid during the call that hands it over.
public struct Delivery {
    /// The context of the emission.
    public let context: Context?
    /// `nil` if the path was collected before the call.
    private let graph: Graph?
    private let collected: Path

    @usableFromInline
    init(of edge: Edge) {
        graph = edge.graph
        context = graph?.engine.currentContext
        collected = .empty
    }

    init(path: Path, context: Context?) {
        self.context = context
        graph = nil
        collected = path
    }

    /// The nodes the emission has gone through, the source of the edge last.
    ///
    /// Collected when asked for; ask during the call, and keep the result to send later.
    public var path: Path { graph?.engine.currentPath() ?? collected }
}
