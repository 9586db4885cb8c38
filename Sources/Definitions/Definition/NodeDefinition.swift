internal import CEL
public import ReactiveGraph
public import Values

/// A named node of a graph, as defined.
///
/// A class, because changing a large graph looks at thousands of them, and each copy of so large a
/// struct would retain all its parts.
public final class NodeDefinition {
    /// Where a node's values come from.
    public enum Kind {
        /// From outside: the state of the graph.
        case mutable(Mutable)
        /// From other nodes.
        case derived(Derived)
    }

    /// What may be set, and the initial value.
    ///
    /// A class, because it is looked up each time a member is made.
    public final class Mutable {
        /// The check that every value must pass.
        public let check: Check
        /// The value in a new graph.
        public let initial: Datum?
        /// How long after a set the node becomes empty again.
        public let ttl: Stage.Span?
        /// How long after a set or a confirmation the value becomes stale.
        public let fresh: Stage.Span?
        /// Whether a set must name the value that it replaces.
        public let requiresIfMatch: Bool
        /// Whether the page asks before a person sets it.
        public let confirms: Bool
        /// For a family: how long after its last set a member is dropped, if nothing needs it.
        public let expire: Stage.Span?
        /// The kind of producer that sets it, if the definition says so.
        public let role: Role?
        /// What feeds it; nil: clients set it.
        public let feed: Feed?

