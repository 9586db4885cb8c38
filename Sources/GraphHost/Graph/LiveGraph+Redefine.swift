internal import ReactiveGraph

// Applies a new definition to a running graph in one turn (docs/definitions.md, Changing a graph
// that runs).
//
// Every name keeps its living node, whatever its new definition: downstream edges, client pipelines
// and listeners stay connected. Only nodes whose definition has changed are rebuilt, in an order in
// which every node emits at most once, and only if its value has changed: see `Rebuilding`.
extension LiveGraph {
    /// Applies a change of the definition.
    func redefine(as new: GraphDefinition, _ stamp: LogStamp) {
        let old = definition
        let isAboutMembers = !old.families.isEmpty || !new.families.isEmpty
        if isAboutMembers { host.forgetLeftovers() }
        let declared = nodes
        let former = declared + bornMembers
        let gone = former.filter { definition(of: $0, in: new) == nil }
        for node in gone { node.exists = false }
        let ended = gone.isEmpty ? [] : endSubscriptions(to: gone)
        // A declared node that joins others is rebuilt if one of these is added or removed.
        let joining = chains.all.compactMap(\.members) + (isAboutMembers ? Array(allMembers.values) : [])
        for members in joining { members.leave(gone) }

        // Nodes that unchanged nodes need only through changed ones must not be destroyed and made
        // again.
        var held = former.compactMap { $0.exists ? $0.living : nil }
        var going = gone.compactMap(\.living)
        let (rebuilding, changed) = takeOver(new, former, stamp)
        let values = alterMutable(changed, stamp)
        if old.mode != new.mode {
            let propagation: Graph.Propagation = new.mode == .immediate ? .immediate : .settled
            core.setPropagation(propagation, reaching: roots)
        }
        var retying = releasing(because: .redefined) { Retying(self, from: old, rebuilding) }
        releasing(because: .redefined) { rebuilding.cut() }
        releasing(because: .removed) {
            for node in gone { remove(node) }
            going.removeAll()
        }
        rebuilding.run(setting: values)
        retying.finish()
        releasing(because: .redefined) { held.removeAll() }
        withExtendedLifetime(gone) {}

        let added = nodes.filter { old[$0.name] == nil }
        let hasOtherRules = old.settings["access"] != new.settings["access"]
        if hasOtherRules || !gone.isEmpty { narrowedAt = stamp.rev }
        host.sessions.update(groupsOf: self, hasOtherRules ? nil : added)
        // Observers need the right to see every node, which a new node may take away.
        if hasOtherRules || (chains.watch != nil && !added.isEmpty) { host.sessions.revise() }
        chains.watch?.redefined()
        if !gone.isEmpty || !removedInputs.isEmpty { noteRemoved(gone) }
        if isAboutMembers { showMembersAgain(stamp, declared.filter { $0.exists && $0.family != nil }) }
        facets.noteEdges()
        demand?.redefined()
        for members in joining { members.join(added) }
        audit()
        // Clients may send a request as soon as they receive the end.
        for subscription in ended { subscription.tell() }
    }

    /// Ends the subscriptions whose values come from these nodes, directly or through a client's
    /// pipeline.
    func endSubscriptions(to gone: [NamedNode]) -> [EndedSubscription] {
        var ended: Set<UInt64> = []
        var open: [AnyNode] = gone.compactMap(\.living)
        // A flatten may choose any of its nodes later.
        let names = Set(gone.map(\.name))
        for record in chains.all where record.sources.contains(where: names.contains) {
            open.append(record.node)
        }
        while let node = open.popLast() {
            guard ended.insert(node.id).inserted else { continue }
            open.append(contentsOf: node.downstreamNodes.filter { chains.record(of: $0.id) != nil })
        }
        return releasing(because: .removed) { host.sessions.end(subscriptionsTo: ended, of: self) }
    }

    /// The definition of a node in a new graph definition: that of a declared node, or of its
    /// family.
    private func definition(of node: NamedNode, in new: GraphDefinition) -> NodeDefinition? {
        // It is nearly always the same family as before.
        new[node.name] ?? node.family.flatMap { new[$0.pattern.text] } ?? new.family(of: node.name)
    }

