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
        Traversal.walk(from: self) { step in
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
        Traversal.walk(from: self) { step in
            switch step {
            case .node(let node, let depth): visitNode?(node, depth) ?? false
            case .edge(let edge): visitEdge.flatMap { visit in edge.publicEdge().map(visit) } ?? false
            }
        }
    }
}

/// A walk over everything connected to a node, which makes no public edge objects.
enum Traversal {
    /// What a traversal comes across.
    enum Step {
        /// A node and its depth.
        case node(AnyNode, Int)
        /// A transform of the node before.
        case edge(Edge)
    }

    /// `visit` returns whether to stop.
    static func walk(from start: AnyNode, _ visit: (Step) -> Bool) {
        var seenNodes: Set<UInt64> = [start.id]
        var seenEdges: Set<ObjectIdentifier> = []
        var queue: [(node: AnyNode, depth: Int)] = [(start, 0)]
        var index = 0
        while index < queue.count {
            let (node, depth) = queue[index]
            index += 1
            if visit(.node(node, depth)) { return }
            for edge in node.core.incoming + node.core.outgoing
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

    /// Whether a living listen listens to `start` or to a node downstream of it.
    static func reachesListener(from start: AnyNode) -> Bool {
        var seen: Set<UInt64> = [start.id]
        var queue: [NodeRef] = [start.ref]
        var found = false
        var index = 0
        while index < queue.count, !found {
            queue[index].with { node in
                node.endDeadListens()
                node.forEachOutgoing { edge in
                    guard !edge.traits.contains(.own) else { return }
                    guard let target = edge.target else { return found = true }
                    if seen.insert(target.id).inserted { queue.append(target) }
                }
            }
            index += 1
        }
        return found
    }

    /// Whether `goal` can be reached from `start`, going downstream.
    static func leads(from start: AnyNode, to goal: AnyNode) -> Bool {
        let goal = goal.ref
        var seen: Set<UInt64> = []
        var queue: [NodeRef] = [start.ref]
        var found = false
        var index = 0
        while index < queue.count, !found {
            queue[index].with { node in
                let visit = { (next: NodeRef) in
                    guard seen.insert(next.id).inserted else { return }
                    if next.isSame(as: goal) { found = true }
                    queue.append(next)
                }
                node.forEachConsumer(visit)
                node.forEachInner(counted: false, visit)
            }
            index += 1
        }
        return found
    }
}
