/// What a picture of the graph around a node shows, in the order of traversal: the part that DOT
/// and Mermaid share (G-106).
///
/// Edges are drawn from the engine's own, so drawing leaves nothing behind in the graph.
struct Drawing {
    struct Node {
        let id: UInt64
        /// The name or `n<number>`, then a line each for what was asked for.
        let lines: [String]
        /// An input was removed: it emits no more (G-82, G-144).
        let isEnded: Bool
    }

    struct Link {
        /// `n<number>`, or that of a loose end.
        let from: String
        let to: String
        let name: String
        /// The inner following of a flatten, a listen that has a target.
        let isFollowing: Bool
        let isEnded: Bool
    }

    enum Item {
        case node(Node)
        /// Stands where an end of the next link is missing (G-102): `x<number>`.
        case loose(String)
        case link(Link)
    }

    private(set) var items: [Item] = []
    private var loose = 0
    private let values: Bool
    private let listeners: Bool

    init(around start: AnyNode, values: Bool, listeners: Bool) {
        self.values = values
        self.listeners = listeners
        // First, because ending the listens of dead owners may free nodes.
        if listeners { start.graph.collect() }
        var drawn: Set<UInt64> = []
        var apart: [AnyNode] = []
        Traversal.walk(from: start) { step in
            switch step {
            case .node(let node, _):
                drawn.insert(node.id)
                add(node)
                if listeners { apart += addFollowings(into: node) }
            case .edge(let edge):
                add(edge, isFollowing: false)
            }
            return false
        }
        // Inner nodes that are reached over followings only.
        for node in apart where drawn.insert(node.id).inserted { add(node) }
    }

    private mutating func add(_ node: AnyNode) {
        var lines = [node.name ?? "n\(node.id)"]
        if values { lines.append(node.core.valueDescription) }
        if listeners, node.listenerCount > 0 { lines.append("listeners: \(node.listenerCount)") }
        if node.isEnded { lines.append("ended") }
        items.append(.node(Node(id: node.id, lines: lines, isEnded: node.isEnded)))
    }

    private mutating func add(_ edge: Edge, isFollowing: Bool) {
        let isEnded = edge.side?.join?.isDead ?? false
        let (from, to) = (end(edge.source), end(edge.target))
        items.append(
            .link(Link(from: from, to: to, name: edge.name, isFollowing: isFollowing, isEnded: isEnded))
        )
    }

    private mutating func end(_ node: NodeRef?) -> String {
        if let node { return "n\(node.id)" }
        loose += 1
        items.append(.loose("x\(loose)"))
        return "x\(loose)"
    }

    /// Returns the inner nodes.
    private mutating func addFollowings(into node: AnyNode) -> [AnyNode] {
        var inner: [AnyNode] = []
        node.core.forEachHeld { edge in
            guard edge.traits.contains(.follower), let source = edge.source else { return }
            inner.append(source.heldNode)
            add(edge, isFollowing: true)
        }
        return inner
    }
}
