/// What the words of a definition look like.
public enum Words {
    /// Whether a graph or node may be called so: `[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}` (wire-protocol.md §3).
    public static func isName(_ text: String) -> Bool {
        let bytes = text.utf8
        guard (1...128).contains(bytes.count), let first = bytes.first, isWordByte(first) else {
            return false
        }
        return bytes.allSatisfy { isWordByte($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Whether an expression can name a variable so: a CEL identifier that is no reserved word.
    public static func isIdentifier(_ text: String) -> Bool {
        let bytes = text.utf8
        guard let first = bytes.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
            return false
        }
        return bytes.allSatisfy(isWordByte) && !reserved.contains(text)
    }

    /// CEL's reserved words (language definition, syntax).
    static let reserved: Set<String> = [
        "true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if",
        "import",
        "let", "loop", "package", "namespace", "return", "var", "void", "while",
    ]

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension Stage.Span {
    /// The longest span: a year of 366 days.
    public static let longest = 366 * 24 * 3_600_000

    /// Reads `250ms`, `5s`, `2m`, `1h` or whole milliseconds; nil for anything else, zero, and more than a year.
    public init?(_ text: String) {
        let digits = text.prefix { "0"..."9" ~= $0 }
        let factors = ["": 1, "ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000]
        guard let number = Int(digits), let factor = factors[String(text.dropFirst(digits.count))] else {
            return nil
        }
        let (milliseconds, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow, (1...Stage.Span.longest).contains(milliseconds) else { return nil }
        self.init(milliseconds: milliseconds)
    }
}
