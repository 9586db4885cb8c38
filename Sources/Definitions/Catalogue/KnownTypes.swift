internal import CEL
internal import Values

/// The types of values that are known while a definition is read, so that expressions which can
/// only fail are found.
///
/// The type is known for nodes that are set, after the operators whose rows give it, and for nodes
/// that are made so and come before it in the file. Where values may come from elsewhere, as over a
/// link, the type is unknown: only certain errors are reported.
struct KnownTypes {
    private var nodes: [String: StaticType] = [:]
    /// The types of the variables of the current expressions, by name.
    var names: [String: StaticType] = [:]

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
        get { name.flatMap { nodes[$0] } ?? .dyn }
        set {
            // Most are not known.
            if newValue != .dyn, let name { nodes[name] = newValue }
        }
    }

    /// The type of a value that may come from any of these nodes.
    func joined(_ nodes: [String]) -> StaticType {
        guard let first = nodes.first else { return .dyn }
        return nodes.dropFirst().reduce(self[node: first]) { $0.joined(with: self[node: $1]) }
    }

    /// The type of the values that the next expression or stage gets.
    var value: StaticType {
        get { names["value"] ?? .dyn }
        set { names = ["value": newValue] }
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
}

extension Check.Kind {
    fileprivate var type: StaticType {
        switch self {
        case .any: .dyn
        case .number, .integer: .number
        case .string: .string
        case .boolean: .bool
        case .object: .object
        case .array: .list(.dyn)
        }
    }
}

extension StaticType {
    /// Numbers of nodes are `int`, which is accepted wherever a number is.
    static let number = StaticType.int
    static let object = StaticType.map(.string, .dyn)

    /// The type of a constant; that of null is not known, because anything may be compared with it.
    init(of constant: Datum) {
        switch constant.kind {
        case .null: self = .dyn
        case .bool: self = .bool
        case .number: self = .number
        case .string: self = .string
        case .array: self = .list(.dyn)
        case .object: self = .object
        }
    }

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
    var asJSON: StaticType {
        switch self {
        case .bool: .bool
        case .int, .uint, .double: .number
        case .string, .bytes, .timestamp, .duration: .string
        case .list: .list(.dyn)
        case .map: .object
        case .dyn, .null, .type, .optional: .dyn
        }
    }
}
