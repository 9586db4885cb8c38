internal import Support

/// What an expression may call a variable.
public enum Identifier {
    /// Words that are not names, not even after a dot.
    static let keywords: Set<String> = ["in", "true", "false", "null"]

    /// Words the published grammar keeps from being names of variables.
    static let reservedWords: Set<String> = [
        "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop",
        "package",
        "namespace", "return", "var", "void", "while",
    ]

    /// The words the language keeps for itself.
    public static let reserved = keywords.union(reservedWords)

    /// Whether `text` is a variable's name: letters, digits and `_`, no digit first, and no
    /// reserved word.
    public static func isValid(_ text: String) -> Bool {
        guard let first = text.utf8.first, !ASCII.isDigit(first) else { return false }
        return text.utf8.allSatisfy(ASCII.isWord) && !isReserved(text)
    }

    /// Whether the language keeps the word for itself.
    public static func isReserved(_ word: String) -> Bool {
        reserved.contains(word)
    }
}