    /// Takes over the new definition's names and inputs.
    ///
    /// - Returns: the nodes that must be rebuilt, and the nodes whose definition has changed.
    private func takeOver(
        _ new: GraphDefinition,
        _ former: [NamedNode],
        _ stamp: LogStamp
    ) -> (Rebuilding, changed: [(node: NamedNode, former: NodeDefinition)]) {
        var nodes: [NamedNode] = []
        var rebuilt: Set<ObjectIdentifier> = []
        var retained: [(node: NamedNode, former: NodeDefinition)] = []
        definition = new
        takeFamilies(stamp)
        /// Gives an existing node its new definition.
        func take(_ node: NamedNode, _ definition: NodeDefinition) {
            let former = node.definition
            let family = definition.pattern == nil ? nil : family(of: node.name)
            let isChanged =
                former.canonical != definition.canonical || former.linkClass != definition.linkClass
                || former.matches != definition.matches || node.family !== family
            node.take(definition, of: family)
            guard isChanged else { return }
            if case .derived = definition.kind, !definition.isBuilt(as: former) {
                node.changed = stamp
                // A node that does not live at the moment is built when it is needed.
                if node.living != nil { rebuilt.insert(ObjectIdentifier(node)) }
            }
            retained.append((node, former))
        }
        for definition in new.nodes {
            guard let node = existing(definition.name) else {
                let node = NamedNode(definition, graph: self, at: stamp)
                bear(node, stamp)
                nodes.append(node)
                if !node.isMutable, definition.retain == .always { rebuilt.insert(ObjectIdentifier(node)) }
                continue
            }
            nodes.append(node)
            take(node, definition)
        }
        for node in former where node.exists {
            guard let definition = definition(of: node, in: new), definition.pattern != nil else { continue }
            take(node, definition)
            if node.node == nil { registry.forget(unused: node) }
        }
        self.nodes = nodes
        noteDefinition()
        for node in former { node.forgetInputs() }
        for (node, former) in retained {
            if retain(node, as: former) { rebuilt.insert(ObjectIdentifier(node)) }
            if let living = node.living { observe(node, on: living) }
        }
        let all = inOrder(nodes + bornMembers)
        return (Rebuilding(all.filter { rebuilt.contains(ObjectIdentifier($0)) }, self), retained)
    }

    /// Retains a node as its new definition says, and adjusts its history.
    ///
    /// - Returns: whether it must be built, because it is always held from now on.
    private func retain(_ node: NamedNode, as former: NodeDefinition) -> Bool {
        if case .mutable = former.kind, case .derived = node.definition.kind, node.living != nil {
            node.endExpiry()
            facets.end(node)
            node.writer = nil
            node.source = nil
            node.hold()
        }
        // `alterMutable` handles nodes that become mutable.
        guard case .derived = node.definition.kind else {
            // The registry holds declared nodes always, members only with a value.
            if node.family == nil { node.hold() }
            let isOther = former.history != node.definition.history
            if isOther, case .mutable = former.kind { resizeHistory(of: node) }
            return false
        }
        guard node.living != nil else { return node.family == nil && node.definition.retain == .always }
        if case .derived = former.kind, former.retain != node.definition.retain { node.hold() }
        if former.history != node.definition.history { resizeHistory(of: node) }
        return false
    }

    private func resizeHistory(of node: NamedNode) {
        let capacity = node.definition.history
        let former = node.ring
        node.ring = nil
        guard capacity > 0 else { return }
        if let former {
            node.ring = former.resized(to: capacity)
        } else {
            beginHistory(of: node, holding: node.living?.value)
        }
    }

    // MARK: - Mutable nodes

    /// The values that the change sets: those of nodes whose value fails the new checks, and of
    /// nodes that were derived before.
    private func alterMutable(
        _ changed: [(node: NamedNode, former: NodeDefinition)],
        _ stamp: LogStamp
    ) -> [(NamedNode, Datum?)] {
        var values: [(NamedNode, Datum?)] = []
        for (node, former) in changed {
            guard case .mutable(let rules) = node.definition.kind else { continue }
            var holds = node.source?.isEmpty == false
            if case .derived = former.kind {
                node.changed = stamp
                if becomeMutable(node, rules.initial) { values.append((node, rules.initial)) }
                holds = rules.initial != nil
            } else if let value = node.source?.value, rules.check.complaint(about: value) != nil {
                node.changed = stamp
                node.writer = nil
                clearFacets(of: node, at: stamp.time, isSet: rules.initial != nil)
                values.append((node, rules.initial))
                holds = rules.initial != nil
            }
            if node.changed == stamp || node.family != nil
                || node.lifetime?.duration != rules.ttl?.duration
            {
                renew(node, isSet: holds)
            }
            if node.changed == stamp || facets.entry(of: node)?.lifetime != rules.fresh?.duration {
                keepFresh(node, for: rules.fresh, isSet: holds)
            }
            if let living = node.living { observe(node, on: living) }
        }
        startLeases(of: changed.map(\.node))
        return values
    }

    /// Makes the living node of a formerly derived node follow the new mutable node.
    ///
    /// - Returns: whether its value differs from the initial value, which must be set then.
    private func becomeMutable(_ node: NamedNode, _ initial: Datum?) -> Bool {
        let living = node.living
        let source = living as? MutableNode<Datum> ?? core.mutable(of: Datum.self)
        node.source = source
        guard let living else {
            node.born = host.clock.wall
            registry.adopt(source, as: node)
            if let initial { source.set(initial) }
            resizeHistory(of: node)
            return false
        }
        living.removeUpstreamNodes()
        node.hold()
        let isOther = living.value != initial
        if living !== source {
            chains.hide(source)
            if !isOther, let initial { source.set(initial) }
            living.link(to: source, replay: false)
        }
        resizeHistory(of: node)
        return isOther
    }

    /// Restarts the node's time to live from its last set, because the time or the value has
    /// changed.
    private func renew(_ node: NamedNode, isSet: Bool) {
        node.beginExpiry()
        guard let family = node.family else {
            if isSet { node.startExpiry(at: node.changed.time) }
            return
        }
        family.hold(node, withValue: isSet)
        if !isSet { node.stopExpiry() }
    }
}
