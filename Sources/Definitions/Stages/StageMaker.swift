internal import CEL
internal import ReactiveGraph
internal import Values

/// Makes the stages of operators at a site.
///
/// A struct and not an extension of the protocol: the compiler specialises a generic function, and
/// with it the operator that runs later, only where all its types are concrete. An unspecialised
/// stage takes 2,000 instructions more for each value.
struct StageMaker {
    private let site: any StageSite

    init(at site: any StageSite) {
        self.site = site
    }

    var core: Graph { site.core }
    var timers: TimerQueue { site.timers }
    var place: String { site.place }
    var limits: SessionLimits { site.limits }
    var meter: (any Meter)? { site.meter }
    var clock: any EvaluationClock { site.clock }
    var key: Value? { site.key }
    var caseTables: CaseTables { site.caseTables }
    var glob: String? { site.glob }

    func living(_ reference: String) -> Node<Datum>? { site.living(reference) }
    func member(_ pattern: NamePattern, of value: String) throws(HostError) -> Node<Datum>? {
        try site.member(pattern, of: value)
    }
    func fill<Figure: Reduction>(_ node: GatheringNode<Figure>) where Figure.Value == Datum {
        site.fill(node)
    }
    func note(_ node: Node<Datum>, as operator: String, label: String) {
        site.note(node, as: `operator`, label: label)
    }
    func hide(_ node: AnyNode) { site.hide(node) }
    func complete() { site.complete() }
}
