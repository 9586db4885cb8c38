internal import Definitions
internal import ReactiveGraph
internal import Values

/// The longest part of a client's pipeline that lives already and that clients may share.
struct LivingPart {
    /// The named node that it starts from.
    private var named: Node<Datum>?
    /// The record of its last node; nil for a named one.
    private(set) var record: Chains.Record?
    /// How many stages it has.
    private(set) var length = 0
    /// Whether clients may share what is built on it.
    private(set) var mayBeShared = true

    /// Its last node; nil if not even the first one lives.
    var node: Node<Datum>? { record?.node ?? named }

    init(of subject: Subject, in graph: LiveGraph) {
        switch subject.origin {
        case .node(let node):
            guard node.present.living != nil else { return }
            named = graph.builder.materialise(node)
        case .source(let source, let access):
            mayBeShared = !source.operator.isPrivate
            guard mayBeShared, grows(by: ChainKey(source, for: access), graph.chains) else { return }
        }
        for stage in subject.pipe {
            guard let last = record?.number ?? named?.id, !stage.isPrivate,
                grows(by: ChainKey(stage, after: last), graph.chains)
            else { return }
            length += 1
        }
    }

    /// Takes the node of that key, unless it is about to end.
    private mutating func grows(by key: ChainKey, _ chains: Chains) -> Bool {
        guard let known = chains.find(key) else { return false }
        mayBeShared = known.segment.head?.isClosed != true
        guard mayBeShared else { return false }
        record = known
        return true
    }
}
