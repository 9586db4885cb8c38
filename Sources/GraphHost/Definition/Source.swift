internal import Support

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
    /// The first values of several nodes, then the second ones, and so on.
    case zip(Zip)
    /// Each value with its key.
    case `switch`(Switch)
    /// The values of a switch that have one key.
    case `case`(Case)
    /// The values of a switch that have none of some keys.
    case otherwise(Otherwise)
    /// Each value with whether a condition holds.
    case `if`(If)

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

    /// The inputs of a zip.
    public struct Zip {
        /// The nodes, in the order of the list.
        public let nodes: [String]
        /// What is made of a row, seen as the list `value`; without it the list.
        public let map: Expression?
        /// How many values of one input may wait for the others; nil: as many as the server allows.
        public let buffer: Int?
    }

    /// How values get their keys.
    public struct Switch {
        /// The node whose values are sorted.
        public let from: String
        /// The key of a value; none where it is null, or is made of a member that the value has not.
        public let by: Expression
        /// What is kept of a value; without it the value.
        public let value: Expression?
    }

    /// One key of a switch.
    public struct Case {
        /// The switch, or any node whose values have a `key` and a `value`.
        public let of: String
        /// The key, compared by structure; null stands for values without one.
        public let key: Datum
        /// Whether it was written as `default`, which is the key null (G-93).
        public let isDefault: Bool
        /// Whether failures of the switch are shown; those of an `if` go to its `else` side only.
        public let showsFailures: Bool
    }

    /// All keys of a switch but some.
    public struct Otherwise {
        /// The switch, or any node whose values have a `key` and a `value`.
        public let of: String
        /// The keys whose values are left out, compared by structure; null stands for values without one.
        public let excluding: [Datum]
    }

    /// A condition on the values of a node.
    public struct If {
        public let from: String
        public let when: Expression
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
            case .zip(let zip): zip.nodes
            case .switch(let sorted): [sorted.from]
            case .case(let one): [one.of]
            case .otherwise(let rest): [rest.of]
            case .if(let condition): [condition.from]
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
        case .zip: "zip"
        case .switch: "switch"
        case .case(let one): one.isDefault ? "default" : "case"
        case .otherwise: "otherwise"
        case .if: "if"
        }
    }

    /// Whether it makes a node of its own, not one that has a name already.
    var isJoin: Bool {
        if case .from = self { false } else { true }
    }

    /// Its row in the catalogue.
    public var `operator`: OperatorRow {
        guard let row = Catalogue.standard[name] else { preconditionFailure("no row for the source \(name)") }
        return row
    }

    /// Canonical text, the beginning of the key of a shared chain.
    public var key: String {
        switch self {
        case .from(let node): "from(\(node))"
        case .combine(let combine): "combine(\(combine.key))"
        case .merge(let nodes): "merge(\(nodes.joined(separator: ",")))"
        case .flatten(let flatten): "flatten(\(flatten.key))"
        case .zip(let zip): "zip(\(zip.key))"
        case .switch(let sorted):
            "switch(\(sorted.from);\(sorted.by.key)\(sorted.value.map { ";\($0.key)" } ?? ""))"
        case .case(let one): one.isDefault ? "default(\(one.of))" : "case(\(one.of);\(one.key.text))"
        case .otherwise(let rest):
            "otherwise(\(rest.of);\(rest.excluding.map(\.text).joined(separator: ",")))"
        case .if(let condition): "if(\(condition.from);\(condition.when.key))"
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
            text.append(json: key)
            text.append(contentsOf: "=\(node)".utf8)
        }
        return from + String(decoding: text, as: UTF8.self) + (otherwise.map { ";else=\($0)" } ?? "")
    }
}

extension Source.Zip {
    fileprivate var key: String {
        nodes.joined(separator: ",") + (map.map { ";\($0.key)" } ?? "") + (buffer.map { ";\($0)" } ?? "")
    }
}
