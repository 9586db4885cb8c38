internal import ReactiveGraph

extension LiveGraph {
    /// In debug builds, walks the graph and requires that the counters agree with it: see
    /// ``GraphAudit``.
    ///
    /// Graphs of more than 512 nodes and listeners are skipped, because the walk is linear and this
    /// is called at every teardown.
    package func audit() {
        #if DEBUG
            guard core.counts.liveNodes + core.counts.liveListeners <= 512 else { return }
            GraphAudit(graph: self).require()
        #endif
    }

    var isWhole: Bool { GraphAudit(graph: self).isWhole }

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

/// Whether a graph is as it must be after a teardown: every living node can be reached, members are
/// counted, and groups have theirs.
private struct GraphAudit {
    let graph: LiveGraph

    private var reached: Set<UInt64> { graph.roots.walk(\.neededNodes) }

    /// The same between commits.
    var isWhole: Bool {
        graph.members.areCounted && graph.members.areGrouped()
            && reached.count == graph.core.counts.liveNodes
    }

    /// Ends the process with what is wrong.
    func require() {
        let (name, members, living) = (graph.name, graph.members, graph.core.counts.liveNodes)
        precondition(members.areGrouped(isSettled: false), "\(name): a group does not have its members")
        precondition(members.areCounted, "\(name): \(members.livingCount) members are counted as alive")
        let reached = reached
        precondition(
            reached.count == living,
            "\(name): \(living) nodes are alive, \(reached.count) can be reached; not: \(names(without: reached))"
        )
    }

    /// The nodes that are alive without being needed, by name or stage.
    private func names(without reached: Set<UInt64>) -> [String] {
        let named = (graph.nodes + graph.members.living).filter { node in
            node.living.map { !reached.contains($0.id) } ?? false
        }
        let stages = graph.chains.all.filter { !reached.contains($0.node.id) }
        return named.map(\.name) + stages.map(\.label)
    }
}
