internal import Commits
internal import Definitions
package import ReactiveGraph
package import Values

/// Builds the living nodes of one graph: those of its names, with everything that they need, and
/// the stages of clients' pipelines.
package final class NodeBuilder {
    private unowned var owner: LiveGraph?
    /// The graph, which outlives its builder.
    var graph: LiveGraph { owner! }
    /// Counts the work of the definition's own stages; in a ``TrialBirth`` only.
    private(set) var meter: StageMeter?
    let caseTables = CaseTables()
    /// What it has built besides named nodes: the chains of clients' pipelines, and parts of nodes.
    package let chains = Chains()

    /// How many units of expressions count as much as building a node, in the work of one turn.
    static var unitsPerNode: Int { 50 }

    /// The graph has been made.
    func begin(in graph: LiveGraph) {
        owner = graph
        meter = graph.host.definitions.trialUnits.map { StageMeter(graph, atMost: $0) }
    }

    // MARK: - Named nodes

    /// The living node of a name.
    ///
    /// Built with everything it needs if it does not live at the moment.
    ///
    /// The caller must hold the result, otherwise it may be freed at once.
    package func materialise(_ target: NamedNode) -> Node<Datum> {
        let target = target.present
        if let living = target.living {
            target.hold()
            return living
        }
        return graph.present.during {
            $0.building = Building(followers: $0.building?.followers ?? [])
        } _: {
            graph.registry.node(of: target) as! Node<Datum>
        }
    }

    /// Builds the node of a definition whose inputs exist; the registry takes it over.
    func make(_ node: NamedNode) -> Node<Datum> {
        if let family = node.family { graph.members.nodeMade(for: node, of: family) }
        guard !node.isMutable else { return makeEmpty(node) }
        if node.family != nil {
            node.override = node.memberRetention
            if node.definition.joined != nil { node.noteMembers(isLiving: true) }
        }
        // From now on it records its own emissions.
        if node.members != nil {
            node.ownCause = node.cause
            node.changed = node.lastChange
        }
        let time = newestTime(of: node) { inputTime(of: $0) }
        graph.present.building?.inputTimes[ObjectIdentifier(node)] = time
        let living = graph.present.during({ $0.time = time }) { build(node) }
        let host = graph.host
        host.work += 1
        node.born = graph.stampTime
        node.beginHistory(holding: living.value)
        if node.definition.retain == .untilPressure, graph.registry.isFull {
            host.memory.count(graph.flushUnused())
        }
        return living
    }

    private func makeEmpty(_ member: NamedNode) -> Node<Datum> {
        let source = graph.core.mutable(of: Datum.self)
        member.source = source
        member.born = graph.stampTime
        graph.host.work += 1
        member.beginExpiry()
        if case .mutable(let rules) = member.definition.kind {
            graph.facets.keepFresh(member, for: rules.fresh, isSet: false)
        }
        observe(member, on: source)
        member.beginHistory(holding: nil)
        return source
    }

    /// The time of the newest commit among a node's inputs, or of its definition.
    ///
    /// A node that was defined just now is not asked about its inputs: a definition may add many
    /// nodes, each derived from all earlier ones.
    func newestTime(of node: NamedNode, _ inputTime: (NamedNode) -> UInt64) -> UInt64 {
        guard node.changed.time < graph.time else { return graph.time }
        return node.inputs.reduce(node.changed.time) { max($0, inputTime($1)) }
    }

    /// The time of the newest commit among the inputs of an input.
    ///
    /// Computed once per materialisation, because each takes linear time.
    private func inputTime(of input: NamedNode) -> UInt64 {
        let building = graph.present.building
        if let known = building?.inputTimes[ObjectIdentifier(input)] { return known }
        let time = input.lastChange.time
        building?.inputTimes[ObjectIdentifier(input)] = time
        return time
    }

    /// Builds the node of a definition whose inputs exist.
    private func build(_ node: NamedNode) -> Node<Datum> {
        let (before, last) = construct(node)
        let result: Node<Datum>
        if last == nil, graph.present.building?.followers.contains(node.name) == true {
            note(before, as: node.lastPart)
            result = before.fork()
        } else {
            result = last?.derive(before) ?? (node.definition.isFork ? before.fork() : before)
            note(result, as: node.lastPart)
        }
        observe(node, on: result)
        return result
    }

    /// Builds the part of a named node before its last step: its source and all stages except the
    /// last.
    ///
    /// - Returns: the node before the last stage, and that stage; without stages, the source alone.
    func construct(_ node: NamedNode) -> (before: Node<Datum>, last: StageOperator?) {
        guard case .derived(let derived) = node.definition.kind else {
            preconditionFailure("mutable nodes live as long as their graph")
        }
        let member = node.family == nil ? nil : node
        var result = source(
            derived.source,
            at: GraphSite(
                in: graph,
                at: node.name,
                for: meter,
                member: member,
                members: node.members,
                computed: derived.source.argument.computedName.map { _ in ComputedName(in: graph, for: nil) }
            )
        )
        guard let last = derived.pipe.last else { return (result, nil) }
        if !derived.source.isNode { note(result, as: InnerStage.Part(of: node, derived.source.name)) }
        func site(_ position: Int) -> GraphSite {
            GraphSite(in: graph, at: "\(node.name)/\(position)", for: meter, member: member)
        }
        for (position, stage) in derived.pipe.dropLast().enumerated() {
            result = stage.make(site(position)).derive(result).named(stage.label)
            note(result, as: InnerStage.Part(of: node, stage.name, label: stage.label))
        }
        return (result, last.make(site(derived.pipe.count - 1)))
    }

    /// The node of a source, in a definition or in a client's pipeline.
    func source(_ source: Source, at site: GraphSite) -> Node<Datum> {
        let inputs = source.argument.inputs.map { name in
            guard let node = site.living(name) else {
                preconditionFailure("a checked source names no unknown node")
            }
            return node
        }
        let made = source.make(site, inputs)
        guard !source.isNode else { return made }
        // Edges of members that come later have the library's name.
        if source.argument.glob == nil { made.nameIncoming(source.name) }
        return made.named(source.name)
    }

    /// Records which step of a definition a node implements.
    func note(_ node: Node<Datum>, as part: InnerStage.Part?) {
        chains.note(node, as: part, born: graph.stampTime)
    }

    /// Makes a node record its emissions: its stamp, if its value depends on earlier ones, and its
    /// history.
    ///
    /// Emissions while nodes are built are replays and are not recorded.
    func observe(_ node: NamedNode, on living: Node<Datum>) {
        let isStored = !node.isMutable && (node.definition.stateClass != .none || node.definition.glob != nil)
        guard isStored || node.definition.history.isKept else { return living.observe(nil) }
        living.observe { [unowned self, unowned node, unowned living] emission in
            let graph = graph
            guard graph.present.building == nil else { return }
            let stamp = graph.stamp
            let cause = graph.present.cause(at: living.id, in: graph)
            if isStored { (node.changed, node.ownCause) = (stamp, cause) }
            node.record(emission.value, at: stamp, cause)
        }
    }
}

extension NodeDefinition {
    /// Whether it is a bare `from`: a node of its own, with its own name and listeners.
    var isFork: Bool {
        if case .derived(let derived) = kind { derived.source.isNode && derived.pipe.isEmpty } else { false }
    }
}

extension NamedNode {
    /// The last step of the definition, which the node itself implements.
    var lastPart: InnerStage.Part? {
        guard case .derived(let derived) = definition.kind else { return nil }
        if let last = derived.pipe.last { return InnerStage.Part(of: self, last.name, label: last.label) }
        return derived.source.isNode ? nil : InnerStage.Part(of: self, derived.source.name)
    }
}
