/// What is known of an expression's type before it is evaluated.
public indirect enum StaticType: Hashable, Sendable {
    /// Anything; decided when the value is there.
    case dyn
    case null, bool, int, uint, double, string, bytes, timestamp, duration
    case list(StaticType)
    case map(StaticType, StaticType)
    case type
    case optional(StaticType)
}

extension StaticType: CustomStringConvertible {
    /// As CEL writes it: `list(int)`, `map(string, dyn)`.
    public var description: String {
        switch self {
        case .dyn: "dyn"
        case .null: "null"
        case .bool: "bool"
        case .int: "int"
        case .uint: "uint"
        case .double: "double"
        case .string: "string"
        case .bytes: "bytes"
        case .timestamp: "timestamp"
        case .duration: "duration"
        case .list(let element): "list(\(element))"
        case .map(let key, let value): "map(\(key), \(value))"
        case .type: "type"
        case .optional(let wrapped): "optional(\(wrapped))"
        }
    }
}
