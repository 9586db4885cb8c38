// Tying edges to nodes and bags, and untying them. Nothing here calls user code before the lists
// are consistent.
extension Graph {
    // MARK: - Ends

    /// Gives `edge` a source: appends it to the source's order of service.
    func attach(_ edge: Edge, from node: AnyNode) {
        let ref = EdgeRef.passUnretained(edge)
        edge.source = .passRetained(node)
        if edge.traits.contains(.listener) { node.listens.append(ref) } else { node.outs.append(ref) }
        if node.watchesDemand { node.demandChanged() }
        if let side = edge.side, side.lastSource != node.id {
            let isFirst = side.lastSource == 0
            side.lastSource = node.id
            if !isFirst, let remains = side.state?.reset() { retired.append(remains) }
        }
    }

    /// Gives `edge` a target, which holds it from now on.
    func attach(_ edge: Edge, to node: AnyNode) {
        edge.target = .passUnretained(node)
        node.held.append(.passRetained(edge))
        if let side = edge.side, let user = side.userRef { side.user = user.takeUnretainedValue() }
    }

    /// Both ends are there: the edge counts from now on (G-21), and is served for later emissions.
    func complete(_ edge: Edge) {
        guard let source = edge.source, edge.target != nil || edge.bag != nil else { return }
        connections += 1
        edge.stamp = connections
        edge.traits.insert(.complete)
        if edge.traits.contains(.wantsPath) { pathWishes += 1 }
        if edge.traits.contains(.follower) {
            counts.liveFollowings += 1
        } else if edge.traits.contains(.listener) {
            counts.liveListeners += 1
        } else {
            counts.liveEdges += 1
        }
        if let target = edge.target { ranks.connected(edge, from: source, to: target) }
        demand?.began(edge)
    }

    /// The opposite of `complete`: an end is about to go.
    private func incomplete(_ edge: Edge) {
        guard edge.traits.contains(.complete) else { return }
        demand?.ended(edge)
        if edge.traits.contains(.watchesEnds) { edge.losesEnd() }
        edge.traits.remove(.complete)
        edge.stamp = .max
        if edge.traits.contains(.wantsPath) { pathWishes -= 1 }
        if edge.traits.contains(.follower) {
            counts.liveFollowings -= 1
        } else if edge.traits.contains(.listener) {
            counts.liveListeners -= 1
        } else {
            counts.liveEdges -= 1
        }
        if edge.target != nil { ranks.disconnected(edge) }
        if let remains = edge.side?.state?.detach() { retired.append(remains) }
    }

    /// Takes the source away; the source may die at the next `releaseDue`.
    func detachSource(_ edge: Edge) {
        guard let source = edge.source else { return }
        incomplete(edge)
        if let follower = edge.side?.follower {
            edge.side?.follower = nil
            follower._withUnsafeGuaranteedRef { end($0) }
        }
        let ref = EdgeRef.passUnretained(edge)
        if Int(source.pass) >= 0 {
            let frame = frames + Int(source.pass)
            if ref.isSame(as: frame.pointee.next) { frame.pointee.next = edge.next }
        }
        source._withUnsafeGuaranteedRef { node in
            if edge.traits.contains(.listener) { node.listens.remove(ref) } else { node.outs.remove(ref) }
        }
        edge.source = nil
        departures &+= 1
        source._withUnsafeGuaranteedRef { if $0.watchesDemand { $0.demandChanged() } }
        if source.marks.contains(.isInner), !source.hasEdges {
            idleInners.append(source.takeUnretainedValue())
        }
        if !edge.traits.contains(.own) { dying.append(source) }
    }

    /// Takes the target or the bag away; the edge waits among the retired while it may be running.
    func detachTarget(_ edge: Edge) {
        guard edge.target != nil || edge.bag != nil else { return }
        incomplete(edge)
        if let follower = edge.side?.follower {
            edge.side?.follower = nil
            follower._withUnsafeGuaranteedRef { end($0) }
        }
        if let join = edge.side?.join, let remains = join.end() { retired.append(remains) }
        edge.leaveHolder()
        if let side = edge.side, let user = side.user {
            side.user = nil
            dropped.append(user)
        }
        retired.append(EdgeRef.passUnretained(edge).takeRetainedValue())
    }

    /// Ends an edge for good: both ends go, its cancellable becomes blank.
    ///
    /// The caller calls `releaseDue`.
    func end(_ edge: Edge) {
        edge.ended()
        // Keeps the edge until its cancellable has been blanked.
        let keeper = edge
        if let side = keeper.side, let inners = side.inners {
            // Unless the edge's public object is held, its inner nodes go at once (G-66a).
            let isLast = side.user == nil ? side.userRef == nil : isKnownUniquelyReferenced(&side.user)
            if isLast { remains.append(inners.leave()) }
        }
        detachSource(keeper)
        detachTarget(keeper)
        if let handle = keeper.handle {
            keeper.handle = nil
            handle._withUnsafeGuaranteedRef { $0.edgeEnded() }
        }
    }

    /// As `end`, and releases what only this edge needed.
    func cut(_ edge: Edge) {
        end(edge)
        releaseDue()
    }

    // MARK: - Replay

    /// Feeds a complete edge the current emission of its source, once, as a turn of its own (G-21).
    func replay(_ edge: Edge) {
        // A node whose object has died notices it here, and its listeners may cut this edge.
        guard edge.traits.contains(.complete), let first = edge.source else { return }
        let isEmpty = first._withUnsafeGuaranteedRef { $0.isEmpty }
        guard !isEmpty || edge.traits.contains(.receivesEmpty) else { return }
        guard edge.traits.contains(.complete), let source = edge.source else { return }
        let saved = beginTurn(trail: nil, context: nil)
        pushReplay(of: source)
        deliver(.passUnretained(edge))
        run(to: base)
        endTurn(saved)
    }

    /// A frame without node that stands for the source: nested turns must not mistake the outer
    /// path for theirs.
    func pushReplay(of source: NodeRef) {
        addExtra(source.id, source)
        pushWithoutNode(extras: 1)
    }

    func pushWithoutNode(extras: Int32) {
        if depth == frameCapacity { growFrames() }
        (frames + depth).initialize(
            to: Frame(node: nil, next: nil, limit: 0, extras: extras, transforms: true)
        )
        depth += 1
    }

    /// Runs one edge for the current path.
    func deliver(_ edge: EdgeRef) {
        if let target = edge.target, mustSkip(target) { return }
        follow(edge.run(), of: edge)
    }
}
