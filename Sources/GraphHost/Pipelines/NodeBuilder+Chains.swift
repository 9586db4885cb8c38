internal import Commits
internal import ReactiveGraph
internal import Values

extension NodeBuilder {
    /// How many times longer than a plain node it takes to build a stage with its gate and record.
    private static let workPerStage: UInt64 = 8

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
        _ subject: Subject,
        of subscription: Subscription? = nil,
        for account: PipelineAccount?
    ) -> (node: Node<Datum>, record: Chains.Record?) {
        let living = LivingPart(of: subject, in: graph)
        if let node = living.node, living.length == subject.pipe.count { return (node, living.record) }
        // Expressions see the time of the newest commit among their inputs, whenever they are
        // built.
        let graph = graph
        let (host, chains) = (graph.host, graph.chains)
        let outerTime = graph.evaluationTime
        graph.evaluationTime = subject.lastChange(in: graph)?.time ?? outerTime
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
        var (record, isShared) = (living.record, living.mayBeShared)
        var node: Node<Datum>
        if let living = living.node {
            node = living
        } else {
            switch subject.origin {
            case .node(let named): node = materialise(named)
            case .source(let source):
                node = build(source, isShared: isShared, for: account)
                record = chains.record(of: node.id)
            }
        }
        for (position, stage) in subject.pipe.enumerated().dropFirst(living.length) {
            if stage.isPrivate { isShared = false }
            let gate = StageGate(graph, sized: stage.key, for: account)
            self.gate = gate
            var site = StageSite(graph: graph, timers: host.timers, place: "pipe/\(position)")
            site.onLast = { [weak subscription] in subscription?.isComplete = true }
            let key = ChainKey(stage, after: node.id)
            node = stage.make(site).derive(node)
            host.work += Self.workPerStage
            let made = Chains.Record(
                key,
                (record?.hash ?? ChainHash(subject.origin.key)).adding(stage),
                stage: stage.name,
                label: stage.label,
                patterns: stage.patterns,
                hasMemory: stage.stateClass != .none,
                node: node,
                in: graph,
                after: record,
                isShared: isShared,
                gate: gate
            )
            chains.add(made)
            record = made
        }
        return (node, record)
    }

    private func build(_ source: Source, isShared: Bool, for account: PipelineAccount?) -> Node<Datum> {
        let graph = graph
        let gate = StageGate(graph, sized: source.key, for: account)
        self.gate = gate
        let members = source.argument.glob.map { AllMembers($0, in: graph, for: source.access ?? .full) }
        let node = self.source(source, at: "pipe", nil, members)
        graph.host.work += Self.workPerStage
        graph.chains.add(
            Chains.Record(
                ChainKey(source),
                ChainHash(source.key),
                stage: source.name,
                label: source.key,
                patterns: source.patterns,
                hasMemory: source.operator.stateClass != .none,
                node: node,
                in: graph,
                sources: source.nodes,
                members: members,
                isShared: isShared,
                gate: gate
            )
        )
        graph.chains.note(node, as: source.argument.branching)
        return node
    }
}
