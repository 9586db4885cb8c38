// Releasing nodes and edges without recursion (G-68): a node that dies only appends its sources to
// a list, and the outermost call works the list off.

/// What an operator has released, until it may be destroyed.
final class Remains<Content> {
    private let content: Content

    init(_ content: Content) {
        self.content = content
    }
}

extension Graph {
    /// A node is being freed: it leaves its frame, its join and its edges.
    func nodeDies(_ node: AnyNode) {
        demand?.died(node)
        if node.pass >= 0 {
            // It stays on the path: the frame keeps its number where the limit was, which nothing
            // asks for any more.
            frames[Int(node.pass)].node = nil
            frames[Int(node.pass)].limit = node.id
        }
        node.forgetNames()
        if node.marks.contains(.isExtra) { blankExtras(of: node) }
        if let join = node.join {
            node.join = nil
            join._withUnsafeGuaranteedRef { $0.node = nil }
            retired.append(join.takeRetainedValue())
        }
        while let edge = node.held.first { edge._withUnsafeGuaranteedRef { endWithTarget($0) } }
        if !reachable.isEmpty { reachable[node.id] = nil }
        if !mortals.isEmpty { mortals[node.id] = nil }
        counts.liveNodes -= 1
        counts.releasedNodes += 1
        onRelease?(node.id)
        releaseDue()
    }

    /// The target dies: the edge ends, unless its public object is held from outside, which keeps
    /// its `from`.
    private func endWithTarget(_ edge: Edge) {
        if let side = edge.side, side.user != nil, !isKnownUniquelyReferenced(&side.user) {
            detachTarget(edge)
        } else {
            end(edge)
        }
    }

    /// Releases what is no longer needed: nodes and public edge objects at once, closures when no
    /// turn runs (G-66a).
    func releaseDue() {
        guard !isReleasing else { return }
        isReleasing = true
        while true {
            if let node = dying.popLast() {
                node.release()
            } else if let inner = idleInners.popLast() {
                inner.innerEntry?.becameIdle()
            } else if !dropped.isEmpty {
                // If nothing else holds it, its source goes too.
                dropped.removeLast()
            } else if !remains.isEmpty {
                remains.removeLast()
            } else if turns == 0, !retired.isEmpty {
                retired.removeLast()
            } else {
                break
            }
        }
        isReleasing = false
        withExtendedLifetime(self) {}
    }

    /// Ends the listens of owners that have died (G-67).
    ///
    /// A loop calls it once per turn; it costs one weak look-up per listen of such an owner. A
    /// graph with a clock calls it by itself (``Graph/collectsEvery``). Owners with a bag of their
    /// own do not need it.
    public func collect() {
        // A released listener may have been its own owner elsewhere: look again.
        while collectOnce() {}
        releaseDue()
        endTies()
        noticeDeaths()
    }

    /// An owner is watched by a weak reference from now on: its death is looked for once in a
    /// while.
    func watchOwners() {
        guard nextCollect == nil, let clock, let interval = collectsEvery else { return }
        nextCollect = clock.schedule(at: clock.now + interval) { [weak self] in
            guard let self else { return }
            nextCollect = nil
            collect()
            if foreign.held.first != nil || !ties.isEmpty { watchOwners() }
        }
    }

    /// Returns whether an event listen has ended.
    private func collectOnce() -> Bool {
        var owned: [ListenOwners] = []
        for edge in foreign.held {
            if let listen = edge._withUnsafeGuaranteedRef({ $0.owners }) {
                if listen.needsCare { owned.append(listen) }
            } else if edge._withUnsafeGuaranteedRef({ $0.owner }) == nil {
                edge._withUnsafeGuaranteedRef { end($0) }
            }
        }
        // These run code of the user, which may do anything.
        for listen in owned.sorted(by: { $0.isBefore($1) }) { _ = listen.livingListener() }
        return !owned.isEmpty
    }
}
