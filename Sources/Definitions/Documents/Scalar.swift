public import Values

/// A scalar of a document: its text, its style, and its value by the YAML 1.2 core schema.
public struct Scalar: Hashable, Sendable {
    /// How a scalar was written.
    public enum Style: Hashable, Sendable {
        /// Without quotes: the only style that the core schema types.
        case plain
        case singleQuoted, doubleQuoted
        /// `|` and `>` blocks.
        case literal, folded
    }

    /// What a scalar is by the core schema.
    public enum TypedValue: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number as JSON text: hexadecimal, octal and abbreviated forms are already rewritten.
        case number(String)
        /// `.inf`, `-.inf` or `.nan`, which JSON does not have.
        case notFinite
        case string(String)
    }

    /// Its text, with escapes resolved.
    public let text: String
    public let style: Style
    /// Where it begins, including its quote.
    public let position: Position
    /// Spaces before each line of a block scalar.
    public let indent: Int

    init(text: String, style: Style, position: Position, indent: Int) {
        self.text = text
        self.style = style
        self.position = position
        self.indent = indent
    }

    /// The value.
    ///
    /// `true`, `True`, `TRUE`, `null`, `~`, an empty scalar and numbers are typed if they are
    /// plain; all others are strings.
    ///
    /// This is the whole core schema of YAML 1.2.2 §10.3.2, so `off`, `yes` and `12:30` are
    /// strings.
    public var value: TypedValue {
        style == .plain ? CoreSchema.value(of: text) : .string(text)
    }

    /// The place in the file of a character of the text, given by its line and column within the
    /// text, both from 1.
    ///
    /// Exact for text on one line without escapes and for `|` blocks; approximate for folded and
    /// escaped text.
    public func position(line: Int, column: Int) -> Position {
        switch style {
        case .literal, .folded:
            Position(line: position.line + line, column: indent + column)
        case .plain where line == 1:
            Position(line: position.line, column: position.column + column - 1)
        case .singleQuoted where line == 1, .doubleQuoted where line == 1:
            Position(line: position.line, column: position.column + column)
        default:
            Position(line: position.line + line - 1, column: indent + column)
        }
    }
}

extension Scalar.TypedValue {
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .notFinite: "a number that is not finite"
        case .string: "a string"
        }
    }
}
