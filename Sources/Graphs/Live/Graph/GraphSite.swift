internal import CEL
internal import Definitions
internal import ReactiveGraph
internal import Values

/// Where a stage of a definition or of a client's pipeline is made.
final class GraphSite: StageSite {
    /// The graph, which outlives its stages.
    ///
    /// Unowned, because a stage's function that holds the site must not hold the graph.
    private unowned let graph: LiveGraph
    let timers: TimerQueue
    let place: String
    let meter: (any Meter)?
    /// The family member to which it belongs; nil for other nodes.
    private let member: NamedNode?
    /// Keeps the members of a source that a glob chooses.
    private let members: AllMembers?
    /// Finds the nodes of a source with a computed name.
    private let computed: ComputedName?
    private let onLast: () -> Void

    /// A site; without timers, those of the graph, which run in the time of its commits.
    ///
    /// `onLast` is called when the stage has emitted its last value.
    init(
        in graph: LiveGraph,
        at place: String,
        by timers: TimerQueue? = nil,
        for meter: StageMeter?,
        member: NamedNode? = nil,
        members: AllMembers? = nil,
        computed: ComputedName? = nil,
        onLast: @escaping () -> Void = {}
    ) {
        self.graph = graph
        self.timers = timers ?? graph.timers
        self.place = place
        self.meter = meter
        self.member = member
        self.members = members
        self.computed = computed
        self.onLast = onLast
    }

    var core: Graph { graph.core }
    var limits: SessionLimits { graph.host.limits }
    var clock: any EvaluationClock { graph }
    var key: Value? { member?.placeholderTexts }
    var caseTables: CaseTables { graph.builder.caseTables }
    var glob: String? { members?.glob }

    func living(_ reference: String) -> Node<Datum>? {
        let name = member?.family?.resolve(reference, for: member?.name ?? "") ?? reference
        return graph.node(name).map(graph.builder.materialise)
    }

    func member(_ pattern: NamePattern, of value: String) throws(HostError) -> Node<Datum>? {
        let own = member?.placeholders ?? []
        let texts = pattern.placeholders.map { placeholder in
            own.first { $0.placeholder == placeholder }?.text ?? value
        }
        let name = pattern.name(of: texts)
        // The value may be no text that a placeholder stands for.
        guard let computed, pattern.values(of: name) == texts else { return nil }
        return try computed.node(name)
    }

    func fill<Figure: Reduction>(_ node: GatheringNode<Figure>) where Figure.Value == Datum {
        members?.fill(node)
    }

    func note(_ node: Node<Datum>, as operator: String, label: String) {
        guard let named = members?.named else { return }
        graph.builder.note(node, as: InnerStage.Part(of: named, `operator`, label: label))
    }

    func hide(_ node: AnyNode) { graph.chains.hide(node) }

    func complete() { onLast() }
}

extension LiveGraph: EvaluationClock {
    /// The time that expressions see as `time`.
    var evaluationTime: UInt64 { present.time ?? time }
}
