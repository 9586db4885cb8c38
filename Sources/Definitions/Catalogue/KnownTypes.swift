internal import CEL

/// The types of values that are known while a definition is read, so that expressions which can
/// only fail are found.
///
/// The type is known for nodes that are set, and for nodes made from them as far as the checker can
/// follow. Where values may come from elsewhere, as over a link, the type is unknown: only certain
/// errors are reported.
struct KnownTypes {
    private var nodes: [String: StaticType] = [:]
    /// The types of the variables of the current expressions, by name.
    var names: [String: StaticType] = [:]
    /// The type of the expression that was read last.
    var result: StaticType = .dyn

    /// The declared types of a section's nodes; those that ties lead to, `tied`, may have others.
    init(declaredIn members: [(key: String, entry: Document.Entry)], except tied: Set<String>) {
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

    /// Variables with their types; nil if no type is known.
    func variables(_ names: [String]) -> [Variable]? {
        let variables = names.map { Variable($0, type: self.names[$0] ?? .dyn) }
        return variables.contains { $0.type != .dyn } ? variables : nil
    }

    /// The known types, for people.
    var sentence: String {
        let known = names.filter { $1 != .dyn }.sorted { $0.key < $1.key }
        return known.map { "\($0) is \($1.kind)" }.joined(separator: ", ")
    }

    /// Makes the values of one node visible to the next expressions.
    mutating func see(valuesOf node: String?) {
        names = ["value": self[node: node]]
    }

    /// Sets the type of `value` after a stage with this name.
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
    /// The type that expressions see; numbers are `int`, which is accepted wherever a number is.
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
    /// The type's name in definitions.
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

    /// The type of a result once it is a value of a node.
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
