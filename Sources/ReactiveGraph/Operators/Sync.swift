extension Node {
    /// Keeps this node and `other` at the same value, in both directions (G-88).
    ///
    /// First this node takes the value of `other`, if there is one; then `other` takes this node's.
    /// So `other` wins where both hold a value. Afterwards a set of one sets the other, once. In a
    /// group of nodes that are all synced with each other a set reaches every node once, not once
    /// per path (G-137; in `immediate` mode once per path).
    ///
    /// The pair holds itself: it lives until the sync is cancelled (G-89), or tie it to an owner.
    ///
    /// - Returns: breaks both links when cancelled; values stay. Syncing a node with itself does
    ///   nothing.
    @inlinable
    @discardableResult
    public func sync(with other: Node<Value>) -> CancelToken {
        Sync.begin(self, other, nil) {
            (Sync.identity(Value.self, graph, $0), Sync.identity(Value.self, graph, $0))
        }
    }

    /// As ``sync(with:)``, for as long as `owner` lives (G-151).
    ///
    /// The sync of a ``ListenerOwner`` ends when it dies; the death of any other object is noticed
    /// at the next delivery between the two nodes or at ``Graph/collect()``, and nothing is
    /// delivered in between.
    @inlinable
    @discardableResult
    public func sync(with other: Node<Value>, owner: AnyObject) -> CancelToken {
        Sync.begin(self, other, owner) {
            (Sync.identity(Value.self, graph, $0), Sync.identity(Value.self, graph, $0))
        }
    }

    /// Keeps this node at `transform` of `other`, and `other` at `revert` of this node (G-88).
    ///
    /// As ``sync(with:)``; where both hold a value, `other` ends at `revert(transform(value))`.
    /// Functions that are not inverse of each other do not loop: what was set stays, and the other
    /// side follows.
    ///
    /// Example:
    /// `celsius.sync(with: fahrenheit, transform: { ($0 - 32) / 1.8 }, revert: { $0 * 1.8 + 32 })`.
    ///
    /// - Parameters:
    ///   - other: the node to keep in step.
    ///   - owner: whose life ends the sync, as in ``sync(with:owner:)``; `nil` if only cancelling
    ///     does.
    ///   - transform: makes this node's value from the other's.
    ///   - revert: makes the other's value from this node's.
    /// - Returns: breaks both links when cancelled; values stay.
    @inlinable
    @discardableResult
    public func sync<Other>(
        with other: Node<Other>,
        owner: AnyObject? = nil,
        transform: @escaping (Other) -> Value,
        revert: @escaping (Value) -> Other
    ) -> CancelToken {
        Sync.begin(self, other, owner) { (Sync.mapped($0, transform), Sync.mapped($0, revert)) }
    }
}

extension Node where Value: Equatable {
    /// As the other ``sync(with:owner:transform:revert:)``, with a check in debug builds: where
    /// ``Graph/onSyncMismatch`` is set, each function is followed by the other one, and a value
    /// that does not come back is reported (G-88).
    @inlinable
    @discardableResult
    public func sync<Other: Equatable>(
        with other: Node<Other>,
        owner: AnyObject? = nil,
        transform: @escaping (Other) -> Value,
        revert: @escaping (Value) -> Other
    ) -> CancelToken {
        #if DEBUG
            let (transform, revert) = (
                Sync.checked(self, other, transform, revert), Sync.checked(other, self, revert, transform)
            )
        #endif
        return Sync.begin(self, other, owner) { (Sync.mapped($0, transform), Sync.mapped($0, revert)) }
    }
}

/// The edges of a sync.
@usableFromInline
enum Sync {
    /// Says whether the owner of a sync still lives.
    @usableFromInline typealias IsOwned = () -> Bool

    /// Links `node` to `other`, then `other` to `node`, for as long as `owner` lives, if there is
    /// one.
    @usableFromInline
    static func begin(
        _ node: AnyNode,
        _ other: AnyNode,
        _ owner: AnyObject?,
        _ edges: (IsOwned?) -> (into: Edge, back: Edge)
    ) -> CancelToken {
        let graph = node.graph
        weak let watched = owner
        let (into, back) = edges(owner == nil ? nil : { watched != nil })
        let first = graph.link(node, to: other, replay: true, into)
        // A listener called by the first replay cannot have freed them: both nodes are held by the
        // caller.
        let second = graph.link(other, to: node, replay: true, back)
        let sync = CancelToken(parts: [first, second].compactMap { $0 })
        if let owner { graph.owners.end(sync, with: owner, in: graph) }
        return sync
    }

    /// Hands an emission on as it is, and once only in settled mode.
    @inlinable
    static func identity<Value>(_ type: Value.Type, _ graph: Graph, _ isOwned: IsOwned?) -> Edge {
        let engine = EngineRef.to(graph.engine)
        return Edge("Sync") { edge in
            if let isOwned, !isOwned() { return .dead }
            return engine.with { pass(edge.input(Value.self), edge, $0) { _ in true } }
        }
    }

    /// The same, for what `admits` lets pass; it is asked about no emission that has reached the
    /// target already.
    static func admitting<Value>(
        _ name: String,
        _ graph: Graph,
        _ admits: @escaping (Emission<Value>) -> Bool
    ) -> Edge {
        let engine = EngineRef.to(graph.engine)
        return Edge(name) { edge in
            engine.with { pass(edge.input(Value.self), edge, $0, admits) }
        }
    }

    @inlinable
    @inline(__always)
    static func pass<Value>(
        _ emission: Emission<Value>,
        _ edge: Edge,
        _ engine: Engine,
        _ admits: (Emission<Value>) -> Bool
    ) -> Outcome {
        if emission.isEmpty, !edge.traits.contains(.propagatesEmpty) { return .nothing }
        guard engine.propagation == .settled else {
            return admits(emission) ? edge.store(emission: emission) : .nothing
        }
        let origin = engine.origin(for: edge)
        guard origin != 0, admits(emission), edge.store(emission: emission) == .enter else { return .nothing }
        return engine.enterSynced(edge, origin)
    }

    /// Hands the function of a value on.
    @inlinable
    static func mapped<In, Out>(_ isOwned: IsOwned?, _ function: @escaping (In) -> Out) -> Edge {
        Edge("Sync") { edge in
            if let isOwned, !isOwned() { return .dead }
            guard case .value(let value) = edge.input(In.self) else {
                return edge.forwardEmpty(to: Out.self)
            }
            return edge.store(function(value))
        }
    }

    /// The function, which reports when `back` does not lead back.
    @inlinable
    static func checked<In: Equatable, Out>(
        _ target: Node<Out>,
        _ source: Node<In>,
        _ function: @escaping (In) -> Out,
        _ back: @escaping (Out) -> In
    ) -> (In) -> Out {
        let graph = Ref.to(target.graph)
        return { [weak source, weak target] value in
            let result = function(value)
            graph.with { graph in
                guard let report = graph.onSyncMismatch, let source, let target else { return }
                if back(result) != value { report(source, target) }
            }
            return result
        }
    }
}

extension TransformEdge {
    /// One direction of a sync, without ends: it hands emissions on as they are, and in settled
    /// mode the very same one only once (G-137).
    ///
    /// - Parameters:
    ///   - name: the name of the edge.
    ///   - graph: the graph of both ends.
    ///   - admits: says whether an emission is handed on.
    package convenience init(syncing name: String, in graph: Graph, admits: @escaping (Emission<In>) -> Bool)
    where In == Out {
        self.init(wrapping: Sync.admitting(name, graph, admits))
    }
}
