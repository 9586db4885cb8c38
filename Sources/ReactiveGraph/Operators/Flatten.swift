extension Node {
    /// The values of the node that is the latest value.
    @inlinable
    public func flatten<Inner>() -> Node<Inner> where Value == Node<Inner> {
        flattenMap { $0 }
    }
}

extension Edge {
    /// Follows `inner` instead of what was followed until now, and hands its emission on.
    @inlinable
    func follow<Out>(_ inner: Node<Out>) -> Outcome {
        beginFollowing(inner) ? store(through: inner) : .nothing
    }

    /// Follows `inner` instead of what was followed until now.
    ///
    /// Says whether it does: a node does not follow itself.
    @inlinable
    func beginFollowing<Out>(_ inner: Node<Out>) -> Bool {
        inner.graph.follow(inner, for: self) {
            Edge(name, [.listener, .follower]) { edge in
                guard case .value(let value) = edge.input(Out.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                return edge.store(value)
            }
        }
    }

    /// Lets what is followed be saved.
    ///
    /// `inner` gives what follows from a value of the source; it serves where the node that was
    /// followed had not been saved before.
    @inlinable
    func savingFollowing<In, Out>(_ inner: @escaping (In) -> Node<Out>?) -> Edge {
        needSide().state = FollowingState(inner)
        return self
    }

    /// Hands the emission of `inner` to the target; the inner node stands on its path.
    @inlinable
    func store<Out>(through inner: Node<Out>) -> Outcome {
        guard let target = target(as: Out.self) else { return .nothing }
        let graph = inner.graph
        graph.inner = inner.id
        if target._withUnsafeGuaranteedRef({ $0.accept(emission: inner.stored) }) == .enter {
            return .enterThroughInner
        }
        graph.inner = 0
        return .nothing
    }

    /// The outer node became empty: nothing, or if emptiness travels, the inner node is released.
    @usableFromInline
    func stopFollowing<Out>(_ type: Out.Type) -> Outcome {
        guard traits.contains(.propagatesEmpty) else { return .nothing }
        if let graph { graph.unfollow(self) }
        return forwardEmpty(to: Out.self)
    }
}

extension Graph {
    /// Makes the edge of a flatten or a case follow `inner`.
    ///
    /// Says whether it does: a node does not follow itself.
    @usableFromInline
    func follow(_ inner: AnyNode, for edge: Edge, _ make: () -> Edge) -> Bool {
        guard let target = edge.target, edge.source != nil else { return false }
        precondition(inner.graph === self, "\(edge.name): the inner node is of another graph")
        precondition(
            target._withUnsafeGuaranteedRef { $0.graph === self },
            "\(edge.name): the inner node is of another graph"
        )
        if target.toOpaque() == Unmanaged.passUnretained(inner).toOpaque() {
            // The node itself is on the path by then: following it could deliver nothing.
            unfollow(edge)
            return false
        }
        guard let follower = edge.side?.follower else {
            let follower = make()
            if edge.traits.contains(.propagatesEmpty) { follower.traits.insert(.propagatesEmpty) }
            edge.needSide().follower = .passUnretained(follower)
            attach(follower, from: inner)
            attach(follower, to: target.takeUnretainedValue())
            complete(follower)
            return true
        }
        if follower.isSame(as: inner.listens.last) {
            // It is at the end of the listeners already: only the emission under way must not be
            // served again.
            connections += 1
            follower._withUnsafeGuaranteedRef { $0.stamp = connections }
            return true
        }
        follower._withUnsafeGuaranteedRef { follower in
            detachSource(follower)
            attach(follower, from: inner)
            complete(follower)
        }
        releaseDue()
        return true
    }

    /// Releases the inner node that `edge` follows.
    func unfollow(_ edge: Edge) {
        guard let side = edge.side, let follower = side.follower else { return }
        side.follower = nil
        follower._withUnsafeGuaranteedRef { cut($0) }
    }
}
