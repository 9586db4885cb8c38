// Linking nodes, and unlinking neighbours (G-26 … G-31).
extension Node {
    /// Makes this node follow `upstream` as well: an identity edge, replayed once.
    ///
    /// Linking a node to itself does nothing and returns `nil` (G-27). Dropping the token changes
    /// nothing.
    ///
    /// - Parameters:
    ///   - upstream: the node to follow.
    ///   - replay: whether to feed the upstream's current value now (G-149).
    /// - Returns: ends the link when cancelled, and gives its edge (``CancelToken/edges``).
    @inlinable
    @discardableResult
    public func link(to upstream: Node<Value>, replay: Bool = true) -> CancelToken? {
        graph.link(
            self,
            to: upstream,
            replay: replay,
            Edge("Link") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.forwardEmpty(to: Value.self)
                }
                return edge.store(value)
            }
        )
    }

    /// Makes this node follow `upstream` through an edge of the caller's: sets its `from`, then its
    /// `to`, so that exactly one replay happens (G-26).
    ///
    /// An edge that already has an end is refused: it is reported to the graph's `onError`, nothing
    /// changes (G-28).
    ///
    /// - Parameters:
    ///   - upstream: the node to follow.
    ///   - edge: an edge without ends.
    ///   - replay: whether to feed it the upstream's current value now (G-149).
    /// - Returns: ends the link when cancelled; `nil` if nothing was linked.
    @discardableResult
    public func link<In>(
        to upstream: Node<In>,
        via edge: TransformEdge<In, Value>,
        replay: Bool = true
    ) -> CancelToken? {
        guard upstream !== self else { return nil }
        guard edge.core.source == nil, edge.core.target == nil else {
            graph.engine.report(.edgeInUse(name: edge.name, node: id))
            return nil
        }
        if graph.propagatesEmpty { edge.propagatesEmpty = true }
        let cancellable = CancelToken(edge: edge.core)
        graph.tie(edge.core, from: upstream, to: self)
        if replay { graph.engine.replay(edge.core) }
        return cancellable
    }
}

extension AnyNode {
    /// Whether emptiness of a source makes this node empty, over every edge that comes into it
    /// (G-145).
    ///
    /// Set it when the edges are there; a single one is set by ``AnyEdge/propagatesEmpty``, and
    /// what new edges begin with by ``Graph/propagatesEmpty``.
    public final var propagatesEmpty: Bool {
        get { !core.incoming.isEmpty && core.incoming.allSatisfy(\.propagatesEmpty) }
        set { for edge in core.incoming { edge.propagatesEmpty = newValue } }
    }

    /// Names all edges that come into this node (G-15).
    @usableFromInline
    package final func nameIncoming(_ name: String) {
        for edge in core.incoming { edge.name = name }
    }

    /// Disconnects every edge from this node to `node`.
    ///
    /// No effect if there is none; listens stay (G-31).
    public func removeDownstreamNode(_ node: AnyNode) {
        node.endHeld { ref.isSame(as: $0.source) }
    }

    /// Disconnects every edge from `node` to this node.
    public func removeUpstreamNode(_ node: AnyNode) {
        endHeld { node.ref.isSame(as: $0.source) }
    }

    /// Disconnects every edge that comes into this node from a node.
    public func removeUpstreamNodes() {
        endHeld { $0.source != nil }
    }

    /// Disconnects every edge that goes from this node to a node.
    public func removeDownstreamNodes() {
        for edge in core.outgoing where edge.target != nil { edge.end(in: graph) }
        graph.engine.releaseDue()
    }

    private func endHeld(where matches: (Edge) -> Bool) {
        // A snapshot: ending a flatten ends its inner following too.
        for edge in core.incoming where matches(edge) { edge.end(in: graph) }
        graph.engine.releaseDue()
    }
}

extension Graph {
    /// Ties a fresh edge between two nodes that exist.
    @usableFromInline
    func link(
        _ target: AnyNode,
        to source: AnyNode,
        replay wanted: Bool,
        _ edge: @autoclosure () -> Edge
    ) -> CancelToken? {
        guard source !== target else { return nil }
        let edge = edge()
        let cancellable = CancelToken(edge: edge)
        if propagatesEmpty { edge.traits.insert(.propagatesEmpty) }
        tie(edge, from: source, to: target)
        if wanted { engine.replay(edge) }
        return cancellable
    }

    /// Ties the fresh edge of an operator to its fresh target, and replays (G-69).
    @usableFromInline
    func derive(_ target: AnyNode, from source: AnyNode, _ edge: Edge) {
        if propagatesEmpty { edge.traits.insert(.propagatesEmpty) }
        tie(edge, from: source, to: target)
        engine.replay(edge)
    }

    /// Both ends at once, without a replay.
    @usableFromInline
    func tie(_ edge: Edge, from source: AnyNode, to target: AnyNode) {
        checkThread("link")
        precondition(
            source.graph === self && target.graph === self,
            "\(edge.name): nodes \(source.name ?? "n\(source.id)") and \(target.name ?? "n\(target.id)") "
                + "belong to different graphs"
        )
        edge.attach(from: source)
        edge.attach(to: target.core)
        edge.complete(in: self)
    }
}
