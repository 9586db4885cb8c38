internal import ReactiveGraph

// Saves a graph as bytes and restores it (G-164). After restoring, the following commits give the
// same revs, values and emissions as they did in the saved graph.
//
// Saved are the definition, rev and time; the value and the last change of each named node and of
// each family member that the graph itself needs; the state of all stages, links and syncs;
// histories; and which nodes are held until memory is short. Subscriptions, sessions, clients'
// pipelines, and nodes that only those need are not saved, because they belong to connections.
extension LiveGraph {
    /// The first byte of a saved graph; it changes with the format.
    fileprivate static let savedVersion: UInt8 = 5

    /// The state on which the future of the graph depends, without pending commits.
    ///
    /// - Throws: if an operator holds something that cannot be saved, which is a fault of the
    ///   server.
    func save() throws -> [UInt8] {
        var writer = StateWriter(encode: Datum.save)
        writer.write(text: name)
        writer.write(text: definition.text)
        writer.write(Int(origin.rawValue))
        writer.write(LogStamp(rev: rev, time: time))
        // Private stages of clients may emit before the next commit, and their messages name the
        // last writer.
        Writer(by: frames.info.by, context: frames.info.context).write(to: &writer)
        let kept = Set(reachable(from: heldNodes).map(\.id))
        func isKept(_ node: NamedNode) -> Bool { node.living.map { kept.contains($0.id) } ?? false }
        for node in nodes { SavedNode(node, isKept: isKept(node)).write(to: &writer) }
        for family in families { writer.write(family.emptied) }
        let members = bornMembers.filter(isKept)
        writer.write(members.count)
        for member in members {
            writer.write(text: member.name)
            SavedNode(member, isKept: true).write(to: &writer)
        }
        writer.write(ties.count)
        for tie in ties {
            writer.write(text: tie.key)
            writer.write(text: tie.place)
            writer.write(tie.refusal) { $0.write(value: $1) }
        }
        core.saveState(of: parts(of: nodes.filter(isKept) + members), to: &writer)
        if let error = writer.error { throw error }
        return [Self.savedVersion] + writer.bytes
    }

    /// The nodes that are held without any client.
    private var heldNodes: [AnyNode] {
        (nodes + bornMembers).compactMap { $0.isHeld ? $0.living : nil }
    }

    /// The library's nodes for these names and for the pipes of links, upstream first.
    ///
    /// A graph that is rebuilt has the same nodes in the same order.
    private func parts(of named: [NamedNode]) -> [AnyNode] {
        var parts: [AnyNode] = []
        var seen: Set<UInt64> = []
        let ends = Set(ties.compactMap(\.end?.id))
        func add(_ end: AnyNode?) {
            var chain: [AnyNode] = []
            var next = end
            while let node = next, seen.insert(node.id).inserted {
                chain.append(node)
                next = node.upstreamNodes.first { name(of: $0) == nil && !ends.contains($0.id) }
            }
            parts += chain.reversed()
        }
        for node in inOrder(named) {
            // A mutable node may have a living node that follows it.
            add(node.source)
            add(node.living)
        }
        for tie in ties { add(tie.end) }
        return parts
    }

    /// The nodes in an order in which each comes after those it is made from.
    func inOrder(_ nodes: [NamedNode]) -> [NamedNode] {
        nodes.enumerated()
            .sorted { ($0.element.definition.rank, $0.offset) < ($1.element.definition.rank, $1.offset) }
            .map(\.element)
    }
}

extension Host {
    /// Restores a graph as it was when ``LiveGraph/save()`` was called, at its rev and time.
    ///
    /// It emits nothing and makes no commit. Later commits are applied with
    /// ``apply(stored:at:to:preparing:)``. To give the graph another definition, make a commit
    /// (``redefine(_:as:from:ifHash:by:)``).
    ///
    /// - Throws: ``StoreError`` if the bytes are not a saved graph of this version, or this server
    ///   refuses the definition. The host is unchanged then.
    func restore(_ saved: [UInt8], epoch: String) throws(StoreError) -> LiveGraph {
        guard let version = saved.first, version == LiveGraph.savedVersion else {
            let found = saved.first.map { "has format \($0)" } ?? "is empty"
            throw StoreError("a snapshot \(found); this server reads format \(LiveGraph.savedVersion)")
        }
        var reader = StateReader(saved.dropFirst(), decode: Datum.restore)
        do {
            return try restore(&reader, epoch)
        } catch let error as StoreError {
            throw error
        } catch let error as JSONError {
            throw StoreError("a snapshot is damaged: \(error.message)")
        } catch {
            throw StoreError("a snapshot is damaged: \(error)")
        }
    }

    private func restore(_ reader: inout StateReader, _ epoch: String) throws -> LiveGraph {
        let definition = try storedDefinition(of: try reader.text(), try reader.text())
        guard let origin = DefinitionOrigin(rawValue: UInt8(try reader.integer(in: 0...255))) else {
            throw StateError.malformed
        }
        do throws(HostError) {
            try checkRoom(for: definition)
        } catch {
            throw StoreError("graph \(definition.name): \(error.message)")
        }
        let stamp = try reader.stamp()
        let position = LogPosition(epoch: epoch, rev: stamp.rev, time: stamp.time)
        let graph = LiveGraph(definition, origin, host: self, position: position)
        try graph.restore(from: &reader)
        add(graph)
        graph.isLive = true
        graph.audit()
        return graph
    }

