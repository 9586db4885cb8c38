/// One thing that is wrong with an expression, and where.
public struct ExpressionProblem: Error, Hashable, Sendable {
    /// `expr_syntax`, also for a literal that is not a valid regular expression, `expr_type`, or
    /// `pattern_limit`.
    public let code: ExpressionErrorCode
    /// What is wrong, in a sentence without a full stop.
    public let message: String
    /// Byte offset in the expression's UTF-8 text.
    public let offset: Int
    /// Counted from 1.
    public let line: Int
    /// Counted in characters from 1.
    public let column: Int
    /// What to do about it, where that can be guessed.
    public let hint: String?

    init(
        _ code: ExpressionErrorCode,
        _ message: String,
        at offset: Int,
        in source: String,
        hint: String? = nil
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.hint = hint
        (line, column) = source.lineAndColumn(atByte: offset)
    }

    /// The message, the line of `source` it is about, and a caret under the place.
    public func rendered(in source: String) -> String {
        source.caretDisplay(message: message, hint: hint, line: line, column: column)
    }
}

/// Everything found wrong with one expression; at least one problem.
public struct CompileError: Error, Hashable, Sendable {
    /// In the order of their places.
    public let problems: [ExpressionProblem]
}

/// What went wrong while an expression was evaluated.
///
/// The message names types and operations, never the values that were computed with.
public struct EvaluationError: Error, Hashable, Sendable {
    /// One of the `expr_…` codes.
    public let code: ExpressionErrorCode
    /// A sentence without a full stop.
    public let message: String
    /// Byte offset in the expression's UTF-8 text.
    public let offset: Int

    /// A failure with this code and message.
    public init(code: ExpressionErrorCode, message: String, offset: Int) {
        (self.code, self.message, self.offset) = (code, message, offset)
    }

    /// The line and the column in `source`, counted from 1.
    public func place(in source: String) -> (line: Int, column: Int) {
        source.lineAndColumn(atByte: offset)
    }

    /// The message, the line of `source` it is about, and a caret under the place.
    public func rendered(in source: String) -> String {
        let (line, column) = place(in: source)
        return source.caretDisplay(message: message, hint: nil, line: line, column: column)
    }
}

/// A stable code for what went wrong; a set that may grow.
public struct ExpressionErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code as it is sent, such as `expr_type`.
    public let rawValue: String

    /// A code of this name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The text is not an expression.
    public static let syntax = ExpressionErrorCode(rawValue: "expr_syntax")
    /// An operation does not take values of these types; also unknown names and functions.
    public static let type = ExpressionErrorCode(rawValue: "expr_type")
    /// Regular expressions that take too much work to compile, or too many of them.
    public static let patternLimit = ExpressionErrorCode(rawValue: "pattern_limit")
    /// The cost budget is used up.
    public static let cost = ExpressionErrorCode(rawValue: "expr_cost")
    /// A result is out of its type's range.
    public static let overflow = ExpressionErrorCode(rawValue: "expr_overflow")
    /// Division or remainder by zero.
    public static let divide = ExpressionErrorCode(rawValue: "expr_divide")
    /// An index outside the list.
    public static let index = ExpressionErrorCode(rawValue: "expr_index")
    /// A key that the map has not.
    public static let noKey = ExpressionErrorCode(rawValue: "expr_no_key")
    /// A value that cannot be converted, or a result that may not leave.
    public static let badValue = ExpressionErrorCode(rawValue: "expr_bad_value")
}
