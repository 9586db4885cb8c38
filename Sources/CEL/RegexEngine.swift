/// Makes matchers for `matches`: RE2 syntax, time linear in the text, search (not anchored).
///
/// The library brings none: a program that wants `matches` gives one with ``Options/regex``.
public protocol RegexEngine: AnyObject {
    /// Units of the cost budget that compiling `pattern` takes, at least what it does, known without doing it.
    ///
    /// That must not depend on what the engine remembers: the outcome of an evaluation would.
    func cost(ofCompiling pattern: String) -> Int

    /// Compiles `pattern`.
    ///
    /// - Parameters:
    ///   - pattern: the regular expression.
    ///   - isKept: whether the matcher is for an expression that is kept, asked for once when that is checked; else it is for
    ///     one evaluation, and whoever often meets the same few patterns does well to remember them.
    /// - Returns: what searches for the pattern.
    /// - Throws: why the pattern cannot be used.
    func matcher(for pattern: String, isKept: Bool) throws(RegexProblem) -> any RegexMatcher
}

/// One compiled regular expression.
public protocol RegexMatcher: AnyObject {
    /// Units of the cost budget that a search through so many bytes takes: linear in them, whatever the text.
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

    /// A problem at a place in the pattern.
    public init(_ message: String, at offset: Int = 0) {
        self.message = message
        self.offset = offset
    }

    /// What stops an evaluation or a check.
    var sentence: String { "the regular expression cannot be used: \(message)" }
}
