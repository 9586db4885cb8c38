internal import ReactiveGraph

extension LiveGraph {
    /// In debug builds, walks the graph and requires that the counters agree with it: after a
    /// teardown, every living node must be reachable, and groups must have their members.
    ///
    /// Graphs of more than 512 nodes and listeners are skipped, because the walk is linear and this
    /// is called at every teardown.
    package func audit() {
        #if DEBUG
            guard core.counts.liveNodes + core.counts.liveListeners <= 512 else { return }
            precondition(members.areGrouped(isSettled: false), "\(name): a group does not have its members")
            let reachable = roots.walk(\.neededNodes).count
            precondition(
                reachable == core.counts.liveNodes,
                "\(name): \(core.counts.liveNodes) nodes are alive, \(reachable) can be reached"
            )
        #endif
    }

    var isWhole: Bool { members.areGrouped() && roots.walk(\.neededNodes).count == core.counts.liveNodes }

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
