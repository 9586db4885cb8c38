internal import Support

/// What is known of a node's values, in terms that every typed language has.
///
/// Checks may refuse more than a shape says: it has no bounds, lengths and patterns.
public indirect enum ValueShape: Hashable, Sendable {
    /// Any JSON value.
    case any
    case null, boolean, number, integer, string
    /// Exactly this value: one of an `enum`.
    case constant(Constant)
    case array(of: ValueShape)
    /// An object with these members; `others` is the shape of further ones, nil if there are none.
    case object([Member], others: ValueShape?)
    /// One of at least two different shapes.
    case either([ValueShape])

    /// A value that a definition names.
    public enum Constant: Hashable, Sendable {
        case null
        case boolean(Bool)
        /// As it was written.
        case number(String)
        case string(String)
        /// An array or an object, as JSON.
        case composite(String)

        /// As JSON.
        public var json: String {
            switch self {
            case .null: "null"
            case .boolean(let flag): "\(flag)"
            case .number(let text), .composite(let text): text
            case .string(let text): String(json: text)
            }
        }
    }

    /// A member of an object.
    public struct Member: Hashable, Sendable {
        public let name: String
        public let shape: ValueShape
        /// Whether every such object has it.
        public let isRequired: Bool

        public init(name: String, shape: ValueShape, isRequired: Bool) {
            self.name = name
            self.shape = shape
            self.isRequired = isRequired
        }
    }

    static let anyObject = ValueShape.object([], others: .any)

    /// A value with any one of these shapes.
    public init(any shapes: [ValueShape]) {
        var different: [ValueShape] = []
        for shape in shapes {
            let parts = if case .either(let inner) = shape { inner } else { [shape] }
            different += parts.filter { !different.contains($0) }
        }
        if different.contains(.any) || different.isEmpty {
            self = .any
        } else {
            self = different.count == 1 ? different[0] : .either(different)
        }
    }
}
