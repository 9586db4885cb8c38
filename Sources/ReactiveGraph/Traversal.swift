/// Looks at a graph, node by node and edge by edge.
///
/// Both functions return whether to stop (G-105).
public protocol GraphVisitor {
    /// A node, with its depth relative to the start: negative upstream, positive downstream.
    mutating func visit(node: AnyNode, depth: Int) -> Bool
    /// A transform of the node visited last.
    mutating func visit(edge: AnyEdge) -> Bool
}

extension GraphVisitor {
    /// Goes on.
    public mutating func visit(node: AnyNode, depth: Int) -> Bool { false }

    /// Goes on.
    public mutating func visit(edge: AnyEdge) -> Bool { false }
}

extension AnyNode {
    /// Visits everything connected to this node in both directions, breadth first, upstream neighbours before
    /// downstream ones; each node and each transform once, a node's transforms right after it (G-105).
    public func traverse(_ visitor: inout some GraphVisitor) {
        var seenNodes: Set<UInt64> = [id]
        var seenEdges: Set<ObjectIdentifier> = []
        var queue: [(node: AnyNode, depth: Int)] = [(self, 0)]
        var index = 0
        while index < queue.count {
            let (node, depth) = queue[index]
            index += 1
            if visitor.visit(node: node, depth: depth) { return }
            for edge in node.upstreamTransforms + node.downstreamTransforms
            where seenEdges.insert(ObjectIdentifier(edge)).inserted {
                if visitor.visit(edge: edge) { return }
            }
            for next in node.upstreamNodes where seenNodes.insert(next.id).inserted {
                queue.append((next, depth - 1))
            }
            for next in node.downstreamNodes where seenNodes.insert(next.id).inserted {
                queue.append((next, depth + 1))
            }
        }
    }

    /// Visits by closures; a part left out is not called.
    public func traverse(
        node visitNode: ((AnyNode, Int) -> Bool)? = nil,
        edge visitEdge: ((AnyEdge) -> Bool)? = nil
    ) {
        var visitor = ClosureVisitor(node: visitNode, edge: visitEdge)
        traverse(&visitor)
    }
}

private struct ClosureVisitor: GraphVisitor {
    let node: ((AnyNode, Int) -> Bool)?
    let edge: ((AnyEdge) -> Bool)?

    func visit(node visited: AnyNode, depth: Int) -> Bool { node?(visited, depth) ?? false }
    func visit(edge visited: AnyEdge) -> Bool { edge?(visited) ?? false }
}
