/// Reads an expression by the published grammar.
///
/// Recursion happens only where brackets nest, at most `maximumNesting` deep; chains of operators,
/// members and conditionals are loops.
struct Parser {
    static let maximumNesting = 64
    static let maximumSourceBytes = 262_144

    private let source: String
    private var lexer: Lexer
    private var token: Token
    /// The token before, for hints.
    private var previous: Token?
    private var nesting = 0

    static func parse(_ source: String) throws(ExpressionProblem) -> Syntax {
        guard source.utf8.count <= maximumSourceBytes else {
            throw ExpressionProblem(
                .syntax,
                "the expression is longer than \(maximumSourceBytes) bytes",
                at: 0,
                in: ""
            )
        }
        var parser = try Parser(source)
        let result = try parser.expression()
        guard parser.token.kind == .end else {
            throw parser.unexpected("an operator or the end of the expression")
        }
        return result
    }

    private init(_ source: String) throws(ExpressionProblem) {
        self.source = source
        lexer = Lexer(source)
        token = try lexer.next()
    }

    // MARK: Operators

    private mutating func expression() throws(ExpressionProblem) -> Syntax {
        nesting += 1
        guard nesting <= Parser.maximumNesting else {
            throw problem(
                "the expression nests more than \(Parser.maximumNesting) levels deep",
                at: token.offset
            )
        }
        defer { nesting -= 1 }

        var choices: [(condition: Syntax, then: Syntax, offset: Int)] = []
        var last = try logical(isAnd: false)
        while token.isSymbol("?") {
            let offset = token.offset
            try advance()
            // The published grammar allows no bare conditional here, unlike after the colon.
            let then = try logical(isAnd: false)
            try expect(":")
            choices.append((last, then, offset))
            last = try logical(isAnd: false)
        }
        for choice in choices.reversed() {
            last = try make(.conditional(choice.condition, choice.then, last), at: choice.offset)
        }
        return last
    }

    private mutating func logical(isAnd: Bool) throws(ExpressionProblem) -> Syntax {
        let symbol = isAnd ? "&&" : "||"
        let first = try isAnd ? binary(minimum: 1) : logical(isAnd: true)
        guard token.isSymbol(symbol) else { return first }
        let offset = token.offset
        var operands = [first]
        while token.isSymbol(symbol) {
            try advance()
            try operands.append(isAnd ? binary(minimum: 1) : logical(isAnd: true))
        }
        return try make(.logical(isAnd: isAnd, operands), at: offset)
    }

    private mutating func binary(minimum: Int) throws(ExpressionProblem) -> Syntax {
        var left = try unary()
        while let operation = binaryOperator(), operation.precedence >= minimum {
            let offset = token.offset
            try advance()
            let right = try binary(minimum: operation.precedence + 1)
            left = try make(.binary(operation, left, right), at: offset)
        }
        return left
    }

    private func binaryOperator() -> BinaryOperator? {
        switch token.kind {
        case .symbol: BinaryOperator(rawValue: token.text)
        case .keyword where token.text == "in": .isIn
        default: nil
        }
    }

    private mutating func unary() throws(ExpressionProblem) -> Syntax {
        var operators: [(UnaryOperator, Int)] = []
        while token.kind == .symbol, let operation = UnaryOperator(rawValue: token.text) {
            operators.append((operation, token.offset))
            try advance()
        }
        var operand: Syntax
        if let (operation, offset) = operators.last, operation == .negate,
            let literal = try negativeNumber(at: offset)
        {
            operators.removeLast()
            operand = try members(of: literal)
        } else {
            operand = try members(of: primary())
        }
        // Two of the same kind cancel out only in value, not in type: keep them all.
        for (operation, offset) in operators.reversed() {
            operand = try make(.unary(operation, operand), at: offset)
        }
        return operand
    }