        /// The kinds of producers that set a node.
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
            confirms: Bool,
            expire: Stage.Span?,
            role: Role?,
            feed: Feed? = nil
        ) {
            self.check = check
            self.initial = initial
            self.ttl = ttl
            self.fresh = fresh
            self.requiresIfMatch = requiresIfMatch
            self.confirms = confirms
            self.expire = expire
            self.role = role
            self.feed = feed
        }
    }

    /// A source and the stages its values pass through.
    public struct Derived {
        public let source: Source
        public let pipe: [Stage]
        /// What is known of its values when the definition is read.
        let type: StaticType
    }

    /// The node's name, unique in its graph; a family's name has placeholders.
    public let name: String
    /// For a family: the pattern of its members' names.
    public let pattern: NamePattern?
    /// For a family: the names of its placeholders, in their order.
    public var placeholders: [String]? { pattern?.placeholders }
    /// For a family that joins another one by groups: the names that it joins, with its own
    /// placeholders and the joined ones.
    package let joined: NamePattern?
    /// Its index in an order of all nodes and families in which each comes after those it is made
    /// from.
    package var rank = 0
    public let kind: Kind
    /// Whether it is set from outside.
    package let isMutable: Bool
    /// What feeds it; nil: it is derived, or clients set it.
    public let feed: Feed?
    /// The check that every value must pass; nil: there is none, or the node cannot be set.
    package let check: Check?
    /// Texts for people.
    public let title: String?
    public let unit: String?
    /// What people call its values.
    public let words: NodeWords?
    /// A picture for people.
    package let icon: String?
    public let description: String?
    /// When it calls for attention; nil: never.
    public let alarm: Alarm?
    /// The definition's `retain`; the property `retain` has the one in force.
    public let statedRetain: Retention?
    /// What it keeps of its earlier values.
    public let history: HistoryDefinition
    /// The place of the definition in its file.
    public let position: Position
    /// Names of the declared nodes that its glob matches; members of families come and go.
    package var matches: [String] = []
    /// Families and declared nodes, sorted: the node follows one of their members, whose name is
    /// computed from a value.
    package var followable: [String] = []
    /// Set if links lead to the node, at least `history`: then its value depends on which input
    /// came last.
    package var linkClass: OperatorRow.StateClass?
    /// The whole definition as JSON with sorted keys: equal if nothing has changed.
    package let canonical: String

    init(
        name: String,
        kind: Kind,
        title: String?,
        unit: String?,
        words: NodeWords? = nil,
        icon: String? = nil,
        description: String?,
        alarm: Alarm?,
        statedRetain: Retention?,
        history: HistoryDefinition,
        position: Position,
        canonical: String
    ) {
        self.name = name
        pattern = NamePattern.isPattern(name) ? try? NamePattern(name) : nil
        if pattern != nil, case .derived(let derived) = kind, let glob = derived.source.argument.glob {
            joined = try? NamePattern(glob)
        } else {
            joined = nil
        }
        self.kind = kind
        if case .mutable(let rules) = kind {
            isMutable = true
            feed = rules.feed
            check = rules.check.passesEverything ? nil : rules.check
        } else {
            isMutable = false
            feed = nil
            check = nil
        }
        self.title = title
        self.unit = unit
        self.words = words
        self.icon = icon
        self.description = description
        self.alarm = alarm
        self.statedRetain = statedRetain
        self.history = history
        self.position = position
        self.canonical = canonical
    }

    package var requiresCondition: Bool {
        guard isMutable, case .mutable(let rules) = kind else { return false }
        return rules.requiresIfMatch
    }

    /// The error message for a value that is to be set; nil if the value passes.
    package func complaint(about value: Datum, within budget: inout CheckBudget) -> String? {
        check?.complaint(about: value, within: &budget)
    }

    /// How long the node is held: as defined, or by its state class.
    ///
    /// A node with a history is always held so that it collects one; a node with an alarm is always
    /// held so that the alarm works without subscribers.
    ///
    /// Mutable nodes are always held, and mutable members of families while they have a value;
    /// derived members only if the definition says so.
    public var retain: Retention {
        if pattern != nil, let statedRetain { return statedRetain }
        guard case .derived = kind else { return .always }
        if let statedRetain { return statedRetain }
        let isKept = stateClass != .none || history.isKept || alarm != nil
        return pattern == nil && isKept ? .always : .whileInUse
    }

    /// What its value depends on: the strongest class of its source and stages.
    public var stateClass: OperatorRow.StateClass {
        max(ownStateClass, linkClass ?? .none)
    }

    /// The class without the effect of links.
    var ownStateClass: OperatorRow.StateClass {
        switch kind {
        case .mutable: .history
        case .derived(let derived): derived.stateClass
        }
    }

    /// Whether a value of its inputs may leave it later, by itself.
    package var waits: Bool { ownStateClass == .timed }

    /// Names of the nodes it is made from, each once, in the order of the definition.
    public var inputs: [String] {
        switch kind {
        case .mutable: []
        case .derived(let derived): matches.isEmpty ? derived.source.nodes : matches
        }
    }

    /// The inputs that must exist before it, each once.
    ///
    /// A flatten's choices are built when they are chosen.
    package var eagerInputs: [String] {
        switch kind {
        case .mutable: []
        case .derived(let derived): matches.isEmpty ? derived.source.eagerNodes : matches
        }
    }

    /// A glob; all nodes whose names match it are inputs too.
    ///
    /// Of a family it has placeholders in place of wildcards: see ``joined``.
    package var glob: String? {
        if case .derived(let derived) = kind { derived.source.argument.glob } else { nil }
    }

    /// Of a `flatten`: the name with `{value}` of the node that it follows.
    package var computedName: NamePattern? {
        if case .derived(let derived) = kind { derived.source.argument.computedName } else { nil }
    }

    /// Globs of the nodes besides ``inputs`` from which values may come: of its glob, and of its
    /// computed name.
    package var otherInputs: [String] {
        [glob, computedName?.glob].compactMap(\.self)
    }

    /// The kind on the wire.
    public enum KindName: String, CaseIterable, Sendable {
        /// Clients set it.
        case mutable
        /// The server sets it, to what an upstream sends.
        case source
        case derived
    }

    public var kindName: KindName { feed != nil ? .source : isMutable ? .mutable : .derived }

    /// Whether the upstreams that it depends on are open without listeners: it is held to
    /// collect values, or to raise an alarm (S-1).
    package var keepsSourcesOpen: Bool {
        guard pattern == nil else { return false }
        return isMutable ? history.isKept || alarm != nil || statedRetain == .always : retain == .always
    }
}

extension NodeDefinition.Derived {
    /// The strongest class of its source and stages.
    public var stateClass: OperatorRow.StateClass {
        pipe.reduce(source.stateClass) { max($0, $1.stateClass) }
    }
}
