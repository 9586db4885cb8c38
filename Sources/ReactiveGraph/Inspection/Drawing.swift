// Pictures of the graph around a node (G-106): one line per node and one per transform, in the
// order of traversal, so the same graph gives the same text. Nodes are called `n` and their
// creation number. An edge that lacks an end points to or from a dot; what an ended combine is made
// of is dashed (G-144).
extension AnyNode {
    /// The graph around this node in the DOT language of Graphviz (G-106).
    ///
    /// - Parameters:
    ///   - values: shows what each node holds.
    ///   - listeners: shows how many listen to each node, and which inner nodes flattens follow.
    /// - Returns: the text of a `digraph`.
    public func dot(values: Bool = false, listeners: Bool = false) -> String {
        Drawing(around: self, values: values, listeners: listeners).diagram.dot()
    }

    /// The same as a flowchart of Mermaid, which Markdown pages draw where they stand.
    ///
    /// - Parameters:
    ///   - values: shows what each node holds.
    ///   - listeners: shows how many listen to each node, and which inner nodes flattens follow.
    /// - Returns: the text of a `flowchart`.
    public func mermaid(values: Bool = false, listeners: Bool = false) -> String {
        Drawing(around: self, values: values, listeners: listeners).diagram.mermaid()
    }
}

/// Draws the graph around a node from the engine's own edges, so nothing is left behind in it.
private struct Drawing {
    private(set) var diagram = Diagram()
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
        diagram.add(Diagram.Node("n\(node.id)", lines, .box, node.isEnded ? .dashed : .plain))
    }

    private mutating func add(_ edge: Edge, isFollowing: Bool) {
        let isEnded = edge.side?.join?.isDead ?? false
        let (from, to) = (end(edge.source), end(edge.target))
        let stroke: Diagram.Stroke = isFollowing ? .dotted : isEnded ? .dashed : .plain
        diagram.add(Diagram.Link(from, to, edge.name, stroke))
    }

    private mutating func end(_ node: NodeRef?) -> String {
        if let node { return "n\(node.id)" }
        loose += 1
        diagram.add(Diagram.Node("x\(loose)", [], .point))
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
