internal import ReactiveGraph

/// A node of a graph's definition: its name, and the living node behind it while there is one.
///
/// Invariants:
/// - a mutable node lives as long as its graph;
/// - a derived node that is retained `always` lives as long as its graph, one retained `untilPressure` from its first
///   look-up until memory is short and nobody outside the registry holds it, any other only while somebody does
///   (`present` holds nothing, and is cleared when the node dies);
/// - `changed` of a mutable, history or timed node is the stamp of its last emission; that of a derived node
///   of class `none` is not stored but computed from its ancestors (wire-protocol.md §3, `ETag`).
public final class NamedNode {
    /// The name, as in the definition.
    public let name: String
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
    /// The living node of a mutable one.
    @exclusivity(unchecked) var source: MutableNode<Datum>?
    /// What the registry itself holds: the derived nodes retained `always`, and those retained `untilPressure` that
    /// were looked up since memory was short.
    var kept: Node<Datum>?
    private var present: Unmanaged<Node<Datum>>?

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
        name = definition.name
        self.definition = definition
        self.graph = graph
        definedAt = stamp.rev
        changed = stamp
        takeRules()
    }

    /// Reads from the definition what is asked at every set.
    private func takeRules() {
        if case .mutable(let rules) = definition.kind {
            check = rules.check.passesEverything ? nil : rules.check
            requiresCondition = rules.requiresIfMatch
        } else {
            check = nil
            requiresCondition = false
        }
    }

    /// The graph is being redefined.
    func take(_ definition: NodeDefinition) {
        self.definition = definition
        takeRules()
    }

    /// Whether clients may set it.
    public var isMutable: Bool { source != nil }

    /// The living node, if there is one at the moment; asking never makes one.
    ///
    /// Of a node that was derived and became mutable it is not the one that is set, but the one behind it.
    var living: Node<Datum>? { kept ?? source ?? present?.takeUnretainedValue() }

    /// Remembers the node that has just been built.
    func adopt(_ node: Node<Datum>) {
        switch definition.retain {
        case .whileInUse:
            present = .passUnretained(node)
            graph.chains.add(node, for: self)
        case .untilPressure:
            graph.makeRoom()
            keep(node)
            graph.keptUntilPressure += 1
        case .always:
            keep(node)
        }
    }

    private func keep(_ node: Node<Datum>) {
        kept = node
        graph.chains.add(standing: node, for: self)
    }

    /// The name was looked up: a node that was let go of for want of memory, and survived, is held again (G-130).
    func wasLookedUp() {
        guard definition.retain == .untilPressure, let node = present?.takeUnretainedValue() else { return }
        graph.chains.forget(node)
        present = nil
        keep(node)
        graph.keptUntilPressure += 1
    }

    /// Memory is short: gives up the registry's reference, which the caller lets go of (G-130).
    func giveUp() -> Node<Datum>? {
        guard definition.retain == .untilPressure, let node = kept.take() else { return nil }
        graph.chains.forget(node)
        present = .passUnretained(node)
        graph.chains.add(node, for: self)
        graph.keptUntilPressure -= 1
        return node
    }

    /// Holds its living node as the definition wants it now; `former` says how it was held.
    func hold(_ node: Node<Datum>, after former: NodeDefinition.Retain) {
        if former == .untilPressure, kept != nil { graph.keptUntilPressure -= 1 }
        graph.chains.forget(node)
        kept = nil
        present = nil
        if isMutable { keep(node) } else { adopt(node) }
    }

    /// The living node is being freed.
    func nodeDied() {
        present = nil
        ring = nil
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
