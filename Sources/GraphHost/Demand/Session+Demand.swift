internal import Support

extension Session {
    /// `demand`: reports which of these nodes are wanted, now and whenever that changes (D-1).
    func demand(_ fields: Fields, id: UInt64) throws(HostError) {
        let view = try graph(fields)
        try fields.refuse(.owner, because: "a producer keeps nothing alive")
        let limits = host.limits
        guard subscriptionCount + demands.count < limits.subscriptions else {
            throw HostError(.subLimit, "at most \(limits.subscriptions) subscriptions per connection")
        }
        var patterns = try NodeSelection.patterns(fields) ?? []
        if let name = try fields.string(.node) { patterns.append(name) }
        guard !patterns.isEmpty else {
            throw HostError(
                .badField,
                "node or nodes: the names of the nodes that the client produces are needed"
            )
        }
        guard patterns.count <= limits.matches else {
            throw HostError(.subLimit, "at most \(limits.matches) names and globs (limits.matches)")
        }
        host.work += UInt64(patterns.count)
        var seen: Set<String> = []
        patterns.removeAll { !seen.insert($0).inserted }
        for name in patterns where !NodeSelection.isGlob(name) {
            let node = try view.node(view.graph.node(name), named: name, to: .set)
            guard node.isMutable else {
                throw HostError(.notMutable, "\(name) is derived: demand is for mutable nodes", node: name)
            }
        }
        let watch = DemandWatch(id: id, session: self, graph: view.graph, patterns: patterns)
        demands.append(watch)
        let message = watch.begin()
        answer(id: nil, bytes: 0) { $0.append(message) }
    }

    func demand(_ id: UInt64) -> DemandWatch? {
        extras?.demands.first { $0.id == id }
    }

    /// Ends one `demand` and sends the client the reason.
    func end(_ watch: DemandWatch, _ code: EndCode) {
        watch.end()
        demands.removeAll { $0 === watch }
        answer(id: nil, bytes: 0) { Answer.end(id: watch.id, code, released: 0, to: &$0) }
    }

    /// Ends all of them without a message.
    func dropDemands() {
        for watch in demands { watch.end() }
        demands = []
    }
}
