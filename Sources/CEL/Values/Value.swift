/// A value of the Common Expression Language: what JSON can say, and CEL's own numbers, bytes and
/// times.
///
/// Scalars live in the enum itself and are copied without touching memory; strings, bytes, lists
/// and maps are reference counted and immutable. `Value` is also the tree that JSON text is parsed
/// into: there every number is a `double`.
///
/// Containers know how deeply they nest (`nestingDepth`), so that it need not be computed by
/// descending.
public enum Value: Sendable {
    /// JSON's `null`.
    case null
    case bool(Bool)
    /// An integer with a sign: `9`.
    case int(Int64)
    /// An integer without a sign: `9u`.
    case uint(UInt64)
    /// A floating-point number, as those of JSON are: `9.0`.
    case double(Double)
    /// A text, compared by code points.
    case string(String)
    /// Bytes: `b'\xff'`.
    case bytes([UInt8])
    /// Values one after the other.
    case list(ValueList)
    /// Values by key.
    case map(ValueMap)
    /// A moment.
    case timestamp(Timestamp)
    /// A length of time.
    case duration(TimeSpan)
    /// A type, as `type(x)` gives it.
    case type(TypeName)
    /// A value that may be absent.
    case optional(OptionalValue)
}

extension Value {
    /// How deeply lists, maps and optionals nest: 0 for a scalar, 1 for a list of scalars.
    ///
    /// Constant time.
    public var nestingDepth: Int {
        switch self {
        case .list(let list): list.nestingDepth
        case .map(let map): map.nestingDepth
        case .optional(let optional): optional.nestingDepth
        default: 0
        }
    }

    /// Whether it takes no memory of its own beyond the enum.
    var isScalar: Bool {
        switch self {
        case .string, .bytes, .list, .map, .type, .optional: false
        default: true
        }
    }

    /// The deepest nesting any value may have; an expression that would build more fails instead.
    public static let maximumNestingDepth = 64

    /// The name `type()` gives this value's type: `int`, `google.protobuf.Timestamp`, ….
    public var typeName: TypeName {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int: .int
        case .uint: .uint
        case .double: .double
        case .string: .string
        case .bytes: .bytes
        case .list: .list
        case .map: .map
        case .timestamp: .timestamp
        case .duration: .duration
        case .type: .type
        case .optional: .optional
        }
    }
}

/// A type as a value: what `type(x)` answers and what the names `int`, `list`, … stand for.
public struct TypeName: RawRepresentable, Hashable, Sendable {
    /// The published name.
    public var rawValue: String

    /// A type of this name; unknown names are allowed and equal only themselves.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    public static let null = TypeName(rawValue: "null_type")
    public static let bool = TypeName(rawValue: "bool")
    public static let int = TypeName(rawValue: "int")
    public static let uint = TypeName(rawValue: "uint")
    public static let double = TypeName(rawValue: "double")
    public static let string = TypeName(rawValue: "string")
    public static let bytes = TypeName(rawValue: "bytes")
    public static let list = TypeName(rawValue: "list")
    public static let map = TypeName(rawValue: "map")
    public static let timestamp = TypeName(rawValue: "google.protobuf.Timestamp")
    public static let duration = TypeName(rawValue: "google.protobuf.Duration")
    public static let type = TypeName(rawValue: "type")
    public static let optional = TypeName(rawValue: "optional_type")
}

/// A value that may be absent (`optional.of(x)`, `optional.none()`).
public struct OptionalValue: Sendable {
    /// A reference, since a value cannot hold one of its own kind in place.
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) {
            self.value = value
        }
    }

    private let box: Box?

    public static let none = OptionalValue(nil)

    /// An optional holding `value`, or none.
    public init(_ value: Value?) {
        box = value.map(Box.init)
    }

    /// The value, if there is one.
    public var value: Value? {
        box?.value
    }

    /// One more than the value's own; 0 when there is none.
    public var nestingDepth: Int {
        box.map { $0.value.nestingDepth + 1 } ?? 0
    }
}
