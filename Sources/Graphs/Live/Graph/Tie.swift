internal import Definitions
internal import ReactiveGraph
package import Values

/// A further edge into an existing node: one direction of a `sync`, or one of `links`.
///
/// It delivers through the node's checks. A failure, or a value that may not be set, is not
/// delivered to a mutable node and is reported until the next delivery. A derived node shows a
/// failure as it shows any other.
package final class Tie {
    package enum Kind: String {
        case sync, links
    }

    /// The most deliveries over ties that one commit may cause (G-39), because syncs among many
    /// nodes have very many paths.
    static let mostInCommit = 10_000

    package let kind: Kind
    package let from: NamedNode
    package let to: NamedNode
    /// The stages on the way, for pictures and explanations.
    package let label: String
    /// Whether one of them waits.
    let waits: Bool
    /// Why the last value was not delivered.
    package internal(set) var refusal: Datum?
    /// Equal for ties that do the same: a tie that the new definition still has is kept.
    let key: String
    /// Its place in failure messages: its number when it was connected.
    let place: String
    private var edge: CancelToken?
    private weak var transform: TransformEdge<Datum, Datum>?
    private var evaluation: Evaluation?
    /// While it is suspended: the end of its path, and the emission count of that node.
    private var held: (end: Node<Datum>, count: UInt32)?

    init(
        _ kind: Kind,
        from: NamedNode,
        to: NamedNode,
        label: String,
        waits: Bool = false,
        key: String,
        at place: String
    ) {
        self.kind = kind
        self.key = key
        self.from = from
        self.to = to
        self.label = label
        self.waits = waits
        self.place = place
    }

    /// Connects the end of the path to the living node, and delivers the present value (G-21).
    func connect(
        _ end: Node<Datum>,
        to target: Node<Datum>,
        in graph: LiveGraph,
        through evaluation: Evaluation? = nil,
        replay: Bool = true
    ) {
        self.evaluation = evaluation
        let edge =
            if kind == .sync, evaluation == nil {
                TransformEdge<Datum, Datum>(syncing: kind.rawValue, in: graph.core) {
                    [unowned self, unowned graph] emission in
                    deliver(emission, in: graph) != nil
                }
            } else {
                TransformEdge<Datum, Datum>(name: kind.rawValue) {
                    [unowned self, unowned graph] emission, _ in
                    guard let evaluation, case .value(let datum) = emission else {
                        return deliver(emission, in: graph)
                    }
                    return deliver(.value(evaluation.datum(datum.tree)), in: graph)
                }
            }
        transform = edge
        self.edge = target.link(to: end, via: edge, replay: replay)
    }

    /// The node at the end of the path, while it is connected.
    var end: Node<Datum>? { transform?.from }

    /// Disconnects the edge while the graph is being changed; the path keeps its state.
    func suspend() {
        guard let end = transform?.from else { return }
        held = (end, end.emissionCount)
        edge?.cancel()
        edge = nil
    }

    /// Reconnects the edge and delivers only what was emitted meanwhile.
    func resume(to target: Node<Datum>, in graph: LiveGraph) {
        guard let (end, count) = held else { return }
        held = nil
        connect(end, to: target, in: graph, through: evaluation, replay: false)
        // This includes emptiness, which connecting does not deliver (G-22).
        if end.emissionCount != count { transform?.feed(emission: end.emission, path: Path([end])) }
    }

    /// Removes the edge; values stay.
    func disconnect() {
        edge?.cancel()
        edge = nil
    }

    private func deliver(_ emission: Emission<Datum>, in graph: LiveGraph) -> Emission<Datum>? {
        refusal = refusal(of: emission, in: graph)
        guard refusal == nil else { return nil }
        to.note(emission, in: graph)
        return emission
    }

    private func refusal(of emission: Emission<Datum>, in graph: LiveGraph) -> Datum? {
        graph.ties.deliveries += 1
        guard graph.ties.deliveries <= Self.mostInCommit else {
            return .fail("cycle_limit", at: place, "the cycle did not settle")
        }
        guard to.isMutable, case .value(let datum) = emission else { return nil }
        if datum.isFail { return datum }
        guard let complaint = to.complaint(about: datum, within: &graph.ties.checks) else { return nil }
        return .fail("type_mismatch", at: place, complaint)
    }
}

extension NamedNode {
    /// The node is about to take a value from a tie: records the change, with the writer of the
    /// commit.
    fileprivate func note(_ emission: Emission<Datum>, in graph: LiveGraph) {
        // A derived node records its own emissions.
        guard isMutable else { return }
        noteChange(graph.stamp, .link)
        if let source { graph.present.note(.link, of: source.id) }
        writer = graph.present.writer()
        if hasFacets { graph.facets.clear(of: self, at: graph.time, isSet: !emission.isEmpty) }
        if emission.isEmpty { stopExpiry() } else { startExpiry(at: graph.time) }
    }
}
