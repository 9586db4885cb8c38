// Tying edges to nodes and bags, and untying them. Nothing here calls user code before the lists
// are consistent. `graph` is that of the edge's ends: finding it from there would count references.
extension Edge {
    // MARK: - Ends

    /// Takes a source: the edge is the last in the source's order of service.
    func attach(from node: AnyNode) {
        let ref = EdgeRef.to(self)
        // What this retains is the public node, which keeps its core.
        _ = Ref.retaining(node)
        let node = node.core
        source = .to(node)
        if traits.contains(.listener) { node.listens.append(ref) } else { node.outs.append(ref) }
        if node.watchesDemand { node.demandChanged() }
        if let side, side.lastSource != node.id {
            let isFirst = side.lastSource == 0
            side.lastSource = node.id
            if !isFirst, let remains = side.state?.reset() {
                node.graph.engine.teardown.retired.append(remains)
            }
        }
    }

    /// Takes a target, which holds the edge from now on.
    func attach(to node: NodeCore) {
        target = .to(node)
        node.held.append(.retaining(self))
        if let side, let user = side.userRef { side.user = user }
    }

    /// Belongs to its own source, in front of the source's listeners.
    func attachFirst(to node: NodeCore) {
        source = .to(node)
        node.listens.prepend(.to(self))
        node.graph.engine.stamp(self)
    }

    /// Both ends are there: the edge counts from now on (G-21), and is served for later emissions.
    func complete(in graph: Graph) {
        guard let source, target != nil || bag != nil else { return }
        graph.engine.stamp(self)
        traits.insert(.complete)
        if traits.contains(.wantsPath) { graph.engine.route.wishes += 1 }
        graph.counts.add(1, self)
        if let target { graph.engine.ranks.connected(self, from: source, to: target) }
        if let home = graph.ownHandle { bag?.with { $0.join(home) } }
        for demand in graph.demands { demand.began(self) }
    }

    /// The opposite of `complete`: an end is about to go.
    private func incomplete(in graph: Graph) {
        guard traits.contains(.complete) else { return }
        for demand in graph.demands { demand.ended(self) }
        if traits.contains(.watchesEnds) { losesEnd() }
        unpark()
        traits.remove(.complete)
        stamp = .max
        if traits.contains(.wantsPath) { graph.engine.route.wishes -= 1 }
        graph.counts.add(-1, self)
        if target != nil { graph.engine.ranks.disconnected(self) }
        if let remains = side?.state?.detach() { graph.engine.teardown.retired.append(remains) }
    }

    /// Loses an end: what it follows goes.
    private func endFollower(in graph: Graph) {
        guard let follower = side?.follower else { return }
        side?.follower = nil
        follower.with { $0.end(in: graph) }
    }

    /// Takes the source away; the source may die at the next `releaseDue`.
    func detachSource(in graph: Graph) {
        guard let source else { return }
        incomplete(in: graph)
        endFollower(in: graph)
        leave(source, graph.engine)
    }

    /// An inner following, which is complete and stays so, gets another source; the former one may
    /// die at the next `releaseDue`.
    @inline(__always)
    func exchangeSource(for node: AnyNode, in graph: Graph) {
        guard let source, let target else { return }
        let engine = graph.engine
        for demand in graph.demands { demand.ended(self) }
        engine.ranks.disconnected(self)
        leave(source, engine)
        attach(from: node)
        engine.stamp(self)
        engine.ranks.connected(self, from: node.ref, to: target)
        for demand in graph.demands { demand.began(self) }
    }

    /// Leaves its source, which may die at the next `releaseDue`.
    @inline(__always)
    private func leave(_ source: NodeRef, _ engine: Engine) {
        let ref = EdgeRef.to(self)
        if Int(source.pass) >= 0 {
            let frame = unsafe engine.stack.frames + Int(source.pass)
            if unsafe ref.isSame(as: frame.pointee.next) { unsafe frame.pointee.next = next }
        }
        source.with { node in
            if traits.contains(.listener) { node.listens.remove(ref) } else { node.outs.remove(ref) }
        }
        self.source = nil
        engine.departures &+= 1
        source.with { if $0.watchesDemand { $0.demandChanged() } }
        if source.marks.contains(.isInner), !source.hasEdges {
            engine.teardown.idleInners.append(source.heldNode)
        }
        if !traits.contains(.own) { engine.teardown.dying.append(source) }
    }

    /// Takes the target or the bag away; the edge waits among the retired while it may be running.
    func detachTarget(in graph: Graph) {
        guard target != nil || bag != nil else { return }
        incomplete(in: graph)
        endFollower(in: graph)
        if let join = side?.join, let remains = join.end() { graph.engine.teardown.retired.append(remains) }
        leaveHolder()
        if let side, let user = side.user {
            side.user = nil
            graph.engine.teardown.dropped.append(user)
        }
        graph.engine.teardown.retired.append(EdgeRef.to(self).take())
    }

    /// Ends the edge for good: both ends go, its token becomes blank.
    ///
    /// The caller calls `releaseDue`.
    func end(in graph: Graph) {
        ended()
        // Keeps the edge until its token has been blanked.
        withExtendedLifetime(self) {
            if let side, let inners = side.inners {
                // Unless the edge's public object is held, its inner nodes go at once (G-66a).
                let isLast = side.user == nil ? side.userRef == nil : isKnownUniquelyReferenced(&side.user)
                if isLast { graph.engine.teardown.remains.append(inners.leave()) }
            }
            detachSource(in: graph)
            detachTarget(in: graph)
            token?.edgeEnded()
            token = nil
        }
    }

    /// The target dies: the edge ends, unless its public object is held from outside, which keeps
    /// its `from`.
    func endWithTarget(in graph: Graph) {
        if let side, side.user != nil, !isKnownUniquelyReferenced(&side.user) {
            detachTarget(in: graph)
        } else {
            end(in: graph)
        }
    }

    /// The graph of an edge that has an end.
    final var graph: Graph? {
        if let source { return source.with { $0.graph } }
        return target?.with { $0.graph }
    }

    /// Ends this edge for good, and releases what only it needed.
    @usableFromInline
    final func cut() {
        guard let graph else {
            ended()
            guard bag != nil else { return }
            leaveHolder()
            Ref.to(self).release()
            return
        }
        graph.checkThread("cancel")
        end(in: graph)
        graph.engine.releaseDue()
    }
}

extension GraphCounts {
    /// One more edge has both ends, or one less.
    @inline(__always)
    fileprivate mutating func add(_ change: Int, _ edge: Edge) {
        if edge.traits.contains(.follower) {
            liveFollowings += change
        } else if edge.traits.contains(.listener) {
            liveListeners += change
        } else {
            liveEdges += change
        }
    }
}

extension Engine {
    /// The edge is served for emissions from now on.
    func stamp(_ edge: Edge) {
        connections += 1
        edge.stamp = connections
    }
}
