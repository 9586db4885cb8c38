internal import CEL
package import Commits
package import Definitions
public import ReactiveGraph
internal import Support
public import Values

/// A name of a graph: an entry of the graph's registry, with what the server knows about the node.
///
/// The registry keeps at most one living node for it, as the definition's `retain` says (G-127,
/// G-129); a mutable one as long as the graph. The entry stays when the node dies and when the
/// definition changes.
///
/// `changed` of a mutable, history or timed node is the stamp of its last emission; for a derived
/// node of class `none` it is not stored but computed from its ancestors (the `ETag` of a value).
public final class NamedNode: RegistryEntry {
    public var name: String { key }
    // There may be very many entries: properties that few of them use are in `rare`, and the order
    // of the first ones avoids padding.

    /// False once the graph or the node was removed.
    public var exists: Bool { !isRemoved }
    var isRemoved = false
    public var isMutable: Bool { rules.isMutable }
    /// Whether an upstream sets it, so that clients may not.
    package var isFed: Bool { rules.isFed }
    /// Whether clients may set it.
    package var isSettable: Bool { rules.isMutable && !rules.isFed }
    var requiresCondition: Bool { rules.requiresCondition }
    private var rules = Rules()
    /// Whether its graph's ``FacetTable`` has an entry for it.
    var hasFacets = false
    /// For how many bytes ``payer`` is charged.
    var charged: UInt32 = 0
    /// What kind of cause made the last change of a mutable node.
    var origin = Cause.Origin.initial
    /// How often programs have set it since the server started, up to ``sensorFrom``, and whether a
    /// person has.
    private var fed: UInt8 = 0
    private var isSetByHand = false
    package internal(set) var definition: NodeDefinition
    /// The graph it belongs to, which outlives it.
    public unowned let graph: LiveGraph
    /// The family that it is a member of; nil for a declared node.
    ///
    /// A member's entry is removed with its living node, or at the end of the turn in which it was
    /// made if it got no node.
    package private(set) var family: NodeFamily?
    /// The node to set, if it is mutable: its living node, or the node that the living node follows
    /// if it was derived before.
    package internal(set) unowned var source: MutableNode<Datum>?
    /// When the living node was born, by the clock that stamps commits.
    package internal(set) var born: UInt64 = 0
    package let definedAt: UInt64
    /// When it last emitted (not for class `none`) or was defined.
    package var changed: LogStamp
    /// The effect of commits that were appended to the log but not applied yet.
    ///
    /// Conditions take it into account.
    package internal(set) var pending: PendingChange?
    /// For a member of a family, the principal that is charged for it.
    var account: MemberAccount?
    /// The one that is charged for its bytes; nil while it has none.
    var payer: MemberAccount?
    /// When a value that is not set again ends.
    var expiry = Expiry.never
    private var rare: Rare?

    /// Properties that few nodes use.
    private final class Rare {
        var inputs: [NamedNode]?
        /// Whether one of the inputs is a member of a family, whose entry may have been replaced.
        var hasMemberInputs = false
        var ring: HistoryRing?
        var writer: Writer?
        var ownCause: Cause?
    }

    private func needRare() -> Rare {
        if let rare { return rare }
        let made = Rare()
        rare = made
        return made
    }

    /// Its newest emissions, if the definition asks for them, while the node lives.
    var ring: HistoryRing? {
        get { rare?.ring }
        // In place: a copy of the ring would be made for every emission.
        _modify {
            if let rare {
                yield &rare.ring
            } else {
                var first: HistoryRing?
                yield &first
                if first != nil { needRare().ring = first }
            }
        }
    }

    /// The writer of a mutable node's last change and the client's context, if known.
    package var writer: Writer? {
        get { rare?.writer }
        set { if newValue != nil || rare != nil { needRare().writer = newValue } }
    }

