internal import Support

/// Cuts an expression's text into tokens, one at a time.
struct Lexer {
    let source: String
    private let bytes: [UInt8]
    private var position = 0

    init(_ source: String) {
        self.source = source
        bytes = Array(source.utf8)
    }

    /// The next token; at the end, `end` for ever.
    mutating func next() throws(ExpressionProblem) -> Token {
        skipBlanksAndComments()
        let start = position
        guard let byte = peek() else {
            return Token(kind: .end, text: "", offset: start)
        }
        if isIdentifierStart(byte) {
            return try wordOrPrefixedLiteral()
        }
        if isDigit(byte) || (byte == UInt8(ascii: ".") && isDigit(peek(1))) {
            return try number()
        }
        if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            return try quoted(start: start, isRaw: false, isBytes: false)
        }
        if byte == UInt8(ascii: "`") {
            return try quotedIdentifier()
        }
        return try symbol(byte)
    }

    // MARK: Blanks, names, symbols

    private mutating func skipBlanksAndComments() {
        while let byte = peek() {
            switch byte {
            case 0x20, 0x09, 0x0a, 0x0c, 0x0d:
                position += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"):
                while let byte = peek(), byte != 0x0a {
                    position += 1
                }
            default:
                return
            }
        }
    }

    private mutating func wordOrPrefixedLiteral() throws(ExpressionProblem) -> Token {
        let start = position
        while isIdentifierStart(peek()) || isDigit(peek()) {
            position += 1
        }
        let word = text(start..<position)
        if let byte = peek(), byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
            switch word.lowercased() {
            case "r": return try quoted(start: start, isRaw: true, isBytes: false)
            case "b": return try quoted(start: start, isRaw: false, isBytes: true)
            case "br", "rb": return try quoted(start: start, isRaw: true, isBytes: true)
            default: break
            }
        }
        return Token(
            kind: Identifier.keywords.contains(word) ? .keyword : .identifier,
            text: word,
            offset: start
        )
    }

    private mutating func quotedIdentifier() throws(ExpressionProblem) -> Token {
        let start = position
        position += 1
        while let byte = peek(), byte != UInt8(ascii: "`") {
            let isAllowed =
                isIdentifierStart(byte) || isDigit(byte) || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "/") || byte == UInt8(ascii: " ")
            guard isAllowed else {
                throw problem(
                    "a quoted name may contain letters, digits, '_', '.', '-', '/' and spaces",
                    at: position
                )
            }
            position += 1
        }
        guard peek() != nil else { throw problem("this quoted name has no end", at: start) }
        guard position > start + 1 else { throw problem("a quoted name may not be empty", at: start) }
        position += 1
        return Token(kind: .quotedIdentifier, text: text(start + 1..<position - 1), offset: start)
    }

    private mutating func symbol(_ byte: UInt8) throws(ExpressionProblem) -> Token {
        let start = position
        let length = Self.isPair(byte, peek(1)) ? 2 : 1
        guard length == 2 || Self.symbols.contains(byte) else { throw unexpected(byte, at: start) }
        position += length
        return Token(kind: .symbol, text: text(start..<position), offset: start)
    }

    private static let symbols = Array("+-*/%<>!?:.,()[]{}".utf8)

    private static func isPair(_ first: UInt8, _ second: UInt8?) -> Bool {
        switch first {
        case UInt8(ascii: "="), UInt8(ascii: "!"), UInt8(ascii: "<"), UInt8(ascii: ">"):
            second == UInt8(ascii: "=")
        case UInt8(ascii: "&"), UInt8(ascii: "|"): second == first
        default: false
        }
    }

    private func unexpected(_ byte: UInt8, at start: Int) -> ExpressionProblem {
        let hint: String? =
            switch byte {
            case UInt8(ascii: "="): "for equality write '=='"
            case UInt8(ascii: "&"): "for 'and' write '&&'"
            case UInt8(ascii: "|"): "for 'or' write '||'"
            default: nil
            }
        return problem("this character has no meaning here", at: start, hint: hint)
    }

    // MARK: Numbers

    private mutating func number() throws(ExpressionProblem) -> Token {
        let start = position
        if peek() == UInt8(ascii: "0"), peek(1).map({ $0 | 0x20 }) == UInt8(ascii: "x"), isHexDigit(peek(2)) {
            position += 2
            let digits = position
            while isHexDigit(peek()) {
                position += 1
            }
            return try integer(text(digits..<position), radix: 16, start: start)
        }
        skipDigits()
        var isDouble = false
        if peek() == UInt8(ascii: "."), isDigit(peek(1)) {
            isDouble = true
            position += 1
            skipDigits()
        }
        if peek().map({ $0 | 0x20 }) == UInt8(ascii: "e") {
            let signed = peek(1) == UInt8(ascii: "+") || peek(1) == UInt8(ascii: "-")
            if isDigit(peek(signed ? 2 : 1)) {
                isDouble = true
                position += signed ? 2 : 1
                skipDigits()
            }
        }
        guard isDouble else {
            return try integer(text(start..<position), radix: 10, start: start)
        }
        let written = text(start..<position)
        guard let value = Double(written.hasPrefix(".") ? "0" + written : written) else {
            throw problem("this is not a number", at: start)
        }
        return Token(kind: .double(value), text: "", offset: start)
    }

    private mutating func integer(_ digits: String, radix: Int, start: Int) throws(ExpressionProblem) -> Token
    {
        let value = UInt64(digits, radix: radix)
        if peek().map({ $0 | 0x20 }) == UInt8(ascii: "u") {
            position += 1
            guard let value else { throw problem("this number does not fit in a uint", at: start) }
            return Token(kind: .uint(value), text: "", offset: start)
        }
        guard let value, value <= Int64.min.magnitude else {
            throw problem(
                "this number does not fit in an int",
                at: start,
                hint: "a number with a fraction is a double"
            )
        }
        return Token(kind: .int(value), text: "", offset: start)
    }

    private mutating func skipDigits() {
        while isDigit(peek()) {
            position += 1
        }
    }

    // MARK: Strings

    private mutating func quoted(start: Int, isRaw: Bool, isBytes: Bool) throws(ExpressionProblem) -> Token {
        let quote = bytes[position]
        let isTriple = peek(1) == quote && peek(2) == quote
        position += isTriple ? 3 : 1
        var contents: [UInt8] = []
        while true {
            guard let byte = peek() else { throw problem("this string has no end", at: start) }
            if byte == quote, !isTriple || (peek(1) == quote && peek(2) == quote) {
                position += isTriple ? 3 : 1
                break
            }
            if !isTriple, byte == 0x0a || byte == 0x0d {
                throw problem(
                    "this string has no end on its line",
                    at: start,
                    hint: "use three quotes for several lines"
                )
            }
            if byte == UInt8(ascii: "\\"), !isRaw {
                try escape(into: &contents, isBytes: isBytes)
            } else {
                contents.append(byte)
                position += 1
            }
        }
        if isBytes {
            return Token(kind: .bytes(contents), text: "", offset: start)
        }
        return Token(kind: .string, text: String(decoding: contents, as: UTF8.self), offset: start)
    }

    private mutating func escape(into contents: inout [UInt8], isBytes: Bool) throws(ExpressionProblem) {
        let start = position
        guard let letter = peek(1) else { throw problem("this string has no end", at: start) }
        position += 2
        switch letter {
        case UInt8(ascii: "a"): contents.append(0x07)
        case UInt8(ascii: "b"): contents.append(0x08)
        case UInt8(ascii: "f"): contents.append(0x0c)
        case UInt8(ascii: "n"): contents.append(0x0a)
        case UInt8(ascii: "r"): contents.append(0x0d)
        case UInt8(ascii: "t"): contents.append(0x09)
        case UInt8(ascii: "v"): contents.append(0x0b)
        case UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
            contents.append(letter)
        case UInt8(ascii: "x"), UInt8(ascii: "X"):
            try append(code: digits(2, radix: 16, at: start), to: &contents, isBytes: isBytes, at: start)
        case UInt8(ascii: "u") where !isBytes:
            try append(code: digits(4, radix: 16, at: start), to: &contents, isBytes: false, at: start)
        case UInt8(ascii: "U") where !isBytes:
            try append(code: digits(8, radix: 16, at: start), to: &contents, isBytes: false, at: start)
        case UInt8(ascii: "0")...UInt8(ascii: "3"):
            position -= 1
            try append(code: digits(3, radix: 8, at: start), to: &contents, isBytes: isBytes, at: start)
        default:
            throw problem(
                "this escape is not known",
                at: start,
                hint: "write a backslash as '\\\\', or use r'…'"
            )
        }
    }

    private mutating func digits(_ count: Int, radix: Int, at start: Int) throws(ExpressionProblem) -> UInt32
    {
        let end = position + count
        guard end <= bytes.count, let value = UInt32(text(position..<end), radix: radix), isHexDigit(peek())
        else {
            throw problem(
                "this escape needs \(count) \(radix == 8 ? "octal" : "hexadecimal") digits",
                at: start
            )
        }
        position = end
        return value
    }

    private func append(
        code: UInt32,
        to contents: inout [UInt8],
        isBytes: Bool,
        at start: Int
    ) throws(ExpressionProblem) {
        if isBytes {
            contents.append(UInt8(truncatingIfNeeded: code))
        } else if let scalar = UnicodeScalar(code) {
            contents.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        } else {
            throw problem("this escape is not a Unicode character", at: start)
        }
    }

    // MARK: Bytes

    private func peek(_ distance: Int = 0) -> UInt8? {
        position + distance < bytes.count ? bytes[position + distance] : nil
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func problem(_ message: String, at offset: Int, hint: String? = nil) -> ExpressionProblem {
        ExpressionProblem(.syntax, message, at: offset, in: source, hint: hint)
    }
}

private func isDigit(_ byte: UInt8?) -> Bool {
    byte.map(ASCII.isDigit) ?? false
}

private func isHexDigit(_ byte: UInt8?) -> Bool {
    byte.flatMap(ASCII.hexadecimal) != nil
}

private func isIdentifierStart(_ byte: UInt8?) -> Bool {
    byte.map { ASCII.isWord($0) && !ASCII.isDigit($0) } ?? false
}
