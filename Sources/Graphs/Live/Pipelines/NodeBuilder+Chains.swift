internal import Commits
internal import Definitions
package import ReactiveGraph
internal import Support
package import Values

extension NodeBuilder {
    /// How many times longer than a plain node it takes to build a stage with its meter and record.
    private static let workPerStage: UInt64 = 8

    /// The last node of a client's pipeline, and its record; the record is nil for a node without
    /// stages.
    ///
    /// Existing chains are reused; what waits in them runs first, as far as `account` has units
    /// left (``Chains/Record/whenCaughtUp(_:)``). Missing stages are built, with their first
    /// values. From the first private stage on, all stages belong to the caller alone. Only
    /// listeners keep the result alive.
    package func chain(
        _ subject: Subject,
        of user: (any ChainUser)? = nil,
        for account: PipelineAccount?
    ) -> (node: Node<Datum>, record: Chains.Record?) {
        // What a computed name means is known once its node lives: what expressions see as `time`
        // depends on that.
        let begun =
            subject.source?.argument.computedName == nil || subject.pipe.isEmpty
            ? nil : chain(Subject(origin: subject.origin, pipe: []), for: account)
        defer { withExtendedLifetime(begun) {} }
        let living = LivingPart(of: subject, in: graph)
        let pipelines = graph.host.pipelines
        let spent = pipelines.total
        // Computing values counts as work of the request.
        defer { graph.host.work += UInt64((pipelines.total - spent) / NodeBuilder.unitsPerNode) }
        if let record = living.record {
            record.catchUp(paying: account)
            if let next = record.next { divide(before: next) }
        }
        if let node = living.node, living.length == subject.pipe.count { return (node, living.record) }
        // Expressions see the time of the newest commit among their inputs, whenever they are
        // built.
        let time = subject.lastChange(in: graph)?.time
        return graph.present.during {
            $0.time = time ?? $0.time
            $0.building = $0.building ?? Building()
        } _: {
            extend(living, to: subject, of: user, for: account)
        }
    }

    /// Builds the stages of a chain that do not live yet.
    private func extend(
        _ living: LivingPart,
        to subject: Subject,
        of user: (any ChainUser)?,
        for account: PipelineAccount?
    ) -> (node: Node<Datum>, record: Chains.Record?) {
        let graph = graph
        var (record, isShared) = (living.record, living.mayBeShared)
        var segment: Segment?
        var node: Node<Datum>
        if let living = living.node {
            node = living
        } else {
            switch subject.origin {
            case .node(let named): node = materialise(named)
            case .source(let source, let access):
                let made = build(source, of: access, isShared: isShared, for: account)
                (node, record) = made
                // What only passes values on does so in the commit.
                if made.record.segment.head != nil { segment = made.record.segment }
            }
        }
        for (position, stage) in subject.pipe.enumerated().dropFirst(living.length) {
            if stage.isPrivate { isShared = false }
            let isFirst = segment == nil
            let its = segment ?? Segment(for: account)
            let meter = StageMeter(graph, sized: stage.key, of: its)
            let site = GraphSite(
                in: graph,
                at: "pipe/\(position)",
                by: graph.host.timers,
                for: meter,
                onLast: { [weak user] in user?.complete() }
            )
            let key = ChainKey(stage, after: node.id)
            node = stage.make(site).derive(node)
            if isFirst { its.park(before: node, in: graph) }
            segment = its
            graph.host.work += Self.workPerStage
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
                meter: meter,
                of: its
            )
            chains.add(made)
            record = made
        }
        return (node, record)
    }

    private func build(
        _ source: Source,
        of access: Access,
        isShared: Bool,
        for account: PipelineAccount?
    ) -> (node: Node<Datum>, record: Chains.Record) {
        let graph = graph
        let segment = Segment(for: account)
        let meter = StageMeter(graph, sized: source.key, of: segment)
        let members = source.argument.glob.map {
            AllMembers($0, in: graph, for: access, counting: meter)
        }
        let computed = source.argument.computedName.map { _ in ComputedName(in: graph, for: access) }
        let site = GraphSite(in: graph, at: "pipe", for: meter, members: members, computed: computed)
        let node = self.source(source, at: site)
        if !source.argument.passesOn { segment.park(before: node, in: graph) }
        graph.host.work += Self.workPerStage
        let record = Chains.Record(
            ChainKey(source, for: access),
            ChainHash(source.key),
            stage: source.name,
            label: source.key,
            patterns: source.patterns,
            hasMemory: source.stateClass != .none,
            node: node,
            in: graph,
            sources: source.nodes,
            members: members,
            computed: computed,
            isShared: isShared,
            meter: meter,
            of: segment
        )
        chains.add(record)
        chains.note(node, as: source.argument.branching)
        return (node, record)
    }

    /// Another chain begins like this one and differs from this stage on: the stage and all later
    /// ones become a segment of their own.
    private func divide(before first: Chains.Record) {
        let former = first.segment
        let segment = Segment(for: former.payer)
        if former.hearsEmpty { segment.noteEmpty() }
        segment.park(before: first.node, in: graph)
        first.previous?.next = nil
        var next: Chains.Record? = first
        while let stage = next {
            stage.segment = segment
            stage.meter.move(to: segment)
            next = stage.next
        }
        for use in former.uses { use.object.divided(former, from: first) }
    }
}
