internal import ReactiveGraph

/// The nodes that one definition with placeholders stands for (F-1).
final class NodeFamily: RegistryFamily {
    /// What the definition says about each of them.
    @exclusivity(unchecked) private(set) var definition: NodeDefinition
    unowned let graph: LiveGraph
    /// Those that name members of this family, and are made from them.
    @exclusivity(unchecked) private(set) var dependents: [Dependent] = []
    /// How many members have a living node.
    @exclusivity(unchecked) var living = 0
    /// How many members globs mean, alive or not.
    @exclusivity(unchecked) var shown = 0
    /// When a member lost its value last: nothing is known of those that are not there (see ``NamedNode/changed``).
    @exclusivity(unchecked) var emptied: LogStamp
    /// Members that hold a value, in the order in which they expire.
    let leases: MemberLeases
    private var references: [String: NamePattern] = [:]
    private var sources: [String: Unowned] = [:]

    private struct Unowned {
        unowned let family: NodeFamily
    }

    /// A family that is made from another one: each member from the member that `reference` names.
    struct Dependent {
        unowned let family: NodeFamily
        let reference: NamePattern

        /// The member that is made from `name`; nil where no member names it.
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
        super.init(pattern)
    }

    /// Whether clients may set the members.
    var isMutable: Bool { definition.isMutable }

    /// How long a member is held: one that is set while it holds a value, a derived one as stated.
    var retention: Retention { isMutable ? .always : definition.statedRetain ?? .whileInUse }

    /// Whether members that hold values, and that nothing needs, are dropped when memory is short.
    var yieldsToPressure: Bool { isMutable && definition.statedRetain == .untilPressure }

    /// How long a member keeps a value that is not set again, in milliseconds; nil: for ever.
    var expire: UInt64? {
        if case .mutable(let rules) = definition.kind { rules.expire?.count } else { nil }
    }

    /// The registry holds a member that is set as long as it has a value.
    func hold(_ member: NamedNode, withValue holdsValue: Bool) {
        member.override = holdsValue ? retention : .whileInUse
        member.hold()
    }

    override func makeEntry(_ name: String) -> RegistryEntry {
        NamedNode(definition, named: name, of: self)
    }

    /// The graph is being redefined.
    func take(_ definition: NodeDefinition) {
        self.definition = definition
        leases.take(expire)
        references = [:]
    }

    /// No other families are made from this one, as far as is known.
    func disconnect() {
        dependents = []
        sources = [:]
    }

    /// Members of `family` are made from members of this one, which its definition names as `reference`.
    func connect(_ family: NodeFamily, by reference: NamePattern) {
        dependents.append(Dependent(family: family, reference: reference))
        family.sources[reference.text] = Unowned(family: self)
    }

    /// The family that the definition names as `reference`.
    func source(of reference: String) -> NodeFamily? { sources[reference]?.family }

    /// A name with placeholders that stands in the definition.
    func reference(_ text: String) -> NamePattern? {
        if let known = references[text] { return known }
        guard let pattern = try? NamePattern(text) else { return nil }
        references[text] = pattern
        return pattern
    }

    /// The node that the member `name` means where its definition names `reference`.
    func resolve(_ reference: String, for name: String) -> String {
        guard NamePattern.isPattern(reference), let other = self.reference(reference),
            let values = pattern.values(of: name)
        else { return reference }
        return other.name(of: pattern.arrange(values, for: other))
    }

    /// The texts that the placeholders stand for in the name of a member, by placeholder.
    func key(of name: String) -> [(placeholder: String, text: String)] {
        Array(zip(pattern.placeholders, pattern.values(of: name) ?? []))
            .map { (placeholder: $0, text: $1) }
    }
}

extension NamePattern {
    /// Values of this pattern's placeholders, in the order in which another one has placeholders of the same names.
    fileprivate func arrange(_ values: [String], for other: NamePattern) -> [String] {
        placeholders == other.placeholders
            ? values : other.placeholders.map { name in values[placeholders.firstIndex(of: name) ?? 0] }
    }
}
