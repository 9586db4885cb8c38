/// A named node of a graph, as its definition says it.
public struct NodeDefinition {
    /// Where a node's values come from.
    public enum Kind {
        /// From outside: the state of the graph.
        case mutable(Mutable)
        /// From other nodes.
        case derived(Derived)
    }

    /// How long a derived node is held (design.md §4.7).
    public enum Retain: String, Hashable, Sendable, CaseIterable {
        /// While somebody needs it.
        case whileInUse
        /// Until memory is short.
        case untilPressure
        /// As long as the graph.
        case always
    }

    /// What may be set, and what it starts with.
    public struct Mutable {
        /// What every value must pass.
        public let check: Check
        /// What it holds when the graph is new.
        public let initial: Datum?
        /// It is empty again when not set for so long.
        public let ttl: Stage.Span?
        /// Whether a set must say which value it replaces.
        public let requiresIfMatch: Bool
    }

    /// A source and what its values go through.
    public struct Derived {
        public let source: Source
        public let pipe: [Stage]
    }

    /// The node's name, unique in its graph.
    public let name: String
    public let kind: Kind
    /// For people.
    public let title: String?
    public let unit: String?
    public let description: String?
    /// What the definition says about `retain`; see `retain` for what holds.
    public let statedRetain: Retain?
    /// How many values the history ring keeps; 0 for none.
    public let history: Int
    /// Where the definition stands in its file.
    public let position: Position

    /// How long the node is held: as stated, or by its state class; one with a history is kept so that it has one.
    ///
    /// Mutable nodes are always held.
    public var retain: Retain {
        guard case .derived = kind else { return .always }
        return statedRetain ?? (stateClass == .none && history == 0 ? .whileInUse : .always)
    }

    /// What its value depends on: the strongest class of its source and stages.
    public var stateClass: Operator.StateClass {
        switch kind {
        case .mutable: .history
        case .derived(let derived): derived.stateClass
        }
    }

    /// Names of the nodes it is made from, each once, in the order of the definition.
    public var inputs: [String] {
        switch kind {
        case .mutable: []
        case .derived(let derived): derived.source.nodes
        }
    }

    /// What the wire calls it: `mutable` or `derived`.
    public var kindName: String {
        if case .mutable = kind { "mutable" } else { "derived" }
    }
}

extension NodeDefinition.Derived {
    /// The strongest class of its source and stages.
    public var stateClass: Operator.StateClass {
        pipe.reduce(source.operator.stateClass) { max($0, $1.stateClass) }
    }
}

/// What a derived node or a client's subscription starts from.
public enum Source {
    /// One node.
    case from(String)
    /// Several nodes as one value.
    case combine(Combine)
    /// Whichever of several nodes changed last.
    case merge([String])
    /// The node that another one's value names.
    case flatten(Flatten)

    /// The inputs of a combination and what is made of them.
    public struct Combine {
        /// Names by which the expression sees the inputs; nil for the list form, which it sees as `value`.
        public let names: [String]?
        /// The nodes, in the same order.
        public let nodes: [String]
        /// What is made of them; without it an object with the names, or a list.
        public let map: Expression?
    }

    /// A choice among nodes by key.
    public struct Flatten {
        /// The node whose value is the key: a string, or a number, boolean or null by its JSON text.
        public let from: String
        /// Keys and the nodes they choose, in the order of the definition.
        public let to: [(key: String, node: String)]
        /// The node for all other keys; without it they are `not_a_key`.
        public let otherwise: String?
    }

    /// Names of the nodes it reads, each once.
    public var nodes: [String] {
        let all: [String] =
            switch self {
            case .from(let node): [node]
            case .combine(let combine): combine.nodes
            case .merge(let nodes): nodes
            case .flatten(let flatten):
                [flatten.from] + flatten.to.map(\.node) + (flatten.otherwise.map { [$0] } ?? [])
            }
        var seen: Set<String> = []
        return all.filter { seen.insert($0).inserted }
    }

    /// The source's name on the wire.
    public var name: String {
        switch self {
        case .from: "from"
        case .combine: "combine"
        case .merge: "merge"
        case .flatten: "flatten"
        }
    }

    /// Whether it makes a node of its own, not one that has a name already.
    var isJoin: Bool {
        if case .from = self { false } else { true }
    }

    /// Its row in the catalogue.
    public var `operator`: Operator {
        Catalogue.row(named: name)
    }

    /// Canonical text, the beginning of the key of a shared chain.
    public var key: String {
        switch self {
        case .from(let node): "from(\(node))"
        case .combine(let combine): "combine(\(combine.key))"
        case .merge(let nodes): "merge(\(nodes.joined(separator: ",")))"
        case .flatten(let flatten): "flatten(\(flatten.key))"
        }
    }
}

extension Source.Combine {
    fileprivate var key: String {
        let inputs =
            names.map { names in zip(names, nodes).map { "\($0)=\($1)" } } ?? nodes
        return inputs.joined(separator: ",") + (map.map { ";\($0.key)" } ?? "")
    }
}

extension Source.Flatten {
    fileprivate var key: String {
        var text: [UInt8] = []
        for (key, node) in to {
            text.append(UInt8(ascii: ";"))
            JSONWriter.append(key, to: &text)
            text.append(contentsOf: "=\(node)".utf8)
        }
        return from + String(decoding: text, as: UTF8.self) + (otherwise.map { ";else=\($0)" } ?? "")
    }
}
