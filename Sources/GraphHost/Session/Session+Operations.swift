internal import ReactiveGraph
internal import Support

extension Session {
    // MARK: - hello

    func hello(_ fields: Fields, id: UInt64?) throws(HostError) {
        let token = try fields.string(.token)
        if let token { try show(token) }
        guard access.access != nil else { throw HostError(.unauthenticated, "a token is needed") }
        if let client = try fields.string(.client) { self.client = String(client.prefix(128)) }
        greeted()
        let limits = host.limits
        let number = number
        let expires = secondsLeft
        answer(id: id, bytes: 0) { buffer in
            Answer.begin("hello", id: id, to: &buffer)
            buffer.append(",\"session\":\"c:")
            buffer.append(decimal: number)
            buffer.append("\",\"server\":\"sluice/")
            buffer.append(utf8: Version.text)
            buffer.append("\",\"hb\":")
            buffer.append(decimal: limits.heartbeatSeconds)
            buffer.append(",\"limits\":{\"subs\":")
            buffer.append(decimal: limits.subscriptions)
            buffer.append(",\"msg\":")
            buffer.append(decimal: limits.messageBytes)
            buffer.append(",\"pipe\":")
            buffer.append(decimal: limits.stages)
            buffer.append("}")
            Self.append(expires: expires, to: &buffer)
            buffer.append("}")
        }
    }

    // MARK: - set

    func set(_ fields: Fields, id: UInt64?, bytes: Int) throws(HostError) {
        let view = try graph(fields)
        var commit = Commit(graph: view.graph)
        try CommitReader.read(fields, into: &commit, for: view)
        commit.by = access.name
        commit.isByHand = try fields.bool(.hand) ?? false
        let claimed = try fields.bool(.presence) == true ? commit.setNodes : renewed(by: commit)
        commit.claimed = claimed
        try submit(commit, claiming: claimed, id: id, bytes: bytes)
    }

    /// `drop`: drops members of families (F-4).
    func drop(_ fields: Fields, id: UInt64?, bytes: Int) throws(HostError) {
        try fields.refuse(.set, .clear, because: "drop takes nodes")
        let view = try graph(fields)
        var names = try NodeSelection.patterns(fields) ?? []
        if let name = try fields.string(.node) { names.append(name) }
        guard !names.isEmpty else {
            throw HostError(.badField, "node or nodes: the members to drop are needed")
        }
        var commit = Commit(graph: view.graph)
        commit.kind = .drop
        for name in names { commit.clear.append(try view.node(view.graph.node(name), named: name, to: .set)) }
        try CommitReader.read(fields, into: &commit, for: view)
        commit.by = access.name
        try submit(commit, claiming: [], id: id, bytes: bytes)
    }

    func submit(
        _ commit: Commit,
        claiming claimed: [NamedNode],
        id: UInt64?,
        bytes: Int
    ) throws(HostError) {
        switch host.submit(commit) {
        case .applied(let applied):
            claim(claimed, applied)
            let holds = deliverBeforeAnswer()
            guard id != nil else { return }
            if holds {
                return keep(bytes: bytes, id: id) { Answer.commit(.success(applied), id: id, to: &$0) }
            }
            answer(id: id, bytes: bytes) { Answer.commit(.success(applied), id: id, to: &$0) }
        case .refused(let error): throw error
        case .pending(let pending):
            // Before its answer, which lets later requests proceed.
            if !claimed.isEmpty { claim(claimed, whenAnswered: pending) }
            wait(for: pending, id: id, bytes: bytes)
        }
    }

    /// The same for a set that waits for the log; the session may have ended by then.
    private func claim(_ nodes: [NamedNode], whenAnswered pending: PendingCommit) {
        var revs: [ObjectIdentifier: UInt64] = [:]
        // A commit that waits for a pending definition has no rev yet.
        for node in nodes where node.graph.deferred == nil {
            revs[ObjectIdentifier(node)] = node.pending?.rev
        }
        claiming.merge(revs) { _, new in new }
        pending.onAnswer { [weak self, unowned host, by = access.name] result in
            if let self, !isClosed {
                for (node, rev) in revs where claiming[node] == rev { claiming[node] = nil }
            }
            guard case .success(let applied) = result else { return }
            if let self, !isClosed {
                claim(nodes, applied)
            } else {
                host.presences.clear(nodes.map { Presence(node: $0, rev: applied.rev) }, by: by)
            }
        }
    }

