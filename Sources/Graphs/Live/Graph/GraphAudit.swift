internal import ReactiveGraph

extension LiveGraph {
    /// In debug builds, walks the graph and requires that the counters agree with it: after a
    /// teardown, every living node must be reachable, members must be counted, and groups must have
    /// theirs.
    ///
    /// Graphs of more than 512 nodes and listeners are skipped, because the walk is linear and this
    /// is called at every teardown.
    package func audit() {
        #if DEBUG
            guard core.counts.liveNodes + core.counts.liveListeners <= 512 else { return }
            precondition(members.areGrouped(isSettled: false), "\(name): a group does not have its members")
            precondition(members.areCounted, "\(name): \(members.livingCount) members are counted as alive")
            let reached = roots.walk(\.neededNodes)
            precondition(
                reached.count == core.counts.liveNodes,
                """
                \(name): \(core.counts.liveNodes) nodes are alive, \(reached.count) can be reached;
                not: \(unreached(reached))
                """
            )
        #endif
    }

    #if DEBUG
        /// The nodes that are alive without being needed, by name or stage.
        private func unreached(_ reached: Set<UInt64>) -> [String] {
            let named = (nodes + members.living).filter { node in
                node.living.map { !reached.contains($0.id) } ?? false
            }
            let stages = chains.all.filter { !reached.contains($0.node.id) }
            return named.map(\.name) + stages.map(\.label)
        }
    #endif

    var isWhole: Bool {
        members.areCounted && members.areGrouped()
            && roots.walk(\.neededNodes).count == core.counts.liveNodes
    }

    /// What may keep other nodes alive: nodes held by the registry, and listeners.
    var roots: [AnyNode] {
        var roots: [AnyNode] = []
        for named in nodes + members.living {
            guard let node = named.living else { continue }
            if named.isHeld || node.hasListener { roots.append(node) }
        }
        for record in chains.all where record.node.hasListener { roots.append(record.node) }
        return roots
    }
}
