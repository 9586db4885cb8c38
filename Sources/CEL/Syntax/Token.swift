/// The smallest unit of an expression's text.
struct Token {
    enum Kind: Equatable {
        case end
        case identifier
        /// A name in backquotes, allowed after a dot.
        case quotedIdentifier
        /// One of the operators and brackets, as written.
        case symbol
        /// `in`, `true`, `false`, `null`.
        case keyword
        /// An int literal without its sign; the parser knows whether a minus stands before it.
        case int(UInt64)
        case uint(UInt64)
        case double(Double)
        case string
        case bytes([UInt8])
    }

    let kind: Kind
    /// The identifier, symbol or keyword, or a string literal's contents.
    let text: String
    /// Byte offset of the first byte.
    let offset: Int

    func isSymbol(_ symbol: String) -> Bool {
        kind == .symbol && text == symbol
    }

    /// How the token is named in messages; literals are not repeated.
    var description: String {
        switch kind {
        case .end: "the end of the expression"
        case .identifier, .keyword, .symbol: "'\(text)'"
        case .quotedIdentifier: "a quoted name"
        case .int, .uint, .double: "a number"
        case .string: "a string"
        case .bytes: "bytes"
        }
    }
}
