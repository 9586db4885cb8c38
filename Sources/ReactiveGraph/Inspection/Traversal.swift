/// Looks at a graph, node by node and edge by edge.
///
/// Both functions return whether to stop (G-105).
public protocol GraphVisitor {
    /// A node, with its depth relative to the start: negative upstream, positive downstream.
    mutating func visit(node: AnyNode, depth: Int) -> Bool
    /// A transform of the node visited last, which may lack an end.
    mutating func visit(edge: AnyEdge) -> Bool
}

extension GraphVisitor {
    /// Goes on.
    public mutating func visit(node: AnyNode, depth: Int) -> Bool { false }

    /// Goes on.
    public mutating func visit(edge: AnyEdge) -> Bool { false }
}

extension AnyNode {
    /// Visits everything connected to this node in both directions, breadth first, upstream
    /// neighbours before downstream ones; each node and each transform once, a node's transforms
    /// right after it (G-105).
    ///
    /// The depth is that of the first discovery. Listens and inner followings are not visited. The
    /// visitor may change the graph: what it cuts before its turn came is left out.
    public func traverse(_ visitor: inout some GraphVisitor) {
        walk { step in
            switch step {
            case .node(let node, let depth): visitor.visit(node: node, depth: depth)
            case .edge(let edge): edge.publicEdge().map { visitor.visit(edge: $0) } ?? false
            }
        }
    }

    /// Visits by closures, which return whether to stop; a part left out is not called.
    ///
    /// See ``traverse(_:)``.
    public func traverse(
        node visitNode: ((AnyNode, Int) -> Bool)? = nil,
        edge visitEdge: ((AnyEdge) -> Bool)? = nil
    ) {
        walk { step in
            switch step {
            case .node(let node, let depth): visitNode?(node, depth) ?? false
            case .edge(let edge): visitEdge.flatMap { visit in edge.publicEdge().map(visit) } ?? false
            }
        }
    }

    /// The traversal itself, which makes no public edge objects: `visit` returns whether to stop.
    func walk(_ visit: (WalkStep) -> Bool) {
        var seenNodes: Set<UInt64> = [id]
        var seenEdges: Set<ObjectIdentifier> = []
        var queue: [(node: AnyNode, depth: Int)] = [(self, 0)]
        var index = 0
        while index < queue.count {
            let (node, depth) = queue[index]
            index += 1
            if visit(.node(node, depth)) { return }
            for edge in node.incoming + node.outgoing
            where seenEdges.insert(ObjectIdentifier(edge)).inserted {
                if visit(.edge(edge)) { return }
            }
            for next in node.upstreamNodes where seenNodes.insert(next.id).inserted {
                queue.append((next, depth - 1))
            }
            for next in node.downstreamNodes where seenNodes.insert(next.id).inserted {
                queue.append((next, depth + 1))
            }
        }
    }
}

/// What a traversal comes across.
enum WalkStep {
    /// A node and its depth.
    case node(AnyNode, Int)
    /// A transform of the node before.
    case edge(Edge)
}
