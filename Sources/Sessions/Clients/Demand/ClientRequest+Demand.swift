internal import Graphs
internal import Definitions
internal import Support
internal import Values

extension ClientRequest {
    /// `demand`: reports which of these nodes are wanted, now and whenever that changes (D-1).
    func demand(as id: UInt64) throws(HostError) {
        let view = try graph()
        try fields.refuse(.owner, because: "a producer keeps nothing alive")
        let limits = host.limits
        guard session.subscriptionCount + session.demands.count < limits.subscriptions else {
            throw HostError(.subLimit, "at most \(limits.subscriptions) subscriptions per connection")
        }
        var patterns = try NodeSelection.names(fields) ?? []
        guard !patterns.isEmpty else {
            throw HostError(
                .badField,
                "node or nodes: the names of the nodes that the client produces are needed"
            )
        }
        guard patterns.count <= limits.matches else {
            throw HostError(.badField, "nodes: at most \(limits.matches) names and globs (limits.matches)")
        }
        host.work += UInt64(patterns.count)
        var seen: Set<String> = []
        patterns.removeAll { !seen.insert($0).inserted }
        for name in patterns where !Glob.isGlob(name) {
            let node = try view.node(view.graph.node(name), named: name, to: .set)
            guard node.isSettable else {
                let kind = node.isFed ? "has a source" : "is derived"
                throw HostError(.notMutable, "\(name) \(kind): demand is for nodes that are set", node: name)
            }
        }
        let watch = DemandWatch(id: id, session: session, graph: view.graph, patterns: patterns)
        session.madeExtras.demands.append(watch)
        let message = watch.begin()
        session.answer(id: nil, bytes: 0) { $0.append(message) }
    }
}