    private mutating func negativeNumber(at offset: Int) throws(ExpressionProblem) -> Syntax? {
        let value: Value
        switch token.kind {
        case .int(let magnitude): value = .int(Int64(truncatingIfNeeded: 0 &- magnitude))
        case .double(let number): value = .double(-number)
        default: return nil
        }
        try advance()
        return try make(.literal(value), at: offset)
    }

    // MARK: Members

    private mutating func members(of operand: Syntax) throws(ExpressionProblem) -> Syntax {
        var operand = operand
        while true {
            if token.isSymbol(".") {
                let offset = token.offset
                try advance()
                let isOptional = try skip("?")
                operand = try member(of: operand, isOptional: isOptional, at: offset)
            } else if token.isSymbol("[") {
                let offset = token.offset
                try advance()
                let isOptional = try skip("?")
                let index = try expression()
                try expect("]")
                operand = try make(.index(operand, index, isOptional: isOptional), at: offset)
            } else if token.isSymbol("{"), operand.isQualifiedName {
                throw problem(
                    "messages are not supported",
                    at: token.offset,
                    hint: "a map is written {'key': value}"
                )
            } else {
                return operand
            }
        }
    }

    private mutating func member(
        of operand: Syntax,
        isOptional: Bool,
        at dot: Int
    ) throws(ExpressionProblem) -> Syntax {
        let name = token
        guard name.kind == .identifier || name.kind == .quotedIdentifier else {
            throw unexpected("a field name")
        }
        try advance()
        if name.kind == .identifier, !isOptional, token.isSymbol("(") {
            let arguments = try list(until: ")")
            return try make(
                .call(target: operand, function: name.text, isAbsolute: false, arguments: arguments),
                at: name.offset
            )
        }
        return try make(.select(operand, field: name.text, isOptional: isOptional), at: dot)
    }

    // MARK: Primaries

    private mutating func primary() throws(ExpressionProblem) -> Syntax {
        let start = token
        switch start.kind {
        case .identifier:
            return try name(isAbsolute: false)
        case .keyword:
            return try keyword()
        case .symbol:
            switch start.text {
            case "(":
                try advance()
                let inner = try expression()
                try expect(")")
                return inner
            case "[": return try listLiteral()
            case "{": return try mapLiteral()
            case ".":
                try advance()
                return try name(isAbsolute: true)
            default: break
            }
        default:
            if let value = try literal() {
                try advance()
                return try make(.literal(value), at: start.offset)
            }
        }
        throw unexpected("a value, a name or '('")
    }

    private func literal() throws(ExpressionProblem) -> Value? {
        switch token.kind {
        case .int(let magnitude):
            guard let value = Int64(exactly: magnitude) else {
                throw problem("this number does not fit in an int", at: token.offset)
            }
            return .int(value)
        case .uint(let value): return .uint(value)
        case .double(let value): return .double(value)
        case .string: return .string(token.text)
        case .bytes(let bytes): return .bytes(bytes)
        default: return nil
        }
    }

    private mutating func keyword() throws(ExpressionProblem) -> Syntax {
        let start = token
        let value: Value
        switch start.text {
        case "true": value = .bool(true)
        case "false": value = .bool(false)
        case "null": value = .null
        default: throw unexpected("a value, a name or '('")
        }
        try advance()
        return try make(.literal(value), at: start.offset)
    }

    private mutating func name(isAbsolute: Bool) throws(ExpressionProblem) -> Syntax {
        let start = token
        guard start.kind == .identifier else { throw unexpected("a name") }
        if Identifier.reservedWords.contains(start.text) {
            throw problem(
                "'\(start.text)' is a reserved word",
                at: start.offset,
                hint: OtherLanguages.hint(start, after: previous) ?? "give the value another name"
            )
        }
        try advance()
        if token.isSymbol("(") {
            let arguments = try list(until: ")")
            return try make(
                .call(target: nil, function: start.text, isAbsolute: isAbsolute, arguments: arguments),
                at: start.offset
            )
        }
        return try make(.name(start.text, isAbsolute: isAbsolute), at: start.offset)
    }

