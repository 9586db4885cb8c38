// What a node knows about its neighbours (G-100 … G-104). Results are snapshots, in order of
// attachment.
extension AnyNode {
    /// The edges that come into this node, half-connected ones included (G-102).
    public var upstreamTransforms: [AnyEdge] {
        core.incoming.compactMap { $0.publicEdge() }
    }

    /// The edges that go from this node to nodes, half-connected ones included.
    public var downstreamTransforms: [AnyEdge] {
        core.outgoing.compactMap { $0.publicEdge() }
    }

    /// The sources of the edges that come in.
    ///
    /// Two edges from one node make it appear twice (G-101).
    public var upstreamNodes: [AnyNode] {
        core.incoming.compactMap { $0.source?.heldNode }
    }

    /// The targets of the edges that go out.
    public var downstreamNodes: [AnyNode] {
        core.outgoing.compactMap { $0.target?.node }
    }

    /// The inner nodes that flattens into this node are following at the moment.
    public var followedNodes: [AnyNode] {
        core.held.filter { $0.traits.contains(.follower) }.compactMap { $0.source?.heldNode }
    }

    /// What this node is made from: its upstream nodes and those that it follows.
    package var neededNodes: [AnyNode] { upstreamNodes + followedNodes }

    /// The edges that come in from `node`.
    public func upstreamTransforms(from node: AnyNode) -> [AnyEdge] {
        upstreamTransforms.filter { $0.fromNode === node }
    }

    /// The edges that go out to `node`.
    public func downstreamTransforms(to node: AnyNode) -> [AnyEdge] {
        downstreamTransforms.filter { $0.toNode === node }
    }

    /// Whether an edge with a source comes in.
    public var hasUpstreamNode: Bool { core.incoming.contains { $0.source != nil } }

    /// Whether an edge with a target goes out.
    public var hasDownstreamNode: Bool { core.outgoing.contains { $0.target != nil } }

    /// Whether a living listener listens to this node; the inner following of a flatten counts
    /// (G-103).
    public var hasListener: Bool {
        listenerCount > 0
    }

    /// Whether a living listen is one that `isWanted` picks.
    package final func hasListener(where isWanted: (Edge) -> Bool) -> Bool {
        core.endDeadListens()
        return core.listens.contains { !$0.traits.contains(.own) && isWanted($0.object) }
    }

    /// The number of living listens; dead owners are noticed and their listens ended (G-67).
    public var listenerCount: Int {
        core.endDeadListens()
        return core.listens.count { !$0.traits.contains(.own) }
    }

    /// Whether `node` can be reached from this node, going downstream (G-104).
    ///
    /// Inner followings count, and the way from a switched node to its inner nodes. A node is
    /// upstream of itself only if it stands on a ring.
    public func isUpstream(of node: AnyNode) -> Bool {
        Traversal.leads(from: self, to: node)
    }

    /// Whether an input of the combine or zip of this node was removed: it emits no more (G-82,
    /// G-144).
    public var isEnded: Bool {
        core.join?.with { $0.isDead } ?? false
    }

}

extension NodeCore {
    /// The nodes that hold this one by an edge: transforms and inner followings.
    final func forEachConsumer(_ body: (NodeRef) -> Void) {
        forEachOutgoing { edge in
            if let target = edge.target { body(target) }
        }
    }

    /// The nodes that this one holds by an edge.
    final func forEachProvider(_ body: (NodeRef) -> Void) {
        forEachHeld { edge in
            if let source = edge.source { body(source) }
        }
    }

    /// Every edge whose source this is, listeners first.
    final func forEachOutgoing(_ body: (Edge) -> Void) {
        for edge in listens { edge.with(body) }
        for edge in outs { edge.with(body) }
    }

    /// Every edge that this node owns, inner followings included.
    final func forEachHeld(_ body: (Edge) -> Void) {
        for edge in held { edge.with(body) }
    }

    /// The incoming edges without inner followings.
    var incoming: [Edge] {
        held.filter { !$0.traits.contains(.follower) }.map { $0.object }
    }

    /// The outgoing transform edges.
    var outgoing: [Edge] { outs.map { $0.object } }
}

extension Edge {
    /// The public object of this edge: the one there is, or one made from the types of both ends.
    func publicEdge() -> AnyEdge? {
        if let user = side?.userRef { return user }
        guard let source, let target else { return nil }
        let made = source.object.makeEdge(for: self, to: target.object)
        needSide().user = made
        return made
    }
}

extension Sequence<AnyNode> {
    /// Visits these nodes and those that `next` leads to, each once, the newest found first.
    ///
    /// - Returns: the numbers of all of them.
    @discardableResult
    package func walk(_ next: (AnyNode) -> [AnyNode]) -> Set<UInt64> {
        var open = Array(self)
        var seen: Set<UInt64> = []
        while let node = open.popLast() {
            if seen.insert(node.id).inserted { open += next(node) }
        }
        return seen
    }
}
