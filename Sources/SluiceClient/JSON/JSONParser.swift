/// Reads JSON as RFC 8259 has it.
///
/// Every message goes through it. Foundation's decoder needs fifteen times as long for values whose
/// type is not known, because it has to try one type after the other.
struct JSONParser {
    /// What is wrong, and where.
    struct Malformed: Error, CustomStringConvertible {
        let offset: Int

        var description: String { "malformed JSON at byte \(offset)" }
    }

    /// Deeper values than the server accepts; the limit keeps the stack from overflowing.
    private static let deepest = 128

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0

    private init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// The value of a whole text.
    static func parse(_ text: String) throws(Malformed) -> JSONValue {
        var parser = JSONParser(text)
        let value = try parser.value()
        guard parser.next() == nil else { throw parser.malformed }
        return value
    }

    private var malformed: Malformed { Malformed(offset: position) }

    /// The next byte that is no white space; it is not taken.
    private mutating func next() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            case let byte: return byte
            }
        }
        return nil
    }

    /// Takes the next byte if it is that one.
    private mutating func take(_ byte: Character) -> Bool {
        guard next() == byte.asciiValue else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Malformed) -> JSONValue {
        switch next() {
        case UInt8(ascii: "{"): return try nested { parser throws(Malformed) in try parser.object() }
        case UInt8(ascii: "["): return try nested { parser throws(Malformed) in try parser.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(
        _ read: (inout JSONParser) throws(Malformed) -> JSONValue
    ) throws(Malformed) -> JSONValue {
        depth += 1
        guard depth <= Self.deepest else { throw malformed }
        position += 1
        let value = try read(&self)
        depth -= 1
        return value
    }

    /// The members after the brace.
    ///
    /// Of those with the same key the last one counts.
    private mutating func object() throws(Malformed) -> JSONValue {
        var members: JSONObject = [:]
        if take("}") { return .object(members) }
        repeat {
            guard next() == UInt8(ascii: "\"") else { throw malformed }
            let key = try string()
            guard take(":") else { throw malformed }
            members[key] = try value()
        } while take(",")
        guard take("}") else { throw malformed }
        return .object(members)
    }

    /// The elements after the bracket.
    private mutating func array() throws(Malformed) -> JSONValue {
        var elements: [JSONValue] = []
        if take("]") { return .array(elements) }
        repeat { elements.append(try value()) } while take(",")
        guard take("]") else { throw malformed }
        return .array(elements)
    }

    private mutating func word(_ word: String, _ value: JSONValue) throws(Malformed) -> JSONValue {
        guard bytes[position...].starts(with: word.utf8) else { throw malformed }
        position += word.utf8.count
        return value
    }

    // Numbers

    private mutating func number() throws(Malformed) -> JSONValue {
        let start = position
        var isInteger = true
        skip("-")
        let first = position
        try digits()
        // 0 begins no other number.
        if bytes[first] == UInt8(ascii: "0"), position - first > 1 { throw Malformed(offset: first) }
        if skip(".") {
            isInteger = false
            try digits()
        }
        if skip("e") || skip("E") {
            isInteger = false
            if !skip("-") { skip("+") }
            try digits()
        }
        let text = String(decoding: bytes[start..<position], as: UTF8.self)
        if isInteger, let integer = Int64(text) { return .integer(integer) }
        if isInteger, let integer = UInt64(text) { return .unsigned(integer) }
        guard let number = Double(text), number.isFinite else { throw Malformed(offset: start) }
        return .number(number)
    }

    @discardableResult
    private mutating func skip(_ byte: Character) -> Bool {
        guard position < bytes.count, bytes[position] == byte.asciiValue else { return false }
        position += 1
        return true
    }

    /// One digit at least.
    private mutating func digits() throws(Malformed) {
        let start = position
        while position < bytes.count, (0x30...0x39).contains(bytes[position]) { position += 1 }
        if position == start { throw malformed }
    }

    // Strings

    private mutating func string() throws(Malformed) -> String {
        position += 1
        var (text, start) = ("", position)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[start..<position], as: UTF8.self)
                position += 1
                text.unicodeScalars.append(try escape())
                start = position
            case 0..<0x20: throw malformed
            default: position += 1
            }
        }
        throw malformed
    }

    /// What stands after a backslash.
    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        guard position < bytes.count else { throw malformed }
        let byte = bytes[position]
        position += 1
        switch Unicode.Scalar(byte) {
        case "\"", "\\", "/": return Unicode.Scalar(byte)
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "n": return "\n"
        case "r": return "\r"
        case "t": return "\t"
        case "u": return try scalar()
        default: throw malformed
        }
    }

    /// A character as four digits, or as two surrogates.
    ///
    /// One that stands alone is no character.
    private mutating func scalar() throws(Malformed) -> Unicode.Scalar {
        let unit = try fourDigits()
        if let scalar = Unicode.Scalar(UInt32(unit)) { return scalar }
        guard UTF16.isLeadSurrogate(unit), skip("\\"), skip("u") else { return "\u{FFFD}" }
        let other = try fourDigits()
        guard UTF16.isTrailSurrogate(other) else { throw malformed }
        let pair = (UInt32(unit) & 0x3FF) << 10 | UInt32(other) & 0x3FF
        return Unicode.Scalar(0x10000 + pair) ?? "\u{FFFD}"
    }

    private mutating func fourDigits() throws(Malformed) -> UInt16 {
        let end = position + 4
        guard end <= bytes.count else { throw malformed }
        let text = String(decoding: bytes[position..<end], as: UTF8.self)
        guard text.allSatisfy(\.isHexDigit), let unit = UInt16(text, radix: 16) else { throw malformed }
        position = end
        return unit
    }
}
