public import ReactiveGraph

/// A named node of a graph, as its definition says it.
///
/// A class, because a change of a large graph looks at thousands of them: each copy of so large a struct would retain
/// all its parts.
public final class NodeDefinition {
    /// Where a node's values come from.
    public enum Kind {
        /// From outside: the state of the graph.
        case mutable(Mutable)
        /// From other nodes.
        case derived(Derived)
    }

    /// What may be set, and what it starts with; a class, because it is asked at each birth of a member.
    public final class Mutable {
        /// What every value must pass.
        public let check: Check
        /// What it holds when the graph is new.
        public let initial: Datum?
        /// It is empty again when not set for so long.
        public let ttl: Stage.Span?
        /// Its value is stale when not set or confirmed for so long.
        public let fresh: Stage.Span?
        /// Whether a set must say which value it replaces.
        public let requiresIfMatch: Bool
        /// Of a family: a member is dropped when it was not set for so long, and nothing needs it.
        public let expire: Stage.Span?
        /// Who sets it, where the definition says so.
        public let role: Role?

        /// Who sets a node.
        public enum Role: String, CaseIterable, Sendable {
            /// A device or a program.
            case sensor
            /// People.
            case setting
        }

        init(
            check: Check,
            initial: Datum?,
            ttl: Stage.Span?,
            fresh: Stage.Span?,
            requiresIfMatch: Bool,
            expire: Stage.Span?,
            role: Role?
        ) {
            self.check = check
            self.initial = initial
            self.ttl = ttl
            self.fresh = fresh
            self.requiresIfMatch = requiresIfMatch
            self.expire = expire
            self.role = role
        }
    }

    /// A source and what its values go through.
    public struct Derived {
        public let source: Source
        public let pipe: [Stage]
    }

    /// The node's name, unique in its graph; of a family, with placeholders.
    public let name: String
    /// The names that it stands for, where it is a family.
    public let pattern: NamePattern?
    /// Where it stands among all nodes and families of its graph if each comes after those it is made from.
    var rank = 0
    public let kind: Kind
    /// Whether it is set from outside.
    let isMutable: Bool
    /// What every value must pass; nil: everything does, or none is set.
    let check: Check?
    /// For people.
    public let title: String?
    public let unit: String?
    public let description: String?
    /// When it calls for attention; nil: never.
    public let alarm: Alarm?
    /// What the definition says about `retain`; see `retain` for what holds.
    public let statedRetain: Retention?
    /// How many values the history ring keeps; 0 for none.
    public let history: Int
    /// Where the definition stands in its file.
    public let position: Position
    /// Names of the declared nodes that a glob means from which it is made; those of families come and go.
    var matches: [String] = []
    /// Where links lead to the node, at least `history`: then it depends on which of its inputs came last.
    var linkClass: OperatorRow.StateClass?
    /// All that the definition says, as JSON with sorted keys: equal where nothing has changed.
    let canonical: String

    init(
        name: String,
        kind: Kind,
        title: String?,
        unit: String?,
        description: String?,
        alarm: Alarm?,
        statedRetain: Retention?,
        history: Int,
        position: Position,
        canonical: String
    ) {
        self.name = name
        pattern = NamePattern.isPattern(name) ? try? NamePattern(name) : nil
        self.kind = kind
        if case .mutable(let rules) = kind {
            isMutable = true
            check = rules.check.passesEverything ? nil : rules.check
        } else {
            isMutable = false
            check = nil
        }
        self.title = title
        self.unit = unit
        self.description = description
        self.alarm = alarm
        self.statedRetain = statedRetain
        self.history = history
        self.position = position
        self.canonical = canonical
    }

    /// Whether it may be set only with a condition on it.
    var requiresCondition: Bool {
        guard isMutable, case .mutable(let rules) = kind else { return false }
        return rules.requiresIfMatch
    }

    /// What is wrong with a value that is to be set; nil when it passes.
    func complaint(about value: Datum, within budget: inout CheckBudget) -> String? {
        check?.complaint(about: value, within: &budget)
    }

    /// How long the node is held: as stated, or by its state class; one with a history is kept so that it has one, and one
    /// with an alarm so that it can be raised while nobody looks.
    ///
    /// Mutable nodes are always held, and mutable members of families while they hold a value; derived members as stated only.
    public var retain: Retention {
        if pattern != nil, let statedRetain { return statedRetain }
        guard case .derived = kind else { return .always }
        if let statedRetain { return statedRetain }
        let isKept = stateClass != .none || history > 0 || alarm != nil
        return pattern == nil && isKept ? .always : .whileInUse
    }

    /// What its value depends on: the strongest class of its source and stages.
    public var stateClass: OperatorRow.StateClass {
        max(ownStateClass, linkClass ?? .none)
    }

    /// The class without what links bring.
    var ownStateClass: OperatorRow.StateClass {
        switch kind {
        case .mutable: .history
        case .derived(let derived): derived.stateClass
        }
    }

    /// Names of the nodes it is made from, each once, in the order of the definition.
    public var inputs: [String] {
        switch kind {
        case .mutable: []
        case .derived(let derived): matches.isEmpty ? derived.source.nodes : matches
        }
    }

    /// The inputs that must exist before it, each once: of a flatten, the chosen one is built when it is chosen.
    var eagerInputs: [String] {
        switch kind {
        case .mutable: []
        case .derived(let derived): matches.isEmpty ? derived.source.eagerNodes : matches
        }
    }

    /// The names of all nodes that it joins, as they come and go.
    var glob: String? {
        if case .derived(let derived) = kind { derived.source.glob } else { nil }
    }

    /// What the wire calls it: `mutable` or `derived`.
    public var kindName: String {
        if case .mutable = kind { "mutable" } else { "derived" }
    }
}

extension NodeDefinition.Derived {
    /// The strongest class of its source and stages.
    public var stateClass: OperatorRow.StateClass {
        pipe.reduce(source.operator.stateClass) { max($0, $1.stateClass) }
    }
}
