import CEL

/// RFC 8259 implemented as plainly as possible: recursive, character by character, without thought
/// of speed.
///
/// It makes the choices that Sluice makes where the RFC leaves one; the real readers are compared
/// with it.
struct PlainJSON {
    private var rest: ArraySlice<UInt8>
    private let depthLimit: Int

    /// The value, or nil where the bytes are not acceptable.
    static func parse(_ bytes: [UInt8], depth: Int = 64) -> Value? {
        // A byte order mark would be a character outside a string, which the grammar has no place
        // for.
        guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
        var parser = PlainJSON(rest: bytes[...], depthLimit: depth)
        parser.skipBlanks()
        guard let value = parser.value(0) else { return nil }
        parser.skipBlanks()
        // Not `? value : nil`: a `Value` may be nil too, which is JSON's null.
        guard parser.rest.isEmpty else { return nil }
        return value
    }

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func take(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private mutating func value(_ depth: Int) -> Value? {
        if take("null") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if take("\"") { return string().map { .string($0) } }
        if take("[") { return depth < depthLimit ? array(depth + 1) : nil }
        if take("{") { return depth < depthLimit ? object(depth + 1) : nil }
        return number()
    }

    private mutating func array(_ depth: Int) -> Value? {
        var elements: [Value] = []
        skipBlanks()
        if take("]") { return .list(ValueList([])) }
        while true {
            skipBlanks()
            guard let element = value(depth) else { return nil }
            elements.append(element)
            skipBlanks()
            if take("]") { return .list(ValueList(elements)) }
            guard take(",") else { return nil }
        }
    }

    private mutating func object(_ depth: Int) -> Value? {
        var members: [(String, Value)] = []
        skipBlanks()
        if take("}") { return .map(ValueMap(members)) }
        while true {
            skipBlanks()
            guard take("\""), let key = string() else { return nil }
            // Scalars, not characters: `é` in one scalar and in two are different keys.
            let scalars = Array(key.unicodeScalars)
            guard !members.contains(where: { Array($0.0.unicodeScalars) == scalars }) else { return nil }
            skipBlanks()
            guard take(":") else { return nil }
            skipBlanks()
            guard let value = value(depth) else { return nil }
            members.append((key, value))
            skipBlanks()
            if take("}") { return .map(ValueMap(members)) }
            guard take(",") else { return nil }
        }
    }

    /// What stands before the closing quote, the opening one taken.
    private mutating func string() -> String? {
        var units: [UInt16] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                return String(validating: units, as: UTF16.self)
            case 0..<0x20:
                return nil
            case UInt8(ascii: "\\"):
                guard let unit = escape() else { return nil }
                units.append(unit)
            default:
                var character = [byte]
                while let next = rest.first, next & 0xC0 == 0x80 { character.append(rest.removeFirst()) }
                units += Array(String(decoding: character, as: UTF8.self).utf16)
            }
        }
        return nil
    }

    private mutating func escape() -> UInt16? {
        switch rest.popFirst() {
        case UInt8(ascii: "\""): return 0x22
        case UInt8(ascii: "\\"): return 0x5C
        case UInt8(ascii: "/"): return 0x2F
        case UInt8(ascii: "b"): return 8
        case UInt8(ascii: "f"): return 12
        case UInt8(ascii: "n"): return 10
        case UInt8(ascii: "r"): return 13
        case UInt8(ascii: "t"): return 9
        case UInt8(ascii: "u"):
            let digits = rest.prefix(4)
            guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                return nil
            }
            rest = rest.dropFirst(4)
            return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        default: return nil
        }
    }

    private mutating func number() -> Value? {
        var text: [UInt8] = []
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (48...57).contains($0) } ?? false }
        if take("-") { text.append(UInt8(ascii: "-")) }
        guard isDigit(rest.first) else { return nil }
        if rest.first == UInt8(ascii: "0") {
            text.append(rest.removeFirst())
            if isDigit(rest.first) { return nil }
        }
        while isDigit(rest.first) { text.append(rest.removeFirst()) }
        if take(".") {
            text.append(UInt8(ascii: "."))
            guard isDigit(rest.first) else { return nil }
            while isDigit(rest.first) { text.append(rest.removeFirst()) }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            text.append(rest.removeFirst())
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                text.append(rest.removeFirst())
            }
            guard isDigit(rest.first) else { return nil }
            while isDigit(rest.first) { text.append(rest.removeFirst()) }
        }
        let written = String(decoding: text, as: UTF8.self)
        guard let number = Double(written), number.isFinite else { return nil }
        // A double holds whole numbers up to 2^53.
        guard number.magnitude >= 9_007_199_254_740_992 else { return .double(number) }
        if let whole = Int64(written), whole.magnitude > 9_007_199_254_740_992 { return .int(whole) }
        if let whole = UInt64(written), whole > 9_007_199_254_740_992 { return .uint(whole) }
        return .double(number)
    }
}
