internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Values

/// Gives a running graph another definition, in one turn (docs/definitions.md, Changing a graph
/// that runs).
///
/// Every name keeps its living node, whatever its new definition: downstream edges, client
/// pipelines and listeners stay connected. Only nodes whose definition has changed are rebuilt, in
/// an order in which every node emits at most once, and only if its value has changed: see
/// ``Rebuilding``.
struct Redefinition {
    private let graph: LiveGraph
    private let old: GraphDefinition
    private let new: GraphDefinition
    private let delta: DefinitionDelta
    private let stamp: LogStamp
    /// Parts of the new definition in whose place those of the old one stay.
    private let unused: [NodeDefinition]

    init(of graph: LiveGraph, as new: GraphDefinition, at stamp: LogStamp) {
        self.graph = graph
        old = graph.definition
        delta = new.delta(from: old)
        var new = new
        unused = new.takeOver(from: old, delta)
        self.new = new
        self.stamp = stamp
    }

    func apply() {
        let isAboutMembers = !old.families.isEmpty || !new.families.isEmpty
        if isAboutMembers { graph.members.forgetLeftovers() }
        let removed = delta.removed.filter { $0 < graph.nodes.count }.map { graph.nodes[$0] }
        let members = isAboutMembers && delta.reachesMembers ? graph.members.living : []
        let gone = (removed + members).filter { definition(of: $0) == nil }
        for node in gone { node.isRemoved = true }
        let notifyOfEnds = gone.isEmpty ? {} : graph.endSubscriptions(to: gone)
        // A declared node that joins others is rebuilt if one of these is added or removed.
        var joining = graph.chains.all.compactMap(\.members)
        if isAboutMembers { joining += graph.members.joining.values }
        let leaving = graph.members.joins(of: gone)
        for members in joining {
            members.leave(members.isGroup ? leaving[ObjectIdentifier(members)] ?? [] : gone)
        }

        // Nodes that unchanged nodes need only through changed ones must not be destroyed and made
        // again.
        var held = inputs(of: removed + members)
        var going = gone.compactMap(\.living)
        let (rebuilding, changed) = takeOver(removed, members)
        let values = alterMutable(changed)
        var names: NewNames?
        if isAboutMembers, delta.reachesMembers {
            names = graph.members.rename(without: values.filter { $1 == nil }.map(\.0))
        }
        if old.mode != new.mode {
            let propagation: Graph.Propagation = new.mode == .immediate ? .immediate : .settled
            graph.core.setPropagation(propagation, reaching: graph.roots)
        }
        var retying = graph.releases.because(.redefined) { Retying(graph, from: old, rebuilding) }
        graph.releases.because(.redefined) { rebuilding.cut() }
        graph.releases.because(.removed) {
            for node in gone { graph.remove(node) }
            going.removeAll()
        }
        rebuilding.run(setting: values)
        for (node, _) in values { graph.members.weigh(node, for: node.writer?.by) }
        retying.finish()
        graph.releases.because(.redefined) { held.removeAll() }
        withExtendedLifetime(gone) {}

        let added = delta.added.filter { $0 < graph.nodes.count }.map { graph.nodes[$0] }
        let hasOtherRules = delta.settings.contains("access")
        if hasOtherRules || !gone.isEmpty { graph.course.narrowedAt = stamp.rev }
        graph.host.follower?.redefined(graph, adding: added, hasOtherRules: hasOtherRules)
        graph.releases.watch?.redefined()
        graph.basis.removedInputs.note(gone, in: graph)
        if let names {
            graph.members.showAgain(names, removed.filter { $0.exists && $0.family != nil })
        }
        graph.facets.noteEdges()
        graph.demand?.redefined()
        let coming = graph.members.joins(of: added)
        for members in joining {
            members.join(members.isGroup ? coming[ObjectIdentifier(members)] ?? [] : added)
        }
        GradualRelease.free(unused, in: graph.host)
        graph.audit()
        // Clients may send a request as soon as they receive the end.
        notifyOfEnds()
    }

    /// The definition of a node in a new graph definition: that of a declared node, or of its
    /// family.
    private func definition(of node: NamedNode) -> NodeDefinition? { new.definition(of: node) }

    /// Takes over the new definition's names and inputs.
    ///
    /// - Returns: the nodes that must be rebuilt, and the nodes whose definition has changed.
    private func takeOver(
        _ removed: [NamedNode],
        _ members: [NamedNode]
    ) -> (Rebuilding, changed: [(node: NamedNode, former: NodeDefinition)]) {
        var rebuilt: [ObjectIdentifier: NamedNode] = [:]
        var retained: [(node: NamedNode, former: NodeDefinition)] = []
        graph.basis.definition = new
        graph.members.takeFamilies(stamp)
        func take(_ node: NamedNode, _ definition: NodeDefinition) {
            let former = node.definition
            let family = definition.pattern == nil ? nil : graph.members.family(of: node.name)
            let isChanged =
                former.canonical != definition.canonical || former.linkClass != definition.linkClass
                || former.matches != definition.matches || former.followable != definition.followable
                || node.family !== family
            node.take(definition, of: family)
            guard isChanged else { return }
            if case .derived = definition.kind, !definition.isBuilt(as: former) {
                node.noteChange(stamp, .initial)
                // A node that does not live at the moment is built when it is needed.
                if node.living != nil { rebuilt[ObjectIdentifier(node)] = node }
            }
            retained.append((node, former))
        }
        graph.basis.nodes = nodes { definition in
            if let member = graph.existing(definition.name) {
                take(member, definition)
                return member
            }
            let node = NamedNode(definition, graph: graph, at: stamp)
            graph.create(node, stamp)
            if !node.isMutable, definition.retain == .always { rebuilt[ObjectIdentifier(node)] = node }
            return node
        }
        for place in (delta.changed + delta.altered).sorted() where place < new.nodes.count {
            take(graph.nodes[place], new.nodes[place])
        }
        for node in removed + members where node.exists {
            guard let definition = definition(of: node), definition.pattern != nil else { continue }
            take(node, definition)
            node.forgetUnused()
        }
        // Members without a node go, as do those that only an ended subscription needed.
        retained.removeAll { !$0.node.isListed }
        graph.basis.renew()
        if delta.changesNames || delta.reachesMembers {
            for node in graph.nodes + removed + members { node.forgetInputs() }
        }
        for (node, former) in retained {
            if retain(node, as: former) { rebuilt[ObjectIdentifier(node)] = node }
            if let living = node.living { graph.builder.observe(node, on: living) }
        }
        return (Rebuilding(graph.inOrder(rebuilt.values), graph), retained)
    }

