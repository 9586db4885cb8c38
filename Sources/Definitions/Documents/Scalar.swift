public import Values

/// A scalar of a document: its text, its style, and its value by the YAML 1.2 core schema.
public struct Scalar: Hashable, Sendable {
    /// How a scalar was written.
    public enum Style: Hashable, Sendable {
        /// Without quotes: the only style that the core schema types.
        case plain
        case singleQuoted, doubleQuoted
        /// `|` and `>` blocks.
        case literal, folded
    }

    /// What a scalar is by the core schema.
    public enum TypedValue: Hashable, Sendable {
        case null
        case bool(Bool)
        /// A number as JSON text: hexadecimal, octal and abbreviated forms are already rewritten.
        case number(String)
        /// `.inf`, `-.inf` or `.nan`, which JSON does not have.
        case notFinite
        case string(String)
    }

    /// Its text, with escapes resolved.
    public let text: String
    public let style: Style
    /// Where it begins, including its quote.
    public let position: Position
    /// Spaces before each line of a block scalar.
    public let indent: Int

    init(text: String, style: Style, position: Position, indent: Int) {
        self.text = text
        self.style = style
        self.position = position
        self.indent = indent
    }

    /// The value.
    ///
    /// `true`, `True`, `TRUE`, `null`, `~`, an empty scalar and numbers are typed if they are
    /// plain; all others are strings.
    ///
    /// This is the whole core schema of YAML 1.2.2 §10.3.2, so `off`, `yes` and `12:30` are
    /// strings.
    public var value: TypedValue {
        style == .plain ? CoreSchema.value(of: text) : .string(text)
    }

    /// The place in the file of a character of the text, given by its line and column within the
    /// text, both from 1.
    ///
    /// Exact for text on one line without escapes and for `|` blocks; approximate for folded and
    /// escaped text.
    public func position(line: Int, column: Int) -> Position {
        switch style {
        case .literal, .folded:
            Position(line: position.line + line, column: indent + column)
        case .plain where line == 1:
            Position(line: position.line, column: position.column + column - 1)
        case .singleQuoted where line == 1, .doubleQuoted where line == 1:
            Position(line: position.line, column: position.column + column)
        default:
            Position(line: position.line + line - 1, column: indent + column)
        }
    }
}

extension Scalar.TypedValue {
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .notFinite: "a number that is not finite"
        case .string: "a string"
        }
    }
}

/// The core schema of YAML 1.2.2 §10.3.2.
enum CoreSchema {
    static func value(of text: String) -> Scalar.TypedValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN",
            ".NAN":
            return .notFinite
        default:
            if let number = number(text) { return .number(number) }
            return .string(text)
        }
    }

    /// A core schema number in JSON's form; nil if the text is not a number.
    private static func number(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        if bytes.starts(with: "0x".utf8) { return radix(bytes.dropFirst(2), 16) }
        if bytes.starts(with: "0o".utf8) { return radix(bytes.dropFirst(2), 8) }
        var at = 0
        var result = ""
        if let sign = bytes.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
            at = 1
            if sign == UInt8(ascii: "-") {
                result = "-"
            }
        }
        func digits() -> [UInt8] {
            let start = at
            while at < bytes.count, bytes[at] &- UInt8(ascii: "0") <= 9 {
                at += 1
            }
            return Array(bytes[start..<at])
        }
        let whole = digits()
        var fraction: [UInt8] = []
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at += 1
            fraction = digits()
        }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        let significant = whole.drop { $0 == UInt8(ascii: "0") }
        result += significant.isEmpty ? "0" : String(decoding: significant, as: UTF8.self)
        if !fraction.isEmpty {
            result += "." + String(decoding: fraction, as: UTF8.self)
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
            at += 1
            result += "e"
            if at < bytes.count, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") {
                result += bytes[at] == UInt8(ascii: "-") ? "-" : ""
                at += 1
            }
            let exponent = digits()
            guard !exponent.isEmpty else { return nil }
            result += String(decoding: exponent, as: UTF8.self)
        }
        return at == bytes.count ? result : nil
    }

    /// Digits of base 16 or 8 as a decimal number; nil if there are no digits, invalid ones, or too
    /// many for 64 bits.
    private static func radix(_ digits: ArraySlice<UInt8>, _ base: Int) -> String? {
        guard !digits.isEmpty, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
        else {
            return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: base).map { String($0) }
    }
}
