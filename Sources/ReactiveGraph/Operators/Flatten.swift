extension Node {
    /// The values of the node that `select` gives for the latest value: "switch to latest" (G-77).
    ///
    /// On each value the function is called, the inner node followed until then is let go, and the new one is
    /// followed and replayed; if it is empty, the new node becomes empty.
    ///
    /// Example: `rooms.flattenMap { $0.temperature }` shows the temperature of the chosen room.
    @inlinable
    public func flattenMap<Out>(_ select: @escaping (Value) -> Node<Out>) -> Node<Out> {
        let target = Node<Out>(graph: graph, .empty)
        graph.derive(
            target,
            from: self,
            Edge("Flatten") { edge in
                guard case .value(let value) = edge.input(Value.self) else {
                    return edge.stopFollowing(Out.self)
                }
                return edge.follow(select(value))
            }
        )
        return target
    }

    /// The values of the node that is the latest value.
    @inlinable
    public func flatten<Inner>() -> Node<Inner> where Value == Node<Inner> {
        flattenMap { $0 }
    }
}

extension Edge {
    /// Follows `inner` instead of what was followed until now, and hands its emission on.
    @usableFromInline
    func follow<Out>(_ inner: Node<Out>) -> Outcome {
        guard let target, source != nil else { return .nothing }
        let graph = inner.graph
        precondition(
            target._withUnsafeGuaranteedRef { $0.graph === graph },
            "flatten: the inner node is of another graph"
        )
        let side = needSide()
        let isSelf = target.toOpaque() == Unmanaged.passUnretained(inner).toOpaque()
        if isSelf {
            // The node itself is on the path by then: following it can deliver nothing.
            if let follower = side.follower {
                side.follower = nil
                follower._withUnsafeGuaranteedRef { graph.cut($0) }
            }
            return .nothing
        }
        if let follower = side.follower {
            follower._withUnsafeGuaranteedRef { edge in
                graph.detachSource(edge)
                graph.attach(edge, from: inner)
                graph.complete(edge)
            }
        } else {
            let follower = Edge("Flatten", [.listener, .follower]) { edge in
                guard case .value(let value) = edge.input(Out.self) else {
                    return edge.forwardEmpty(to: Out.self)
                }
                return edge.store(value)
            }
            if traits.contains(.propagatesEmpty) { follower.traits.insert(.propagatesEmpty) }
            side.follower = .passUnretained(follower)
            graph.attach(follower, from: inner)
            graph.attach(follower, to: target.takeUnretainedValue())
            graph.complete(follower)
        }
        graph.bury()
        return goThrough(inner)
    }

    /// Hands on what `inner` holds, with the inner node on the path.
    private func goThrough<Out>(_ inner: Node<Out>) -> Outcome {
        guard let target = target(as: Out.self) else { return .nothing }
        let graph = inner.graph
        graph.inner = inner.id
        let outcome = target._withUnsafeGuaranteedRef { $0.accept(emission: inner.stored) }
        if outcome == .enter { return .enterThroughInner }
        graph.inner = 0
        return .nothing
    }

    /// The outer node became empty: nothing, or where emptiness travels, the inner node is let go.
    @usableFromInline
    func stopFollowing<Out>(_ type: Out.Type) -> Outcome {
        guard traits.contains(.propagatesEmpty) else { return .nothing }
        if let side, let follower = side.follower, let graph {
            side.follower = nil
            follower._withUnsafeGuaranteedRef { graph.cut($0) }
        }
        return forwardEmpty(to: Out.self)
    }
}
