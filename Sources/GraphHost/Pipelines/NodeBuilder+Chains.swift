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
            let made = Chains.Record(
                key: key,
                stage: source.name,
                label: key.text,
                isShared: isShared,
                node: node,
                in: graph,
                behind: nil,
                sources: source.nodes,
                members: members,
                patterns: source.patterns,
                hasMemory: source.operator.stateClass != .none,
                gate: gate
            )
            chains.add(made)
            record = made
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
            let made = Chains.Record(
                key: key,
                stage: stage.name,
                label: stage.label,
                isShared: isShared,
                node: node,
                in: graph,
                behind: record,
                patterns: stage.patterns,
                hasMemory: stage.stateClass != .none,
                gate: gate
            )
            chains.add(made)
            record = made
        }
        return (node, record)
    }
}
