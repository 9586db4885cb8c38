internal import ReactiveGraph

/// The longest part of a client's pipeline that lives already and that clients may share.
struct LivingPart {
    /// Its last node; nil if not even the first one lives.
    private(set) var node: Node<Datum>?
    /// The record of that node; nil for a named one.
    private(set) var record: Chains.Record?
    /// How many stages it has.
    private(set) var length = 0
    /// Whether clients may share what is built on it.
    private(set) var mayBeShared = true

    init(of subject: Subject, in graph: LiveGraph) {
        switch subject.origin {
        case .node(let named):
            guard named.present.living != nil else { return }
            node = graph.builder.materialise(named)
        case .source(let source):
            mayBeShared = !source.operator.isPrivate
            guard mayBeShared, grows(by: ChainKey(source), graph.chains) else { return }
        }
        for stage in subject.pipe {
            guard let node, !stage.isPrivate, grows(by: ChainKey(stage, after: node.id), graph.chains)
            else { return }
            length += 1
        }
    }

    /// Takes the node of that key, unless a value still waits for it: a new subscriber must see the
    /// present value first.
    private mutating func grows(by key: ChainKey, _ chains: Chains) -> Bool {
        guard let known = chains.find(key) else { return false }
        mayBeShared = !known.gate.isBehind
        guard mayBeShared else { return false }
        (node, record) = (known.node, known)
        return true
    }
}
