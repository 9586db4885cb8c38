/// A value that holds nodes: a node as the value of another, or a collection of them.
///
/// What it visits is known as a hold of one node on another, and not taken for a reference from
/// outside.
protocol NodeKeeping {
    /// Calls `visit` once for each reference to a node.
    func forEachKeptNode(_ visit: (AnyNode) -> Void)
}

extension AnyNode: NodeKeeping {
    final func forEachKeptNode(_ visit: (AnyNode) -> Void) { visit(self) }
}

extension Optional: NodeKeeping {
    func forEachKeptNode(_ visit: (AnyNode) -> Void) {
        guard let self else { return }
        (self as? any NodeKeeping)?.forEachKeptNode(visit)
    }
}

extension Array: NodeKeeping {
    func forEachKeptNode(_ visit: (AnyNode) -> Void) {
        guard Element.self is any NodeKeeping.Type else { return }
        for element in self { (element as? any NodeKeeping)?.forEachKeptNode(visit) }
    }
}

extension Dictionary: NodeKeeping {
    func forEachKeptNode(_ visit: (AnyNode) -> Void) {
        guard Value.self is any NodeKeeping.Type else { return }
        for value in values { (value as? any NodeKeeping)?.forEachKeptNode(visit) }
    }
}