    /// What caused the last change of a derived node that stores it; nil: it is computed.
    var ownCause: Cause? {
        get { rare?.ownCause }
        set { if newValue != nil || rare != nil { needRare().ownCause = newValue } }
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

    init(_ definition: NodeDefinition, named name: String, of family: NodeFamily) {
        self.definition = definition
        graph = family.graph
        self.family = family
        definedAt = family.emptied.rev
        changed = family.emptied
        super.init(name)
        takeRules()
    }

    /// The parts of a definition that every set needs.
    private struct Rules {
        var isMutable = false
        var isFed = false
        var requiresCondition = false
        /// Whether values must pass a check.
        var isChecked = false
    }

    private func takeRules() {
        noteMembers()
        override = memberRetention ?? definition.retain
        rules = Rules(
            isMutable: definition.isMutable,
            isFed: definition.feed != nil,
            requiresCondition: definition.requiresCondition,
            isChecked: definition.check != nil
        )
    }

    /// The graph is being redefined: ``RegistryEntry/hold()`` retains the living node as the new
    /// definition says.
    ///
    /// From now on the node is a member of `family`, or a declared node.
    func take(_ definition: NodeDefinition, of family: NodeFamily? = nil) {
        self.definition = definition
        if self.family !== family { endExpiry() }
        if node != nil, self.family !== family {
            graph.members.move(self, to: family)
        }
        self.family = family
        goesWithNode = family != nil
        takeRules()
        forgetInputs()
    }

    /// How a member is held: as its family says, once it has a value or all members that it is made
    /// from have one.
    var memberRetention: Retention? {
        guard let family else { return nil }
        let isThere = family.isMutable ? source?.isEmpty == false : graph.members.names.contains(name)
        return isThere ? family.retention : .whileInUse
    }

    /// Why it cannot be dropped (F-4), whatever its value; nil for a mutable member of a family.
    public var dropRefusal: HostError? {
        guard family == nil || !isMutable else { return nil }
        let message =
            family == nil
            ? "\(name) is declared and belongs to no family; change the definition to remove it"
            : "\(name) is derived; drop the members that it is made from"
        return HostError(.notMutable, message, node: name)
    }

    /// What sets it: as the definition says, or as observed since the server started.
    package var role: NodeDefinition.Mutable.Role {
        if case .mutable(let rules) = definition.kind, let role = rules.role { return role }
        return fed == Self.sensorFrom && !isSetByHand ? .sensor : .setting
    }

    /// A node that programs have set this often, and no person, counts as a sensor.
    private static var sensorFrom: UInt8 { 5 }

    /// Records that it is being set.
    @inline(__always)
    func noteSet(byHand: Bool) {
        if byHand { isSetByHand = true } else if fed < Self.sensorFrom { fed += 1 }
    }

    /// The severity of its alarm at the moment; nil: there is none.
    package var raised: Alarm.Severity? {
        guard let alarm = definition.alarm, let living, alarm.isRaised(by: living.value) else { return nil }
        return alarm.severity
    }

    /// The error message for a value to be set; nil if the value passes the checks.
    @inline(__always)
    func complaint(about value: Datum, within budget: inout CheckBudget) -> String? {
        rules.isChecked ? definition.complaint(about: value, within: &budget) : nil
    }

    /// The names of its inputs, each once, in the order of the definition.
    package var inputNames: [String] { resolved(definition.inputs) }

    private func resolved(_ references: [String]) -> [String] {
        guard let family else { return references }
        return references.map { family.resolve($0, for: name) }
    }

    /// Its inputs, in the order of the definition; of a flatten, only the node with the key.
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

    /// The texts of the placeholders in its name; none unless it is a member of a family.
    package var placeholders: [(placeholder: String, text: String)] { family?.key(of: name) ?? [] }

    /// For a member of a family: the texts of its placeholders, which expressions see as `key`.
    var placeholderTexts: Value? {
        guard let family else { return nil }
        return .map(ValueMap(family.key(of: name).map { ($0.placeholder, .string($0.text)) }))
    }

    @inline(__always)
    var isUnsetMember: Bool { family != nil && isMutable && source?.isEmpty != false }

    /// The names in the definition may refer to other nodes now.
    func forgetInputs() { rare?.inputs = nil }

    /// The living node, if there is one at the moment; this never makes one.
    package var living: Node<Datum>? { node.map { $0 as! Node<Datum> } }

    /// A node it is derived from.
    public override func input(_ number: Int) -> RegistryEntry? {
        let inputs = inputs
        return number < inputs.count ? inputs[number] : nil
    }

    /// Builds the living node: a derived one, or an empty one for a mutable member.
    public override func make() -> AnyNode { graph.builder.make(self) }

    /// The living node is being freed.
    public override func nodeDied(_ node: AnyNode) {
        source = nil
        graph.releases.died(self, node as! Node<Datum>)
        graph.chains.forgetStage(node.id)
        ring = nil
        if family != nil { graph.members.nodeDied(self) }
    }

    /// The stamp of the last change; see the type's description.
    package var lastChange: LogStamp { isComputed ? newestChanged.changed : changed }

    /// The node whose change is the last one: an input, direct or not, if it is computed.
    var newestChanged: NamedNode {
        guard isComputed else { return self }
        // Depth first without recursion, because nodes of class `none` can form long chains.
        var newest = self
        var open = changing
        var seen: Set<ObjectIdentifier> = []
        while let node = open.popLast() {
            guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
            if node.changed.rev > newest.changed.rev { newest = node }
            if node.isComputed { open.append(contentsOf: node.changing) }
        }
        return newest
    }

    /// Whether its last change is computed from its inputs.
    ///
    /// A living node that joins many others records each of its changes instead.
    private var isComputed: Bool {
        source == nil && definition.stateClass == .none && (members == nil || living == nil)
    }

    /// The nodes whose newest change is its own.
    private var changing: [NamedNode] { members?.nodes ?? inputs }
}

/// The author of a change.
package final class Writer {
    package let by: String?
    package let context: Datum?
    /// The server of the session that set it, if the value represents that session (``Presence``).
    let claimer: String?

    init(by: String?, context: Datum?, claimer: String? = nil) {
        (self.by, self.context, self.claimer) = (by, context, claimer)
    }
}
