/// Makes matchers for `matches`: RE2 syntax, time linear in the text, search (not anchored).
public protocol RegexEngine: AnyObject {
    /// Compiles `pattern`, or answers nil when it is none. Called once per constant pattern, or per evaluation.
    func matcher(for pattern: String) -> (any RegexMatcher)?
}

/// One compiled regular expression.
public protocol RegexMatcher: AnyObject {
    /// Whether the pattern is found anywhere in `text`.
    func isFound(in text: String) -> Bool
}
