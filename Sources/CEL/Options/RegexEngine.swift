/// Makes matchers for `matches`: RE2 syntax, time linear in the text, search (not anchored).
///
/// The library brings none: a program that wants `matches` gives one with ``Options/regex``.
public protocol RegexEngine: AnyObject {
    /// Units of 20 ns that it takes at most to compile `pattern`, or to refuse it.
    ///
    /// Read off the text, in time linear in it; the same each time, whether the engine has the
    /// pattern or not.
    func work(of pattern: String) -> Int

    /// Whether the engine remembers what came of `pattern`, so that asking for it again takes no
    /// work.
    func has(_ pattern: String) -> Bool

    /// Compiles `pattern`.
    ///
    /// An engine does well to remember the last few: some are asked for at each evaluation.
    ///
    /// - Throws: why the pattern cannot be used.
    func matcher(for pattern: String) throws(RegexProblem) -> any RegexMatcher
}

/// One compiled regular expression.
public protocol RegexMatcher: AnyObject {
    /// Units of the cost budget that a search through so many bytes takes: linear in them, whatever
    /// the text.
    func cost(ofBytes count: Int) -> Int

    /// Whether the pattern is found anywhere in `text`.
    ///
    /// - Throws: when the search could not be carried through.
    func isFound(in text: String) throws(RegexProblem) -> Bool
}

/// Why a regular expression cannot be used.
public struct RegexProblem: Error, Hashable, Sendable {
    /// A sentence without a full stop.
    public let message: String
    /// Byte offset in the pattern of the part that is wrong; 0 where that is not known.
    public let offset: Int
    /// `expr_syntax` where the pattern is wrong, `pattern_limit` where it is too much.
    public let code: ExpressionErrorCode
    /// What to do about it, where that can be guessed.
    public let hint: String?

    /// A problem at a place in the pattern.
    public init(
        _ message: String,
        at offset: Int = 0,
        code: ExpressionErrorCode = .syntax,
        hint: String? = nil
    ) {
        self.message = message
        self.offset = offset
        self.code = code
        self.hint = hint
    }

    /// What stops an evaluation or a check.
    var sentence: String {
        code == .syntax ? "the regular expression cannot be used: \(message)" : message
    }
}
