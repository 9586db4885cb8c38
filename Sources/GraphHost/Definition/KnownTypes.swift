internal import CEL

/// What is known of the types of values while a definition is read, so that expressions which can only fail are found.
///
/// A type is known of nodes that are set, and of what is made from them as far as the checker follows. Where a value may come from
/// elsewhere, as over a link, nothing is known: what may be right is not refused.
struct KnownTypes {
    /// The types of nodes, by name.
    private var nodes: [String: StaticType] = [:]
    /// The types of what the expressions at hand see, by name.
    var names: [String: StaticType] = [:]
    /// What the expression read last gives.
    var result: StaticType = .dyn

    /// What the nodes of a section declare that take values from outside only.
    init(declaredIn members: [(key: String, entry: Document.Entry)], except ties: TieDefinitions) {
        let tied = Set(ties.syncs.flatMap { [$0.a, $0.b] } + ties.links.map(\.to))
        for (name, entry) in members where !tied.contains(name) {
            let set = entry.value["set"]
            guard let word = set?.scalar?.text ?? set?["type"]?.scalar?.text else { continue }
            nodes[name] = Check.Kind(rawValue: word)?.type
        }
    }

    init() {}

    subscript(node name: String?) -> StaticType {
        name.flatMap { nodes[$0] } ?? .dyn
    }

    /// Variables with what is known of their types; nil where that is nothing.
    func variables(_ names: [String]) -> [Variable]? {
        let variables = names.map { Variable($0, type: self.names[$0] ?? .dyn) }
        return variables.contains { $0.type != .dyn } ? variables : nil
    }

    /// What is known, for people.
    var sentence: String {
        let known = names.filter { $1 != .dyn }.sorted { $0.key < $1.key }
        return known.map { "\($0) is \($1.kind)" }.joined(separator: ", ")
    }

    /// The next expressions see the values of one node.
    mutating func see(valuesOf node: String?) {
        names = ["value": self[node: node]]
    }

    /// What `value` is after a stage of this name.
    mutating func pass(_ stage: String) {
        switch stage {
        case "map": names["value"] = result.asJSON
        case "filter", "ignore", "select", "ignoreNull", "distinct", "skip", "take", "prefix", "debounce",
            "throttle",
            "sample", "delay":
            break
        default: names["value"] = .dyn
        }
    }
}

extension Check.Kind {
    /// What expressions see of a value; numbers are `int`, the type that fits wherever a number does.
    fileprivate var type: StaticType {
        switch self {
        case .any: .dyn
        case .number, .integer: .int
        case .string: .string
        case .boolean: .bool
        case .object: .map(.string, .dyn)
        case .array: .list(.dyn)
        }
    }
}

extension StaticType {
    /// As definitions name it.
    fileprivate var kind: String {
        switch self {
        case .bool: "a boolean"
        case .int: "a number"
        case .string: "a string"
        case .map: "an object"
        case .list: "an array"
        default: "anything"
        }
    }

    /// The type with which a result goes on as a value of a node.
    fileprivate var asJSON: StaticType {
        switch self {
        case .bool: .bool
        case .int, .uint, .double: .int
        case .string, .bytes, .timestamp, .duration: .string
        case .list: .list(.dyn)
        case .map: .map(.string, .dyn)
        case .dyn, .null, .type, .optional: .dyn
        }
    }
}
