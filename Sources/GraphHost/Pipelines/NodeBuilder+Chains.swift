internal import CEL
internal import ReactiveGraph

extension NodeBuilder {
    /// The last node of a client's pipeline, and its record; the record is nil for a node without
    /// stages.
    ///
    /// Existing chains are reused, unless values still wait in them; missing stages are built. From
    /// the first private stage on, all stages belong to the caller alone. Only listeners keep the
    /// result alive.
    ///
    /// If `account` has no units left, costly first values wait at a stage:
    /// ``Chains/Record/whenOpen(_:)``.
    func chain(
        _ source: Source,
        _ pipe: [Stage],
        for account: PipelineAccount?,
        onLast: @escaping () -> Void = {}
    ) -> (node: Node<Datum>, record: Chains.Record?) {
        var key = ChainKey(source)
        var isShared = !source.operator.isPrivate
        // Expressions see the time of the newest commit among their inputs, whenever they are
        // built.
        let graph = graph
        let (host, chains) = (graph.host, graph.chains)
        let outerTime = graph.evaluationTime
        graph.evaluationTime =
            source.nodes.lazy.compactMap { graph.node($0)?.lastChange.time }.max() ?? outerTime
        running += 1
        let spent = host.lanes.total
        host.lanes.openUntil = spent + PipelineLanes.opening
        defer {
            host.lanes.openUntil = .max
            graph.evaluationTime = outerTime
            running -= 1
            gate = nil
            // Computing the present values counts as work of the request.
            host.work += UInt64(max(0, host.lanes.total - spent) / NodeBuilder.unitsPerNode)
        }
        var record: Chains.Record?
        var node: Node<Datum>
        func add(
            _ stage: String,
            _ label: String,
            _ built: Node<Datum>,
            _ gate: StageGate,
            of sources: [String] = [],
            _ members: AllMembers? = nil,
            hasMemory: Bool,
            _ patterns: [any RegexMatcher]
        ) {
            let made = Chains.Record(
                key: key,
                stage: stage,
                label: label,
                isShared: isShared,
                node: built,
                born: host.clock.wall,
                rev: graph.rev,
                behind: record,
                sources: sources,
                members: members,
                patterns: patterns,
                hasMemory: hasMemory,
                gate: gate
            )
            chains.add(made)
            record = made
        }
        if source.isNode {
            node = self.source(source, at: "pipe")
        } else if isShared, let known = chains.find(key), !known.isBehind {
            (node, record) = (known.node, known)
        } else {
            isShared = isShared && chains.find(key) == nil
            let gate = StageGate(graph, sized: key.text, for: account)
            self.gate = gate
            let members = source.glob.map { AllMembers($0, in: graph, for: source.access ?? .full) }
            node = self.source(source, at: "pipe", nil, members)
            host.work += 1
            let hasMemory = source.operator.stateClass != .none
            add(
                source.name,
                key.text,
                node,
                gate,
                of: source.nodes,
                members,
                hasMemory: hasMemory,
                source.patterns
            )
            chains.note(node, as: source.branching)
        }
        for (position, stage) in pipe.enumerated() {
            key.append(stage, behind: record)
            if stage.isPrivate { isShared = false }
            if isShared, let known = chains.find(key) {
                if !known.isBehind {
                    (node, record) = (known.node, known)
                    continue
                }
                // A new subscriber must see the present value first.
                isShared = false
            }
            let gate = StageGate(graph, sized: stage.key, for: account)
            self.gate = gate
            let site = StageSite(graph: graph, timers: host.timers, place: "pipe/\(position)", onLast: onLast)
            node = stage.make(site).derive(node)
            host.work += 1
            add(stage.name, stage.label, node, gate, hasMemory: stage.stateClass != .none, stage.patterns)
        }
        return (node, record)
    }
}
