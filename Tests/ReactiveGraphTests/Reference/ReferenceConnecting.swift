// Ends of edges, and who dies with whom, in the reference model: G-20 … G-31, G-52 … G-60, G-66a,
// G-67.
extension ReferenceGraph {
    func attach(_ edge: ReferenceEdge, from node: ReferenceNode) {
        edge.from = node
        if edge.kind == .listen || edge.kind == .follower {
            node.listens.append(edge)
        } else {
            node.outs.append(edge)
        }
        if let last = edge.lastSource, last != node.number { edge.reset() }
        edge.lastSource = node.number
        complete(edge)
    }

    func attach(_ edge: ReferenceEdge, to node: ReferenceNode) {
        edge.to = node
        node.ins.append(edge)
        complete(edge)
    }

    func attach(_ edge: ReferenceEdge, to owner: ReferenceOwner) {
        edge.owner = owner
        owner.listens.append(edge)
        complete(edge)
    }

    private func complete(_ edge: ReferenceEdge) {
        guard edge.from != nil, edge.to != nil || edge.owner != nil else { return }
        connections += 1
        edge.connection = connections
        count(edge, 1)
    }

    private func incomplete(_ edge: ReferenceEdge) {
        guard edge.connection != 0 else { return }
        edge.connection = 0
        count(edge, -1)
        edge.onDetach()
    }

    private func count(_ edge: ReferenceEdge, _ step: Int) {
        forgetDownstream()
        switch edge.kind {
        case .transform, .input: liveEdges += step
        case .follower: liveFollowings += step
        case .listen: liveListeners += step
        }
    }

    func forgetDownstream() {
        knownDownstream = [:]
        knownSynchronous = [:]
    }

    func detachSource(_ edge: ReferenceEdge) {
        guard let source = edge.from else { return }
        incomplete(edge)
        dropFollower(edge)
        source.listens.removeAll { $0 === edge }
        source.outs.removeAll { $0 === edge }
        edge.from = nil
        if source.listens.isEmpty, source.outs.isEmpty { source.table?.becameIdle(source, self) }
    }

    func detachTarget(_ edge: ReferenceEdge) {
        guard edge.to != nil || edge.owner != nil else { return }
        incomplete(edge)
        dropFollower(edge)
        edge.join?.isOver = true
        edge.to?.ins.removeAll { $0 === edge }
        edge.to = nil
        edge.owner?.listens.removeAll { $0 === edge }
        edge.owner = nil
    }

    /// Both ends go.
    ///
    /// The edge is lost unless it is held from outside.
    func disconnect(_ edge: ReferenceEdge) {
        detachSource(edge)
        detachTarget(edge)
        edge.ticket?.edge = nil
        forget(edge)
    }

    /// An edge that is no longer held takes its function along.
    func forget(_ edge: ReferenceEdge) {
        guard edge.to == nil, edge.owner == nil, edge.pins == 0, !isEdgeHeldOutside(edge) else { return }
        detachSource(edge)
        edge.ticket?.edge = nil
        edge.table?.leave(self)
        if let shared = edge.shared {
            edge.shared = nil
            shared.count -= 1
            if shared.count == 0 { retireFunction() }
        }
        guard edge.hasFunction else { return }
        edge.hasFunction = false
        retireFunction()
    }

    func cancel(_ ticket: ReferenceTicket) {
        for part in ticket.parts { cancel(part) }
        if let edge = ticket.edge { disconnect(edge) }
        sweep()
    }

    private func retireFunction() {
        if turns > 0 { retired += 1 } else { liveFunctions -= 1 }
    }

    func dropFollower(_ edge: ReferenceEdge) {
        guard let follower = edge.follower else { return }
        edge.follower = nil
        disconnect(follower)
    }

    // MARK: - Death

    /// Frees what is not held, until nothing changes: G-53, read literally.
    func sweep() {
        var changed = true
        while changed {
            changed = false
            for node in nodes.values where !isHeld(node) {
                die(node)
                changed = true
            }
        }
    }

    private func isHeld(_ node: ReferenceNode) -> Bool {
        if node.pins > 0 || !node.listens.isEmpty { return true }
        if node.outs.contains(where: { $0.to != nil || $0.pins > 0 || isEdgeHeldOutside($0) }) { return true }
        if node.table != nil, nodes.values.contains(where: { $0.pair?.inner === node }) { return true }
        return isHeldOutside(node)
    }

    private func die(_ node: ReferenceNode) {
        node.isDead = true
        nodes[node.number] = nil
        for step in [node.step] + node.queue.map(\.step) {
            step?.inner.pins -= 1
            step?.inner.isDue = false
        }
        node.step = nil
        node.queue = []
        node.pair = nil
        onDeath(node)
        if node.hasJoinFunction { retireFunction() }
        node.join = nil
        for edge in node.ins {
            detachTarget(edge)
            // An edge object that is held from outside keeps its source.
            if edge.pins == 0, !isEdgeHeldOutside(edge) {
                disconnect(edge)
            }
        }
    }

    /// An owner is gone: with a bag its listens end at once, otherwise when they are looked at.
    func ownerDied(_ owner: ReferenceOwner) {
        guard owner.isDead, !owner.isForeign else { return }
        endListens(of: owner)
    }

    func endListens(of owner: ReferenceOwner) {
        for edge in owner.listens { disconnect(edge) }
        sweep()
        for listen in owner.owned.filter(\.isActive).sorted(by: ReferenceListen.isBefore) {
            listen.remove(owner)
        }
        owner.owned = []
        let ties = owner.ties
        owner.ties = []
        for ticket in ties { cancel(ticket) }
    }

    /// Notices foreign owners that have died (G-67).
    func collect() {
        while true {
            for node in nodes.values { noticeDeath(on: node) }
            sweep()
            let ended = listens.filter(\.needsCare).sorted(by: ReferenceListen.isBefore)
            for listen in ended { _ = listen.notice() }
            if ended.isEmpty { break }
        }
        for owner in tied where owner.isDead { endListens(of: owner) }
        tied.removeAll(where: \.isDead)
    }

    func noticeDeath(on node: ReferenceNode) {
        for edge in node.listens {
            if let owner = edge.owner, owner.isDead { disconnect(edge) }
        }
    }

    /// Takes apart what holds itself, so that the model leaves nothing behind.
    func scrap() {
        for node in nodes.values {
            node.listens = []
            node.outs = []
            node.ins = []
            node.join = nil
            node.pair = nil
            node.table = nil
        }
        nodes = [:]
    }

    // MARK: - Aiming

    func aim(_ edge: ReferenceEdge, from node: ReferenceNode?) {
        if let node, node === edge.to { return }
        detachSource(edge)
        if let node { attach(edge, from: node) }
        sweep()
        if node != nil { replay(edge) }
    }

    func aim(_ edge: ReferenceEdge, to node: ReferenceNode?) {
        if let node, node === edge.from { return }
        detachTarget(edge)
        if let node { attach(edge, to: node) }
        sweep()
        if node != nil { replay(edge) }
    }
}
