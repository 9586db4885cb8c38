internal import Commits
package import Definitions
package import ReactiveGraph
internal import Support

/// A family: the nodes of one definition with placeholders (F-1).
package final class NodeFamily: RegistryFamily {
    /// The definition that all members share.
    package private(set) var definition: NodeDefinition
    unowned let graph: LiveGraph
    /// Families made from members of this one.
    private(set) var dependents: [Dependent] = []
    /// Whether one of these joins its members by groups.
    private(set) var isJoined = false
    package internal(set) var living = 0
    /// How many members globs match, alive or not.
    package internal(set) var shown = 0
    /// When a member last lost its value.
    ///
    /// Members without an entry have no change of their own (see ``NamedNode/changed``).
    var emptied: LogStamp
    /// The leases of members that have a value, in the order in which they expire.
    let leases: MemberLeases
    /// If it joins the members of another family: its groups.
    var groups: FamilyGroups
    private var references: [String: NamePattern] = [:]
    private var sources: [String: Unowned<NodeFamily>] = [:]

    /// A family made from another one: each of its members is made from the member that `reference`
    /// names.
    struct Dependent {
        unowned let family: NodeFamily
        let reference: NamePattern

        /// The member made from the member `name`; nil if there is none.
        func member(madeFrom name: String) -> String? {
            guard let values = reference.values(of: name) else { return nil }
            return family.pattern.name(of: reference.arrange(values, for: family.pattern))
        }
    }

    init(_ definition: NodeDefinition, _ pattern: NamePattern, in graph: LiveGraph, at stamp: LogStamp) {
        self.definition = definition
        self.graph = graph
        emptied = stamp
        leases = MemberLeases(of: graph)
        groups = FamilyGroups(of: definition)
        super.init(pattern)
    }

    /// Whether it joins the members of another family by groups.
    var joinsGroups: Bool { definition.joined != nil }

    /// Whether clients may set the members.
    var isMutable: Bool { definition.isMutable }

    /// How long a member is held: a mutable one while it has a value, a derived one as defined.
    var retention: Retention { isMutable ? .always : definition.statedRetain ?? .whileInUse }

    /// Whether members that have values but that nothing needs are dropped when memory is short.
    var yieldsToPressure: Bool { isMutable && definition.statedRetain == .untilPressure }

    /// How long after its last set a member keeps its value, in milliseconds; nil: for ever.
    var expire: UInt64? {
        if case .mutable(let rules) = definition.kind { rules.expire?.count } else { nil }
    }

    /// Makes the registry hold a member if it has a value, or if all that it is made from have one.
    func hold(_ member: NamedNode, withValue holdsValue: Bool) {
        member.override = holdsValue ? retention : .whileInUse
        member.hold()
    }

    package override func makeEntry(_ name: String) -> RegistryEntry {
        NamedNode(definition, named: name, of: self)
    }

    /// The graph is being redefined.
    func take(_ definition: NodeDefinition) {
        self.definition = definition
        leases.take(expire)
        references = [:]
    }

    /// Forgets which families are made from this one.
    func disconnect() {
        dependents = []
        isJoined = false
        sources = [:]
    }

    /// Registers that members of `family` are made from members of this one, which its definition
    /// calls `reference`.
    func connect(_ family: NodeFamily, by reference: NamePattern) {
        dependents.append(Dependent(family: family, reference: reference))
        if family.joinsGroups { isJoined = true }
        family.sources[reference.text] = Unowned(self)
    }

    /// The family that the definition calls `reference`.
    func source(of reference: String) -> NodeFamily? { sources[reference]?.object }

    /// A name with placeholders that the definition uses.
    func reference(_ text: String) -> NamePattern? {
        if let known = references[text] { return known }
        guard let pattern = try? NamePattern(text) else { return nil }
        references[text] = pattern
        return pattern
    }

    /// The node that the member `name` uses where its definition says `reference`; where that has
    /// further placeholders, the glob that matches the nodes.
    func resolve(_ reference: String, for name: String) -> String {
        guard NamePattern.isPattern(reference), let other = self.reference(reference),
            let values = pattern.values(of: name)
        else { return reference }
        return other.name(of: pattern.arrange(values, for: other))
    }

    /// The texts of the placeholders in the name of a member.
    func key(of name: String) -> [(placeholder: String, text: String)] {
        Array(zip(pattern.placeholders, pattern.values(of: name) ?? []))
            .map { (placeholder: $0, text: $1) }
    }
}

extension NamePattern {
    /// Values of this pattern's placeholders, in the order in which the other pattern has them.
    fileprivate func arrange(_ values: [String], for other: NamePattern) -> [String] {
        placeholders == other.placeholders
            ? values
            : other.placeholders.map { name in placeholders.firstIndex(of: name).map { values[$0] } ?? "*" }
    }
}
