internal import CEL
internal import Definitions
internal import JOSE
internal import Support
internal import Values

/// The claims of a token, for expressions: `claims`, and `sub` for its subject.
struct Claims {
    private static let variables = ["claims", "sub"]

    /// An expression over claims; nil after its problems have been reported.
    static func expression(
        _ document: Document,
        of what: String,
        from reader: DocumentReader
    ) -> Expression? {
        reader.expression(document, of: what, variables: variables)
    }

    private let arguments: [Value]

    /// The claims of a token whose payload has been read before.
    init(_ token: IssuedToken) {
        let tree = token.payload.withBorrowedBytes { try? JSONTree.parse($0) }
        arguments = [tree ?? .null, .string(token.claims.subject)]
    }

    /// The value of an expression; nil where it fails, as it does for a claim that is missing.
    func value(_ expression: Expression) -> Value? {
        try? expression.program.evaluate(arguments)
    }

    /// Whether an expression holds.
    func holds(_ expression: Expression) -> Bool {
        if case .bool(true)? = value(expression) { true } else { false }
    }

    /// The text of an expression's value, or the texts of a list; whole numbers are texts, too.
    func texts(_ expression: Expression) -> [String] {
        value(expression).map(Self.texts) ?? []
    }

    static func texts(_ value: Value) -> [String] {
        switch value {
        case .string(let text): [text]
        case .int(let number): ["\(number)"]
        case .uint(let number): ["\(number)"]
        case .double(let number): Int(exactly: number).map { ["\($0)"] } ?? []
        case .list(let list):
            list.flatMap { element -> [String] in
                if case .list = element { [] } else { texts(element) }
            }
        default: []
        }
    }
}
