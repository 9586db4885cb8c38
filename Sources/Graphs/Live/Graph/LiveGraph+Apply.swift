internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Values

extension LiveGraph {
    /// Applies a commit that is durable: one turn of the graph.
    func apply(_ commit: Commit, _ stamp: LogStamp) {
        begin(stamp, commit)
        switch commit.kind {
        case .values: change(commit, stamp)
        case .define:
            host.table.changes &+= 1
            create(stamp)
        case .redefine(let definition, let origin):
            host.table.changes &+= 1
            basis.origin = origin
            // It needs no file any more.
            if origin == .client { host.bringBack(self) }
            Redefinition(of: self, as: definition, at: stamp).apply()
        case .remove: end(.removed)
        case .tick(let now): fireTimers(until: now)
        case .drop: members.drop(commit, stamp)
        case .expire:
            due.isExpiring = false
            members.drop(commit, stamp)
        }
    }

    @inline(__always)
    private func begin(_ stamp: LogStamp, _ commit: Commit) {
        course.advance(to: stamp, in: host.turns)
        if !ties.all.isEmpty { ties.beginCommit() }
        present.begin(stamp, context: commit.context, by: commit.by, commit.origin)
    }

    private func change(_ commit: Commit, _ stamp: LogStamp) {
        if commit.birth != 0 { clients.links.note(commit, at: stamp.rev) }
        if commit.set.isSingle, commit.clear.isEmpty, let only = commit.set.first, !only.node.isUnsetMember {
            note(only.node, stamp)
            sign(only.node, commit)
            only.node.source?.set(only.value, context: commit.path.map { Context($0) })
            return members.weigh(only.node, for: commit.by)
        }
        if !commit.reports.isEmpty { facets.take(commit.reports, stamp) }
        guard commit.set.count > 0 || !commit.clear.isEmpty else { return }
        var (coming, going) = (false, [NamedNode?]())
        core.batchInTurn(context: commit.path.map { Context($0) }) { batch in
            // A member may bring a group that holds a value, as `count` does: its join emits once.
            coming = members.create(for: commit)
            going = members.hide(commit.clear)
            commit.set.forEach { assignment in
                guard let source = assignment.node.source else { return }
                note(assignment.node, stamp)
                sign(assignment.node, commit)
                batch.set(source, assignment.value)
            }
            for node in commit.clear {
                guard let source = node.source else { continue }
                node.noteChange(stamp, present.origin)
                sign(node, commit)
                node.stopExpiry()
                if node.hasFacets { facets.clear(of: node, at: stamp.time, isSet: false) }
                batch.clear(source)
            }
        }
        if !members.families.isEmpty {
            commit.set.forEachNode { members.weigh($0, for: commit.by) }
            for node in commit.clear { members.weigh(node, for: commit.by) }
        }
        if coming || !going.isEmpty { members.settle(going, stamp) }
    }

    private func note(_ node: NamedNode, _ stamp: LogStamp) {
        node.noteChange(stamp, present.origin)
        node.startExpiry(at: stamp.time)
        if node.hasFacets { facets.clear(of: node, at: stamp.time, isSet: true) }
    }

    /// Records who changed a node, if the commit says so or another principal changed it before.
    @inline(__always)
    private func sign(_ node: NamedNode, _ commit: Commit) {
        guard !commit.isAnonymous || node.writer != nil else { return }
        let claims = commit.claimed.contains { $0 === node }
        let claimer = claims ? commit.claimer ?? host.instance : nil
        node.writer = present.writer(claimer: claimer)
    }

    /// One tick: everything that is due emits, all in one turn.
    private func fireTimers(until now: UInt64) {
        due.isTickPending = false
        core.engine.fire(timers, until: .milliseconds(now))
    }

    /// The first commit: creates all nodes with their initial values, and the derived ones that are
    /// always kept.
    private func create(_ stamp: LogStamp) {
        open()
        members.takeFamilies(stamp)
        for definition in definition.nodes {
            let node = NamedNode(definition, graph: self, at: stamp)
            create(node, stamp)
            basis.nodes.append(node)
        }
        members.show()
        ties.connectSyncs(of: self)
        for place in definition.order {
            let node = nodes[place]
            if !node.isMutable, node.definition.retain == .always { _ = builder.materialise(node) }
        }
        ties.connectLinks(of: self)
    }

    /// Creates a node of the definition, a mutable one with its initial value.
    func create(_ node: NamedNode, _ stamp: LogStamp) {
        registry.declare(node)
        guard case .mutable(let rules) = node.definition.kind else { return }
        let source = core.mutable(of: Datum.self)
        node.source = source
        registry.adopt(source, as: node)
        node.born = stamp.time
        if let initial = rules.initial { source.set(initial) }
        // After the initial value, which the ring takes up by itself.
        builder.observe(node, on: source)
        node.beginHistory(holding: rules.initial)
        node.beginExpiry()
        if rules.initial != nil { node.startExpiry(at: stamp.time) }
        facets.keepFresh(node, for: rules.fresh, isSet: rules.initial != nil)
    }

    /// Removes a node that the definition no longer has: the registry releases it.
    func remove(_ node: NamedNode) {
        node.living?.observe(nil)
        if !members.joining.isEmpty { members.joining[ObjectIdentifier(node)] = nil }
        node.endExpiry()
        facets.end(node)
        node.source = nil
        registry.remove(node)
    }

    package enum End {
        /// Its last commit.
        case removed
        /// Its history was lost; a graph with the same name continues in a new epoch.
        case epochLost
    }

    /// Ends the graph: ends its subscriptions, or closes their connections if the clients' cursors
    /// are no longer valid, and releases its nodes.
    func end(_ reason: End) {
        close()
        releases.reason = .removed
        for node in nodes { node.isRemoved = true }
        let members = members.end()
        host.follower?.ended(self, reason)
        ties.disconnect()
        for node in nodes { remove(node) }
        for member in members {
            remove(member)
            // Something may hold its node for longer than the graph lives.
            host.memory.members.released(member)
        }
        host.forget(self)
    }

    /// Ends the subscriptions whose values come from these nodes, directly or through a client's
    /// pipeline.
    ///
    /// - Returns: notifies their clients; to be called when the change is complete.
    func endSubscriptions(to gone: [NamedNode]) -> () -> Void {
        let names = Set(gone.map(\.name))
        let ended = numbers(madeFrom: gone, names)
        guard clients.hasListeners, let follower = host.follower else { return {} }
        return releases.because(.removed) { follower.release(nodes: ended, names, of: self) }
    }

    /// The numbers of their nodes and of the chains on these, none of which is held by the result.
    private func numbers(madeFrom gone: [NamedNode], _ names: Set<String>) -> Set<UInt64> {
        let living: [AnyNode] = gone.compactMap(\.living)
        return (living + chains.sources(losing: living, named: names)).walk { node in
            node.downstreamNodes.filter { chains.record(of: $0.id) != nil }
        }
    }
}