    /// A stored definition, which was checked when it was stored.
    func storedDefinition(of name: String, _ text: String) throws(StoreError) -> GraphDefinition {
        let problem: DefinitionProblem?
        var options = definitions
        options.refusesMismatches = false
        do throws(DefinitionProblem) {
            let document = try Document.parse(json: text)
            let (definition, problems) = GraphDefinition.read(
                document,
                file: nil,
                named: name,
                options: options
            )
            if let definition { return definition }
            problem = problems.first
        } catch {
            problem = error
        }
        throw StoreError(
            "the stored definition of graph \(name) cannot be used: \(problem?.message ?? "")",
            hint: "limits that were lowered since may refuse it"
        )
    }
}

extension LiveGraph {
    /// Builds the nodes on empty sources, and restores their saved state.
    fileprivate func restore(from reader: inout StateReader) throws {
        let writer = try Writer(from: &reader)
        var saved: [SavedNode] = []
        for definition in definition.nodes {
            saved.append(
                try SavedNode(from: &reader, definition, byteLimit: host.limits.historyBytes)
            )
        }
        takeFamilies(LogStamp(rev: rev, time: time))
        for family in families { family.emptied = try reader.stamp() }
        var members: [NamedNode] = []
        for _ in 0..<(try reader.count()) {
            guard let member = makeMember(try reader.text()) else { throw StateError.malformed }
            members.append(member)
            saved.append(
                try SavedNode(from: &reader, member.definition, byteLimit: host.limits.historyBytes)
            )
        }
        var refusals: [Datum?] = []
        for _ in 0..<(try reader.count()) {
            tiePlaces[try reader.text()] = try reader.text()
            refusals.append(try reader.optional { try $0.value() })
        }
        for (definition, state) in zip(definition.nodes, saved) { declare(definition, state) }
        for (member, state) in zip(members, saved.dropFirst(nodes.count)) { take(member, state) }
        let named = nodes + members
        let held = zip(named, saved).filter { $1.isHeld }.map(\.0)
        showMembers(holding: held)
        connectSyncs()
        let living = materialise(zip(named, saved).map { ($0, $1.form) })
        connectLinks()
        // Building looked up every entry. Nodes that the registry had released must be held only by
        // the nodes that need them.
        registry.flushUnused()
        for node in held { node.hold() }
        tiePlaces = [:]
        guard ties.count == refusals.count else { throw StateError.malformed }
        if !ties.isEmpty { tieReach = TieReach(self) }
        for (tie, refusal) in zip(ties, refusals) { tie.refusal = refusal }
        let kept = zip(named, saved).compactMap { $1.form == .none ? nil : $0 }
        try core.restoreState(of: parts(of: kept), from: &reader)
        guard reader.isAtEnd else { throw StateError.malformed }
        for (node, state) in zip(named, saved) { node.restore(state) }
        startLeases(of: members)
        frames.begin(LogStamp(rev: rev, time: time), context: writer.context, by: writer.by)
        narrowedAt = rev
        withExtendedLifetime(living) {}
    }

    private func declare(_ definition: NodeDefinition, _ saved: SavedNode) {
        let node = NamedNode(definition, graph: self, at: LogStamp(rev: saved.definedAt, time: time))
        nodes.append(node)
        registry.declare(node)
        guard case .mutable = definition.kind else { return }
        node.beginExpiry()
        takeSource(of: node, saved)
    }

    /// Restores a member of a family with its node.
    private func take(_ member: NamedNode, _ saved: SavedNode) {
        guard member.isMutable, let family = member.family else { return }
        livingMembers += 1
        family.living += 1
        host.memberAccounts.bring(for: saved.writer?.by) { host.memberAccounts.born(member) }
        if saved.isHeld { member.override = family.retention }
        member.beginExpiry()
        takeSource(of: member, saved)
    }

    private func takeSource(of node: NamedNode, _ saved: SavedNode) {
        let source = core.mutable(of: Datum.self)
        node.source = source
        node.born = host.clock.wall
        if case .mutable(let rules) = node.definition.kind { keepFresh(node, for: rules.fresh, isSet: false) }
        guard saved.form == .follower else {
            registry.adopt(source, as: node)
            return observe(node, on: source)
        }
        chains.hide(source)
        let living = source.fork()
        registry.adopt(living, as: node)
        observe(node, on: living)
    }

    /// Builds the derived nodes that were kept, and returns them with the mutable ones.
    private func materialise(_ saved: [(node: NamedNode, form: SavedNode.Form)]) -> [Node<Datum>] {
        followers = Set(saved.compactMap { $0.form == .follower ? $0.node.name : nil })
        defer { followers = [] }
        return inOrder(saved.filter { $0.form != .none }.map(\.node)).map { materialise($0) }
    }
}
