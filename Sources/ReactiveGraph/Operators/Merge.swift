extension Node {
    /// Every value of every node, in the order they are set (G-80).
    ///
    /// At creation the nodes that hold a value are replayed in the order of the list, so the new
    /// node ends up with the value of the last. A node listed twice emits twice.
    @inlinable
    public static func merge(_ nodes: [Node<Value>]) -> Node<Value> {
        precondition(!nodes.isEmpty, "merge: at least one node is needed")
        let target = Node<Value>(graph: nodes[0].graph, .empty)
        for node in nodes { target.link(to: node) }
        target.nameIncoming("Merge")
        return target
    }

    /// Every value of this node and of `other`.
    @inlinable
    public func merge(with other: Node<Value>) -> Node<Value> {
        Node.merge([self, other])
    }
}
