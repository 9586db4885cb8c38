internal import Support

extension Syntax {
    /// The expression with one way to format it: single spaces around operators, double quotes, no
    /// brackets that change nothing.
    var canonicalText: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch form {
        case .literal(let value):
            text += value.literalText
        case .name(let name, let isAbsolute):
            text += (isAbsolute ? "." : "") + name
        case .select(let operand, let field, let isOptional):
            operand.write(to: &text, atLeast: .member)
            text += (isOptional ? ".?" : ".") + field.asFieldName
        case .index(let operand, let index, let isOptional):
            operand.write(to: &text, atLeast: .member)
            text += isOptional ? "[?" : "["
            index.write(to: &text)
            text += "]"
        case .call(let target, let function, let isAbsolute, let arguments):
            if let target {
                target.write(to: &text, atLeast: .member)
                text += "."
            }
            text += (isAbsolute ? "." : "") + function + "("
            Syntax.write(arguments, to: &text)
            text += ")"
        case .unary(let operation, let operand):
            text += operation.rawValue
            // A number after a minus would be read as one negative literal.
            let startsWithNumber = operation == .negate && operand.startsWithNumber
            operand.write(to: &text, atLeast: startsWithNumber ? .closed : .unary)
        case .binary(let operation, let left, let right):
            let mine = Tightness(operation)
            left.write(to: &text, atLeast: mine)
            text += " \(operation.rawValue) "
            right.write(to: &text, atLeast: mine.next)
        case .logical(let isAnd, let operands):
            for (position, operand) in operands.enumerated() {
                if position > 0 { text += isAnd ? " && " : " || " }
                operand.write(to: &text, atLeast: isAnd ? .relation : .and)
            }
        case .conditional(let condition, let then, let otherwise):
            condition.write(to: &text, atLeast: .or)
            text += " ? "
            then.write(to: &text, atLeast: .or)
            text += " : "
            otherwise.write(to: &text)
        case .list(let elements):
            text += "["
            for (position, element) in elements.enumerated() {
                text += (position > 0 ? ", " : "") + (element.isOptional ? "?" : "")
                element.value.write(to: &text)
            }
            text += "]"
        case .map(let entries):
            text += "{"
            for (position, entry) in entries.enumerated() {
                text += (position > 0 ? ", " : "") + (entry.isOptional ? "?" : "")
                entry.key.write(to: &text)
                text += ": "
                entry.value.write(to: &text)
            }
            text += "}"
        }
    }

    private func write(to text: inout String, atLeast minimum: Tightness) {
        let needsBrackets = tightness < minimum
        text += needsBrackets ? "(" : ""
        write(to: &text)
        text += needsBrackets ? ")" : ""
    }

    private static func write(_ items: [Syntax], to text: inout String) {
        for (position, item) in items.enumerated() {
            text += position > 0 ? ", " : ""
            item.write(to: &text)
        }
    }

    private var tightness: Tightness {
        switch form {
        case .conditional: .conditional
        case .logical(let isAnd, _): isAnd ? .and : .or
        case .binary(let operation, _, _): Tightness(operation)
        case .unary: .unary
        default: .member
        }
    }

    private var startsWithNumber: Bool {
        switch form {
        case .literal(.int), .literal(.uint), .literal(.double): true
        case .select(let operand, _, _), .index(let operand, _, _): operand.startsWithNumber
        case .call(let target, _, _, _): target?.startsWithNumber ?? false
        default: false
        }
    }
}

/// How tightly an expression holds together, loosest first.
private enum Tightness: Int, Comparable {
    case conditional, or, and, relation, sum, product, unary, member, closed

    init(_ operation: BinaryOperator) {
        switch operation.precedence {
        case 3: self = .product
        case 2: self = .sum
        default: self = .relation
        }
    }

    var next: Tightness {
        Tightness(rawValue: rawValue + 1) ?? .closed
    }

    static func < (a: Tightness, b: Tightness) -> Bool {
        a.rawValue < b.rawValue
    }
}

extension Value {
    /// The literal that stands for a scalar.
    fileprivate var literalText: String {
        switch self {
        case .bool(let flag): flag ? "true" : "false"
        case .int(let number): String(number)
        case .uint(let number): String(number) + "u"
        // A literal too large for a double; 'inf' would be a name.
        case .double(.infinity): "1e999"
        case .double(-.infinity): "-1e999"
        case .double(let number): number.description
        case .string(let text): text.asLiteral
        case .bytes(let bytes): "b\"" + bytes.map(\.asEscape).joined() + "\""
        default: "null"
        }
    }
}

extension UInt8 {
    /// The letter after the backslash in the escape that the language has for it alone, such as
    /// `\n`; nil if there is none.
    var escapeLetter: UInt8? {
        switch self {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): self
        case UInt8(ascii: "\n"): UInt8(ascii: "n")
        case UInt8(ascii: "\r"): UInt8(ascii: "r")
        case UInt8(ascii: "\t"): UInt8(ascii: "t")
        case 0x07: UInt8(ascii: "a")
        case 0x08: UInt8(ascii: "b")
        case 0x0b: UInt8(ascii: "v")
        case 0x0c: UInt8(ascii: "f")
        default: nil
        }
    }
}

extension String {
    /// The string in double quotes, with what must be escaped escaped.
    var asLiteral: String {
        var literal = "\""
        for scalar in unicodeScalars {
            if scalar.isASCII, let letter = UInt8(scalar.value).escapeLetter {
                literal += "\\" + String(UnicodeScalar(letter))
            } else if scalar.value < 0x20 || scalar.value == 0x7f {
                literal += UInt8(truncatingIfNeeded: scalar.value).asEscape
            } else {
                literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    fileprivate var asFieldName: String {
        let isPlain = utf8.allSatisfy(ASCII.isWord)
        let startsWithDigit = utf8.first.map(ASCII.isDigit) ?? true
        return isPlain && !startsWithDigit && !Identifier.keywords.contains(self) ? self : "`\(self)`"
    }
}

extension UInt8 {
    /// The byte as it stands in a bytes literal.
    fileprivate var asEscape: String {
        if ASCII.isLetter(self) || ASCII.isDigit(self) || self == UInt8(ascii: " ") {
            return String(UnicodeScalar(self))
        }
        return "\\x" + String(self, width: 2, radix: 16)
    }
}