    /// Of the nodes that a commit without `presence` sets, those that already represent this
    /// session, which is still the writer.
    private func renewed(by commit: Commit) -> [NamedNode] {
        let (presence, claiming) = (presence, claiming)
        guard !presence.isEmpty || !claiming.isEmpty else { return [] }
        return commit.setNodes.filter { node in
            if let pending = node.pending { return claiming[ObjectIdentifier(node)] == pending.rev }
            return presence[ObjectIdentifier(node)]?.stands == true
        }
    }

    /// These nodes are cleared when the session ends, unless another client has set them since.
    private func claim(_ nodes: [NamedNode], _ applied: Applied) {
        for node in nodes {
            // A set that is repeated under its key gets the rev of the first time.
            if let known = presence[ObjectIdentifier(node)], known.rev > applied.rev { continue }
            presence[ObjectIdentifier(node)] = Presence(node: node, rev: applied.rev)
        }
    }

    // MARK: - get, list

    func get(_ fields: Fields, id: UInt64) throws(HostError) {
        let view = try graph(fields)
        let graph = view.graph
        let nodes = try NodeSelection.read(fields, in: view, limits: host.limits)
        let hasFacets = try fields.bool(.facets) ?? false
        if try fields.bool(.load) ?? false { for node in nodes { graph.load(node) } }
        answer(id: id, bytes: 0) { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            Answer.appendCursor(of: graph, to: &buffer)
            Answer.appendTime(of: graph, to: &buffer)
            buffer.append(",\"m\":")
            graph.appendValues(of: nodes, facets: hasFacets, to: &buffer)
            buffer.append("}")
        }
    }

    func list(_ fields: Fields, id: UInt64) throws(HostError) {
        let follows = try fields.bool(.changes) ?? false
        if host.isCatchingUp { throw host.noGraph }
        if follows {
            let watch = host.alarmWatch ?? AlarmWatch(host)
            host.alarmWatch = watch
            watch.add(self, id: id)
        }
        let access = access.access ?? Access(everybody: [])
        let graphs = access.graphs(of: host)
        answer(id: id, bytes: 0) { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            buffer.append(",\"graphs\":")
            buffer.append(list: graphs) { $0.appendSummary(to: &$1, for: access) }
            buffer.append("}")
        }
    }
}

extension LiveGraph {
    /// The values of several nodes.
    ///
    /// A node that more than one of them needs is built once, and released after the last.
    public func read(_ nodes: [NamedNode], _ visit: (NamedNode, Held) -> Void) {
        let living = nodes.map(materialise)
        host.work += UInt64(nodes.count)
        for (place, node) in nodes.enumerated() { visit(node, living[place].held) }
    }

    /// Appends `{"a":{"v":…},"b":{"empty":true}}`; with `facets`, each with its `state`.
    func appendValues(of nodes: [NamedNode], facets hasFacets: Bool = false, to buffer: inout ByteBuffer) {
        // All are held until the last one is read, so that shared upstream nodes are built once.
        let living = nodes.map(materialise)
        host.work += UInt64(nodes.count)
        buffer.append("{")
        buffer.append(separated: zip(nodes, living)) { entry, buffer in
            buffer.append(json: entry.0.name)
            buffer.append(":{")
            Subscription.append(entry.1.value, to: &buffer)
            if hasFacets {
                buffer.append(",")
                append(state: mergedFacets(of: entry.1).facets, of: entry.1, to: &buffer)
            }
            buffer.append("}")
        }
        buffer.append("}")
    }

    /// One entry of `list` and of `GET /v1/graphs`.
    func appendSummary(to buffer: inout ByteBuffer, for access: Access) {
        buffer.append("{\"graph\":")
        buffer.append(json: name)
        if let title = definition.title {
            buffer.append(",\"title\":")
            buffer.append(json: title)
        }
        Answer.appendCursor(of: self, to: &buffer)
        buffer.append(",\"nodes\":")
        buffer.append(decimal: access.countReadable(self))
        buffer.append(",\"listeners\":")
        buffer.append(decimal: subscriptions)
        buffer.append(",\"definition\":")
        buffer.append(json: definition.hash)
        appendAlarms(to: &buffer, for: access)
        buffer.append("}")
    }
}
