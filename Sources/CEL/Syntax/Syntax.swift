/// An expression as it was written: macros unexpanded, names unresolved.
///
/// Immutable.
///
/// No tree is deeper than `maximumDepth`, so that walking one by recursion is safe on a small
/// stack.
final class Syntax {
    indirect enum Form {
        case literal(Value)
        /// A name, possibly with a dot before it.
        case name(String, isAbsolute: Bool)
        case select(Syntax, field: String, isOptional: Bool)
        case index(Syntax, Syntax, isOptional: Bool)
        /// `function(arguments)`, or `target.function(arguments)`.
        case call(target: Syntax?, function: String, isAbsolute: Bool, arguments: [Syntax])
        case unary(UnaryOperator, Syntax)
        case binary(BinaryOperator, Syntax, Syntax)
        /// Two or more operands joined by the same `&&` or `||`.
        case logical(isAnd: Bool, [Syntax])
        case conditional(Syntax, Syntax, Syntax)
        case list([Element])
        case map([Entry])
    }

    struct Element {
        let value: Syntax
        let isOptional: Bool
    }

    struct Entry {
        let key: Syntax
        let value: Syntax
        let isOptional: Bool
    }

    static let maximumDepth = 250

    let form: Form
    /// Byte offset of what problems with this expression should point at.
    let offset: Int
    let depth: Int

    init(_ form: Form, at offset: Int) {
        self.form = form
        self.offset = offset
        var deepest = 0
        for child in form.children {
            deepest = max(deepest, child.depth)
        }
        depth = deepest + 1
    }
}

extension Syntax.Form {
    var children: [Syntax] {
        switch self {
        case .literal, .name: []
        case .select(let operand, _, _): [operand]
        case .index(let operand, let index, _): [operand, index]
        case .call(let target, _, _, let arguments): target.map { [$0] + arguments } ?? arguments
        case .unary(_, let operand): [operand]
        case .binary(_, let left, let right): [left, right]
        case .logical(_, let operands): operands
        case .conditional(let condition, let then, let otherwise): [condition, then, otherwise]
        case .list(let elements): elements.map(\.value)
        case .map(let entries): entries.flatMap { [$0.key, $0.value] }
        }
    }
}

enum UnaryOperator: String {
    case not = "!"
    case negate = "-"
}

enum BinaryOperator: String {
    case multiply = "*"
    case divide = "/"
    case remainder = "%"
    case add = "+"
    case subtract = "-"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "=="
    case notEqual = "!="
    case isIn = "in"

    /// How tightly it binds: relations 1, sums 2, products 3.
    var precedence: Int {
        switch self {
        case .multiply, .divide, .remainder: 3
        case .add, .subtract: 2
        default: 1
        }
    }
}
