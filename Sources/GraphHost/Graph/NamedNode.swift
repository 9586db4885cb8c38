internal import CEL
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
    // There may be very many of these: what few of them need is in `rare`, and what stands first fills a gap.

    /// False once the graph, or the node, was removed.
    @exclusivity(unchecked) public internal(set) var exists = true
    /// Whether clients may set it.
    @exclusivity(unchecked) public private(set) var isMutable = false
    /// Whether it may be set only with a condition on it.
    @exclusivity(unchecked) private(set) var requiresCondition = false
    /// Whether there is something that values must pass.
    @exclusivity(unchecked) private var isChecked = false
    /// Whether its graph's ``FacetTable`` knows something of it.
    @exclusivity(unchecked) var hasFacets = false
    /// How often programs have set it since the server began, up to ``sensorFrom``, and whether a person has.
    @exclusivity(unchecked) private var fed: UInt8 = 0
    @exclusivity(unchecked) private var isSetByHand = false
    /// What the definition says about it.
    @exclusivity(unchecked) public internal(set) var definition: NodeDefinition
    /// The graph it belongs to, which lives longer.
    public unowned(unsafe) let graph: LiveGraph
    /// The family that it is a member of; nil for a declared node.
    ///
    /// A member goes with its living node, or at the end of the turn in which it was asked for, if it got none.
    @exclusivity(unchecked) private(set) var family: NodeFamily?
    /// What is set, of a mutable one: its living node, or where it was derived before, what the living node follows.
    @exclusivity(unchecked) unowned(unsafe) var source: MutableNode<Datum>?
    /// Milliseconds since 1970 of the birth of the living node.
    @exclusivity(unchecked) var born: UInt64 = 0
    /// The rev of the definition.
    let definedAt: UInt64
    /// When the last emission (not for class `none`), or the definition, happened.
    @exclusivity(unchecked) var changed: LogStamp
    /// What is appended to the log but not applied yet, newest first in effect: the conditions see it.
    @exclusivity(unchecked) var pending: PendingChange?
    /// Of a member of a family, the principal for which it counts.
    @exclusivity(unchecked) var account: MemberAccount?
    /// What ends a value that is not set again.
    @exclusivity(unchecked) var expiry = Expiry.never
    @exclusivity(unchecked) private var rare: Rare?

    /// What few nodes have.
    private final class Rare {
        @exclusivity(unchecked) var inputs: [NamedNode]?
        /// Whether one of the inputs is a member of a family: it may have gone, and another one of its name may have come.
        @exclusivity(unchecked) var hasMemberInputs = false
        @exclusivity(unchecked) var ring: HistoryRing?
        @exclusivity(unchecked) var writer: Writer?
    }

    private func needRare() -> Rare {
        if let rare { return rare }
        let made = Rare()
        rare = made
        return made
    }

    /// Its newest emissions, where the definition asks for them, and while the node lives.
    var ring: HistoryRing? {
        get { rare?.ring }
        set { if newValue != nil || rare != nil { needRare().ring = newValue } }
    }

    /// Who made the last change of a mutable node, and what the client remarked, where that is known.
    var writer: Writer? {
        get { rare?.writer }
        set { if newValue != nil || rare != nil { needRare().writer = newValue } }
    }

    init(_ definition: NodeDefinition, graph: LiveGraph, at stamp: LogStamp) {
        self.definition = definition
        self.graph = graph
        family = nil
        definedAt = stamp.rev
        changed = stamp
        super.init(definition.name)
        takeRules()
    }

    /// A member of a family, whose definition it has.
    init(_ definition: NodeDefinition, named name: String, of family: NodeFamily) {
        self.definition = definition
        graph = family.graph
        self.family = family
        definedAt = family.emptied.rev
        changed = family.emptied
        super.init(name)
        takeRules()
    }

    /// Reads from the definition what is asked at every set.
    private func takeRules() {
        if family == nil { noteMembers() }
        override = memberRetention ?? definition.retain
        isMutable = definition.isMutable
        isChecked = definition.check != nil
        requiresCondition = definition.requiresCondition
    }

    /// The graph is being redefined: ``RegistryEntry/hold()`` holds the living node as the new definition wants it.
    ///
    /// From here on it is a member of `family`, or a declared node.
    func take(_ definition: NodeDefinition, of family: NodeFamily? = nil) {
        self.definition = definition
        if self.family !== family { endExpiry() }
        if node != nil, self.family !== family {
            graph.livingMembers += (family == nil ? 0 : 1) - (self.family == nil ? 0 : 1)
            self.family?.living -= 1
            family?.living += 1
            if family == nil { graph.host.memberAccounts.died(self) }
        }
        self.family = family
        goesWithNode = family != nil
        takeRules()
        forgetInputs()
    }

    /// How a member is held: as its family is, from when it holds a value, or all that it is made from does.
    var memberRetention: Retention? {
        guard let family else { return nil }
        let isThere = family.isMutable ? source?.isEmpty == false : graph.members.contains(name)
        return isThere ? family.retention : .whileInUse
    }

    /// Why it cannot be dropped (F-4), whatever it holds; nil for a member of a family that can be set.
    public var dropRefusal: HostError? {
        guard family == nil || !isMutable else { return nil }
        let message =
            family == nil
            ? "\(name) is declared and belongs to no family; change the definition to remove it"
            : "\(name) is derived; drop the members that it is made from"
        return HostError(.notMutable, message, node: name)
    }

    /// Who sets it: as the definition says, or as it has been used since the server began.
    var role: NodeDefinition.Mutable.Role {
        if case .mutable(let rules) = definition.kind, let role = rules.role { return role }
        return fed == Self.sensorFrom && !isSetByHand ? .sensor : .setting
    }

    /// A node that programs have set so often, and no person, counts as a sensor.
    private static var sensorFrom: UInt8 { 5 }

    /// It is being set.
    @inline(__always)
    func noteSet(byHand: Bool) {
        if byHand { isSetByHand = true } else if fed < Self.sensorFrom { fed += 1 }
    }

    /// How urgently it calls for attention at the moment; nil: it does not.
    var raised: Alarm.Severity? {
        guard let alarm = definition.alarm, let living, alarm.isRaised(by: living.value) else { return nil }
        return alarm.severity
    }

    /// What is wrong with a value that is to be set; nil when it passes.
    @inline(__always)
    func complaint(about value: Datum, within budget: inout CheckBudget) -> String? {
        isChecked ? definition.complaint(about: value, within: &budget) : nil
    }

    /// The nodes that the definition names, each once, in its order.
    var inputNames: [String] { resolved(definition.inputs) }

    private func resolved(_ references: [String]) -> [String] {
        guard let family else { return references }
        return references.map { family.resolve($0, for: name) }
    }

    /// The nodes this one is derived from, in the order of the definition; of a flatten, only the one with the key.
    var inputs: [NamedNode] {
        if let rare, let inputs = rare.inputs, !rare.hasMemberInputs || inputs.allSatisfy(\.isListed) {
            return inputs
        }
        let inputs = resolved(definition.eagerInputs).compactMap { graph.node($0) }
        guard !inputs.isEmpty else { return [] }
        let rare = needRare()
        rare.hasMemberInputs = inputs.contains { $0.family != nil }
        rare.inputs = inputs
        return inputs
    }

    /// What expressions see as `key`, of a member of a family: the texts of its placeholders.
    var placeholderTexts: Value? {
        guard let family else { return nil }
        return .map(ValueMap(family.key(of: name).map { ($0.placeholder, .string($0.text)) }))
    }

    /// Whether it is a member of a family that is set, and holds no value yet.
    @inline(__always)
    var isUnborn: Bool { family != nil && isMutable && source?.isEmpty != false }

    /// The names that the definition knows may mean other nodes now.
    func forgetInputs() { rare?.inputs = nil }

    /// The living node, if there is one at the moment; asking never makes one.
    var living: Node<Datum>? { node.map { unsafeDowncast($0, to: Node<Datum>.self) } }

    /// A node it is derived from.
    public override func input(_ number: Int) -> RegistryEntry? {
        let inputs = inputs
        return number < inputs.count ? inputs[number] : nil
    }

    /// Makes the node of a derived one, or an empty one of a member that is set.
    public override func make() -> AnyNode { graph.make(self) }

    /// The living node is being freed.
    public override func nodeDied(_ node: AnyNode) {
        graph.chains.died(self, unsafeDowncast(node, to: Node<Datum>.self))
        ring = nil
        source = nil
        if family != nil { graph.memberDied(self) }
    }

    /// The stamp of the last change: see the invariants.
    var lastChange: LogStamp {
        guard isComputed else { return changed }
        // Depth first without recursion; nodes of class none can form long chains.
        var newest = changed
        var open = changing
        var seen: Set<ObjectIdentifier> = []
        while let node = open.popLast() {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if node.changed.rev > newest.rev { newest = node.changed }
            if node.isComputed { open.append(contentsOf: node.changing) }
        }
        return newest
    }

    /// Whether its last change is that of what it is made from.
    ///
    /// A living node that joins others notes each of its changes: they may be many.
    private var isComputed: Bool {
        source == nil && definition.stateClass == .none && (members == nil || living == nil)
    }

    /// The nodes of which the newest change is its own.
    private var changing: [NamedNode] { members?.nodes ?? inputs }
}

/// Who made a change.
final class Writer {
    let by: String?
    let context: Datum?
    /// The server of the session that set it, where the value stands for that (``Presence``).
    let claimer: String?

    init(by: String?, context: Datum?, claimer: String? = nil) {
        (self.by, self.context, self.claimer) = (by, context, claimer)
    }
}

/// The net effect of the pending commits on one mutable node.
final class PendingChange {
    enum Value {
        /// What it will hold; nil: empty.
        case known(Datum?)
        /// Something that comes over a tie, if it comes.
        case unknown
    }

    @exclusivity(unchecked) var value = Value.unknown
    /// The rev that the newest of them will get.
    @exclusivity(unchecked) var rev: UInt64 = 0
    /// How many commits they are.
    @exclusivity(unchecked) var count = 0
    /// Where they will bring a member of a family to life: the principal for which it counts.
    @exclusivity(unchecked) var account: MemberAccount?
}
