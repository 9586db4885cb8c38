internal import ReactiveGraph

extension LiveGraph {
    /// In debug builds, walks the graph and requires that the counters say what is reachable: after a teardown
    /// nothing may be left that nobody can reach.
    ///
    /// Graphs of more than 512 nodes and listeners are let pass: the walk is linear, and this is called at every teardown.
    func audit() {
        #if DEBUG
            guard core.counts.liveNodes + core.counts.liveListeners <= 512 else { return }
            let reachable = countReachable()
            precondition(
                reachable == core.counts.liveNodes,
                "\(name): \(core.counts.liveNodes) nodes are alive, \(reachable) can be reached"
            )
        #endif
    }

    /// Whether every node that is alive can be reached.
    var isWhole: Bool { countReachable() == core.counts.liveNodes }

    /// Nodes that can be reached from what may keep something: mutable nodes, the derived ones that are always
    /// kept, and listeners.
    func countReachable() -> Int {
        var open: [AnyNode] = []
        for named in nodes {
            if let recorder = named.recorder { open.append(recorder) }
            guard let node = named.living else { continue }
            if named.isMutable || named.kept != nil || node.hasListener { open.append(node) }
        }
        for record in chains.all where record.node.hasListener {
            open.append(record.node)
        }
        var seen: Set<UInt64> = []
        while let node = open.popLast() {
            guard seen.insert(node.id).inserted else { continue }
            open.append(contentsOf: node.upstreamNodes)
            open.append(contentsOf: node.followedNodes)
        }
        return seen.count
    }
}
