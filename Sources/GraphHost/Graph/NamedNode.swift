public import ReactiveGraph

/// A node of a graph's definition: an entry of the graph's registry, and what a server knows of it besides.
///
/// The registry keeps the living node, one at most, as the definition's `retain` says (G-127, G-129); a mutable one as long as its
/// graph. The entry stays when the node dies, and when the definition changes.
///
/// `changed` of a mutable, history or timed node is the stamp of its last emission; that of a derived node of class `none` is not stored
/// but computed from its ancestors (the `ETag` of a value).
public final class NamedNode: RegistryEntry {
    /// The name, as in the definition.
    public var name: String { key }
    /// What the definition says about it.
    public internal(set) var definition: NodeDefinition
    /// The graph it belongs to, which lives longer.
    public unowned(unsafe) let graph: LiveGraph
    /// False once the graph, or the node, was removed.
    @exclusivity(unchecked) public internal(set) var exists = true

    /// The nodes this one is derived from, in the order of the definition; of a flatten, only the one with the key.
    var inputs: [NamedNode] = []
    /// What every value must pass; nil: everything does.
    @exclusivity(unchecked) private(set) var check: Check?
    /// Whether it may be set only with a condition on it.
    @exclusivity(unchecked) private(set) var requiresCondition = false
    /// What is set, of a mutable one: its living node, or where it was derived before, what the living node follows.
    @exclusivity(unchecked) unowned(unsafe) var source: MutableNode<Datum>?

    /// Milliseconds since 1970 of the birth of the living node.
    @exclusivity(unchecked) var born: UInt64 = 0
    /// The rev of the definition.
    let definedAt: UInt64
    /// Its newest emissions, where the definition asks for them, and while the node lives.
    @exclusivity(unchecked) var ring: HistoryRing?
    /// When the last emission (not for class `none`), or the definition, happened.
    @exclusivity(unchecked) var changed: LogStamp
    /// Who made the last change of a mutable node, and what the client remarked, where that is known.
    @exclusivity(unchecked) var writer: Writer?
    /// What is appended to the log but not applied yet, newest first in effect: the conditions see it.
    @exclusivity(unchecked) var pending: PendingChange?
    /// The alarm that empties a mutable node with a `ttl`.
    @exclusivity(unchecked) var expiry: Expiry?

    init(_ definition: NodeDefinition, graph: LiveGraph, at stamp: LogStamp) {
        self.definition = definition
        self.graph = graph
        definedAt = stamp.rev
        changed = stamp
        super.init(definition.name)
        takeRules()
    }

    /// Reads from the definition what is asked at every set.
    private func takeRules() {
        override = definition.retain
        if case .mutable(let rules) = definition.kind {
            check = rules.check.passesEverything ? nil : rules.check
            requiresCondition = rules.requiresIfMatch
        } else {
            check = nil
            requiresCondition = false
        }
    }

    /// The graph is being redefined: ``RegistryEntry/hold()`` holds the living node as the new definition wants it.
    func take(_ definition: NodeDefinition) {
        self.definition = definition
        takeRules()
    }

    /// Whether clients may set it.
    public var isMutable: Bool { source != nil }

    /// The living node, if there is one at the moment; asking never makes one.
    var living: Node<Datum>? { node.map { unsafeDowncast($0, to: Node<Datum>.self) } }

    /// A node it is derived from.
    public override func input(_ number: Int) -> RegistryEntry? {
        number < inputs.count ? inputs[number] : nil
    }

    /// Makes the node of a derived one.
    public override func make() -> AnyNode { graph.make(self) }

    /// The living node is being freed.
    public override func nodeDied(_ node: AnyNode) {
        graph.chains.died(self, unsafeDowncast(node, to: Node<Datum>.self))
        ring = nil
        source = nil
    }

    /// The stamp of the last change: see the invariants.
    var lastChange: LogStamp {
        guard source == nil, definition.stateClass == .none else { return changed }
        // Depth first without recursion; nodes of class none can form long chains.
        var newest = changed
        var open = inputs
        var seen: Set<ObjectIdentifier> = []
        while let node = open.popLast() {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if node.changed.rev > newest.rev { newest = node.changed }
            if node.source == nil, node.definition.stateClass == .none {
                open.append(contentsOf: node.inputs)
            }
        }
        return newest
    }
}

/// Who made a change.
struct Writer {
    let by: String?
    let context: Datum?
    /// The server of the session that set it, where the value stands for that (``Presence``).
    var claimer: String?
}

/// The net effect of the pending commits on one mutable node.
struct PendingChange {
    enum Value {
        /// What it will hold; nil: empty.
        case known(Datum?)
        /// Something that comes over a tie, if it comes.
        case unknown
    }

    var value: Value
    /// The rev that the newest of them will get.
    var rev: UInt64
    /// How many commits they are.
    var count: Int
}