    /// The expressions from the bracket under the cursor to its end; no comma may trail.
    private mutating func list(until end: String) throws(ExpressionProblem) -> [Syntax] {
        try advance()
        var items: [Syntax] = []
        if try skip(end) { return items }
        while true {
            try items.append(expression())
            if try skip(end) { return items }
            try expect(",", or: end)
        }
    }

    private mutating func listLiteral() throws(ExpressionProblem) -> Syntax {
        let start = token.offset
        try advance()
        var elements: [Syntax.Element] = []
        // The published grammar lets a comma stand alone.
        if try skip(",") {
            try expect("]")
            return try make(.list([]), at: start)
        }
        while try !skip("]") {
            let isOptional = try skip("?")
            try elements.append(Syntax.Element(value: expression(), isOptional: isOptional))
            if try skip("]") { break }
            try expect(",", or: "]")
        }
        return try make(.list(elements), at: start)
    }

    private mutating func mapLiteral() throws(ExpressionProblem) -> Syntax {
        let start = token.offset
        try advance()
        var entries: [Syntax.Entry] = []
        if try skip(",") {
            try expect("}")
            return try make(.map([]), at: start)
        }
        while try !skip("}") {
            let isOptional = try skip("?")
            let key = try expression()
            try expect(":")
            try entries.append(Syntax.Entry(key: key, value: expression(), isOptional: isOptional))
            if try skip("}") { break }
            try expect(",", or: "}")
        }
        return try make(.map(entries), at: start)
    }

    // MARK: Tokens

    private mutating func advance() throws(ExpressionProblem) {
        previous = token
        token = try lexer.next()
    }

    private mutating func skip(_ symbol: String) throws(ExpressionProblem) -> Bool {
        guard token.isSymbol(symbol) else { return false }
        try advance()
        return true
    }

    private mutating func expect(_ symbol: String, or other: String? = nil) throws(ExpressionProblem) {
        guard try skip(symbol) else {
            throw unexpected(other.map { "'\(symbol)' or '\($0)'" } ?? "'\(symbol)'")
        }
    }

    private func make(_ form: Syntax.Form, at offset: Int) throws(ExpressionProblem) -> Syntax {
        let syntax = Syntax(form, at: offset)
        guard syntax.depth <= Syntax.maximumDepth else {
            throw problem("the expression chains more than \(Syntax.maximumDepth) operations", at: offset)
        }
        return syntax
    }

    private func unexpected(_ wanted: String) -> ExpressionProblem {
        problem(
            "found \(token.description) where \(wanted) should be",
            at: token.offset,
            hint: OtherLanguages.hint(token, after: previous)
        )
    }

    private func problem(_ message: String, at offset: Int, hint: String? = nil) -> ExpressionProblem {
        ExpressionProblem(.syntax, message, at: offset, in: source, hint: hint)
    }
}

extension Syntax {
    /// Whether this is `a` or `a.b.c`.
    var isQualifiedName: Bool {
        qualifiedName != nil
    }

    /// Whether fewer fields than that follow one another at its end, or just as many.
    func hasAtMost(dots limit: Int) -> Bool {
        var (rest, dots) = (self, 0)
        while case .select(let operand, _, isOptional: false) = rest.form {
            dots += 1
            if dots > limit { return false }
            rest = operand
        }
        return true
    }

    /// `a.b.c` where the expression is nothing but names and dots.
    var qualifiedName: (name: String, isAbsolute: Bool)? {
        switch form {
        case .name(let name, let isAbsolute):
            return (name, isAbsolute)
        case .select(let operand, let field, isOptional: false):
            guard let (prefix, isAbsolute) = operand.qualifiedName else { return nil }
            return (prefix + "." + field, isAbsolute)
        default:
            return nil
        }
    }
}
