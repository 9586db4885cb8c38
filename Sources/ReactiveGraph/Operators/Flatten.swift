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
    @inline(__always)
    func follow<Out>(_ inner: Node<Out>) -> Outcome {
        beginFollowing(inner) ? store(through: inner) : .nothing
    }

    /// Follows `inner` instead of what was followed until now.
    ///
    /// Says whether it does: a node does not follow itself.
    @inlinable
    func beginFollowing<Out>(_ inner: Node<Out>) -> Bool {
        follow(inner) {
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
        let engine = inner.engine
        engine.with { $0.route.inner = inner.id }
        if target.with({ $0.accept(emission: inner.stored) }) == .enter {
            return .enterThroughInner
        }
        engine.with { $0.route.inner = 0 }
        return .nothing
    }

    /// The outer node became empty: nothing, or if emptiness travels, the inner node is released.
    @usableFromInline
    func stopFollowing<Out>(_ type: Out.Type) -> Outcome {
        guard traits.contains(.propagatesEmpty) else { return .nothing }
        unfollow()
        return forwardEmpty(to: Out.self)
    }

    /// Makes the edge of a flatten or a case follow `inner`, by an edge that `make` makes.
    ///
    /// Says whether it does: a node does not follow itself.
    @usableFromInline
    func follow(_ inner: AnyNode, _ make: () -> Edge) -> Bool {
        guard let target, source != nil else { return false }
        precondition(
            target.with { $0.graph === inner.graph },
            "\(name): the inner node is of another graph"
        )
        guard target.identity != inner.ref.identity else {
            // The node itself is on the path by then: following it could deliver nothing.
            unfollow()
            return false
        }
        if let follower = side?.follower {
            follower.with { $0.aim(at: inner, in: inner.graph) }
            return true
        }
        let follower = make()
        if traits.contains(.propagatesEmpty) { follower.traits.insert(.propagatesEmpty) }
        needSide().follower = .to(follower)
        follower.attach(from: inner)
        follower.attach(to: target.object)
        follower.complete(in: inner.graph)
        return true
    }

    /// An inner following gets another source.
    private func aim(at inner: AnyNode, in graph: Graph) {
        if EdgeRef.to(self).isSame(as: inner.core.listens.last) {
            // It is at the end of the listeners already: only the emission under way must not be
            // served again.
            return graph.engine.stamp(self)
        }
        exchangeSource(for: inner, in: graph)
        graph.engine.releaseDue()
    }

    /// Releases the inner node that the edge follows.
    func unfollow() {
        guard let side, let follower = side.follower else { return }
        side.follower = nil
        follower.with { $0.cut() }
    }
}