    /// The declared nodes in the new order; `make` finds or makes the new ones.
    private func nodes(_ make: (NodeDefinition) -> NamedNode) -> [NamedNode] {
        let declared = graph.nodes
        if !delta.changesNames, !delta.isReordered { return declared }
        return new.nodes.indices.map { place in
            delta.former[place] >= 0 ? declared[Int(delta.former[place])] : make(new.nodes[place])
        }
    }

    /// The living nodes of the remaining names that changed nodes and edges are made from, directly
    /// or not.
    private func inputs(of others: [NamedNode]) -> [AnyNode] {
        let changed = (delta.changed + delta.altered).filter { $0 < new.nodes.count }
        var open = changed.compactMap { graph.nodes[Int(delta.former[$0])].living as AnyNode? }
        open += others.compactMap(\.living)
        for tie in graph.ties.all { open += [tie.from, tie.to].compactMap(\.living) }
        var found: [AnyNode] = []
        open.walk { node in
            if graph.name(of: node)?.exists == true { found.append(node) }
            return node.neededNodes
        }
        return found
    }

    /// Retains a node as its new definition says, and adjusts its history.
    ///
    /// - Returns: whether it must be built, because it is always held from now on.
    private func retain(_ node: NamedNode, as former: NodeDefinition) -> Bool {
        if case .mutable = former.kind, case .derived = node.definition.kind, node.living != nil {
            node.endExpiry()
            graph.facets.end(node)
            node.writer = nil
            node.source = nil
            node.hold()
        }
        // `alterMutable` handles nodes that become mutable.
        guard case .derived = node.definition.kind else {
            // The registry holds declared nodes always, members only with a value.
            if node.family == nil { node.hold() }
            let isOther = former.history != node.definition.history
            if isOther, case .mutable = former.kind { node.changeHistory() }
            return false
        }
        guard node.living != nil else { return node.family == nil && node.definition.retain == .always }
        if case .derived = former.kind, former.retain != node.definition.retain { node.hold() }
        if former.history != node.definition.history { node.changeHistory() }
        return false
    }

    // MARK: - Mutable nodes

    /// The values that the change sets: those of nodes whose value fails the new checks, and of
    /// nodes that were derived before.
    private func alterMutable(
        _ changed: [(node: NamedNode, former: NodeDefinition)]
    ) -> [(NamedNode, Datum?)] {
        var values: [(NamedNode, Datum?)] = []
        for (node, former) in changed {
            guard case .mutable(let rules) = node.definition.kind else { continue }
            var holds = node.source?.isEmpty == false
            if case .derived = former.kind {
                node.noteChange(stamp, .initial)
                if becomeMutable(node, rules.initial) { values.append((node, rules.initial)) }
                holds = rules.initial != nil
            } else if let value = node.source?.value, rules.check.complaint(about: value) != nil {
                node.noteChange(stamp, .initial)
                node.writer = nil
                graph.facets.clear(of: node, at: stamp.time, isSet: rules.initial != nil)
                values.append((node, rules.initial))
                holds = rules.initial != nil
            }
            if node.changed == stamp || node.family != nil
                || node.lifetime?.duration != rules.ttl?.duration
            {
                renew(node, isSet: holds)
            }
            if node.changed == stamp || graph.facets.entry(of: node)?.lifetime != rules.fresh?.duration {
                graph.facets.keepFresh(node, for: rules.fresh, isSet: holds)
            }
            if let living = node.living { graph.builder.observe(node, on: living) }
        }
        graph.members.startLeases(of: changed.map(\.node))
        return values
    }

    /// Makes the living node of a formerly derived node follow the new mutable node.
    ///
    /// - Returns: whether its value differs from the initial value, which must be set then.
    private func becomeMutable(_ node: NamedNode, _ initial: Datum?) -> Bool {
        let living = node.living
        let source = living as? MutableNode<Datum> ?? graph.core.mutable(of: Datum.self)
        node.source = source
        guard let living else {
            node.born = graph.stampTime
            graph.registry.adopt(source, as: node)
            if let initial { source.set(initial) }
            node.changeHistory()
            return false
        }
        living.removeUpstreamNodes()
        node.hold()
        let isOther = living.value != initial
        if living !== source {
            graph.chains.hide(source)
            if !isOther, let initial { source.set(initial) }
            living.link(to: source, replay: false)
        }
        node.changeHistory()
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

extension GraphDefinition {
    /// The definition that a node of a graph with another definition would get; nil: none.
    func definition(of node: NamedNode) -> NodeDefinition? {
        // It is nearly always the same family as before.
        self[node.name] ?? node.family.flatMap { self[$0.pattern.text] } ?? family(of: node.name)
    }
}
