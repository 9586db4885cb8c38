internal import Support

/// `format` of the published strings extension: `%s %d %f %e %b %o %x %X %%`, with a precision as
/// in `%.3f`.
struct Format {
    private let arguments: ValueList
    private var used = 0
    private var output: [UInt8] = []

    init(arguments: ValueList) {
        self.arguments = arguments
    }

    /// `pattern` with its clauses replaced by the arguments in order.
    mutating func text(_ pattern: String, _ meter: inout Meter) throws(Failure) -> String {
        try meter.spend(Price.object)
        try meter.spend(bytes: pattern.utf8.count)
        let percent = UInt8(ascii: "%")
        var rest = Array(pattern.utf8)[...]
        while let place = rest.firstIndex(of: percent) {
            output += rest[..<place]
            rest = rest[(place + 1)...]
            if rest.first == percent {
                rest.removeFirst()
                output.append(percent)
                continue
            }
            let precision = try precision(&rest)
            guard let clause = rest.popFirst() else { throw .badValue("the format ends within a clause") }
            guard used < arguments.count else {
                throw Failure(code: .index, message: "the format has more clauses than arguments")
            }
            try meter.spend(Price.call + Price.object)
            let piece = try piece(clause, arguments[used], precision, &meter)
            try meter.spend(bytes: piece.utf8.count)
            output += piece.utf8
            used += 1
        }
        output += rest
        return String(decoding: output, as: UTF8.self)
    }

    private func precision(_ rest: inout ArraySlice<UInt8>) throws(Failure) -> Int? {
        guard rest.first == UInt8(ascii: ".") else { return nil }
        let digits = rest.dropFirst().prefix(while: ASCII.isDigit)
        rest = rest[digits.endIndex...]
        guard let precision = Int(String(decoding: digits, as: UTF8.self)), precision <= 1_000 else {
            throw .badValue("the precision of a clause is not a number up to 1000")
        }
        return precision
    }

    private func piece(
        _ clause: UInt8,
        _ value: Value,
        _ precision: Int?,
        _ meter: inout Meter
    ) throws(Failure) -> String {
        switch UnicodeScalar(clause) {
        case "s": return try FormatText.string(value, &meter)
        case "d": return try integer(value, meter)
        case "f": return try number(value, precision, &meter, DecimalText.fixed)
        case "e": return try number(value, precision, &meter, DecimalText.scientific)
        case "b":
            if case .bool(let flag) = value { return flag ? "1" : "0" }
            return try digits(value, radix: 2)
        case "o": return try digits(value, radix: 8)
        case "x": return try hexadecimal(value, uppercase: false, &meter)
        case "X": return try hexadecimal(value, uppercase: true, &meter)
        default: throw .badValue("the format has an unknown clause")
        }
    }

    private func integer(_ value: Value, _ meter: Meter) throws(Failure) -> String {
        switch value {
        case .int(let number): return String(number)
        case .uint(let number): return String(number)
        case .double(let number) where !number.isFinite: return FormatText.special(number)
        case .double(let number) where !meter.isStrict:
            if let whole = Int64(exactly: number) { return String(whole) }
            throw .badValue("'%d' needs a whole number")
        default: throw mismatch("d", value)
        }
    }

    private func number(
        _ value: Value,
        _ precision: Int?,
        _ meter: inout Meter,
        _ text: (_ number: Double, _ places: Int) -> String
    ) throws(Failure) -> String {
        guard let number = value.number else { throw mismatch("f", value) }
        guard number.isFinite else { return FormatText.special(number) }
        let places = precision ?? 6
        try meter.spend(DecimalText.cost(of: number, places: places))
        return text(number, places)
    }

    private func digits(_ value: Value, radix: Int) throws(Failure) -> String {
        switch value {
        case .int(let number): return String(number, radix: radix)
        case .uint(let number): return String(number, radix: radix)
        default: throw mismatch(radix == 2 ? "b" : "o", value)
        }
    }

    private func hexadecimal(
        _ value: Value,
        uppercase isUppercase: Bool,
        _ meter: inout Meter
    ) throws(Failure) -> String {
        let digits = Array((isUppercase ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        let bytes: [UInt8]
        switch value {
        case .int(let number): return String(number, radix: 16, uppercase: isUppercase)
        case .uint(let number): return String(number, radix: 16, uppercase: isUppercase)
        case .string(let string):
            try meter.spend(bytes: string.utf8.count)
            bytes = Array(string.utf8)
        case .bytes(let some):
            try meter.spend(bytes: some.count)
            bytes = some
        default: throw mismatch("x", value)
        }
        return .written(2 * bytes.count) { writer in
            for byte in bytes {
                writer.append(digits[Int(byte >> 4)])
                writer.append(digits[Int(byte & 15)])
            }
        }
    }

    private func mismatch(_ clause: String, _ value: Value) -> Failure {
        .type("'%\(clause)' does not take \(value.typeName.rawValue)")
    }
}

/// Values as `%s` shows them.
enum FormatText {
    static func special(_ number: Double) -> String {
        number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
    }

    /// Descends at most as deeply as values nest; every piece is paid for.
    static func string(_ value: Value, _ meter: inout Meter) throws(Failure) -> String {
        var text: [UInt8] = []
        try append(value, to: &text, &meter)
        return String(decoding: text, as: UTF8.self)
    }

    private static func append(
        _ value: Value,
        to text: inout [UInt8],
        _ meter: inout Meter
    ) throws(Failure) {
        try meter.spend(Price.object)
        switch value {
        case .null: text += "null".utf8
        case .bool(let flag): text += (flag ? "true" : "false").utf8
        case .int(let number): text += String(number).utf8
        case .uint(let number): text += String(number).utf8
        case .double(let number):
            try meter.spend(Price.doubleText)
            let digits = number.isFinite ? NumberText.text(number, strictly: meter.isStrict) : special(number)
            text += digits.utf8
        case .string(let string):
            try meter.spend(bytes: string.utf8.count)
            text += string.utf8
        case .bytes(let bytes):
            // Bytes that are not UTF-8 are replaced one by one, 40 ns each.
            try meter.spend(2 * bytes.count)
            text += String(decoding: bytes, as: UTF8.self).utf8
        case .list(let list):
            text.append(UInt8(ascii: "["))
            for (position, element) in list.elements.enumerated() {
                if position > 0 { text += ", ".utf8 }
                try append(element, to: &text, &meter)
            }
            text.append(UInt8(ascii: "]"))
        case .map(let map): try append(map, to: &text, &meter)
        case .timestamp(let moment):
            try meter.spend(Price.timeText)
            text += moment.text(trimsZeros: true).utf8
        case .duration(let span):
            try meter.spend(Price.timeText)
            text += span.text(trimsZeros: true).utf8
        case .type(let type): text += type.rawValue.utf8
        case .optional: throw .type("'%s' does not take optional_type")
        }
    }

    /// The entries in the order of their keys' texts.
    private static func append(_ map: ValueMap, to text: inout [UInt8], _ meter: inout Meter) throws(Failure)
    {
        var entries: [(key: String, value: Value)] = []
        var length = 0
        for entry in map {
            let key = try string(entry.key, &meter)
            length += key.utf8.count
            entries.append((key, entry.value))
        }
        // Sorting compares each key as often as the number of keys has bits.
        let comparisons = Int.bitWidth - entries.count.leadingZeroBitCount
        try meter.spend(comparisons * (2 * entries.count + length >> 3))
        entries.sort { $0.key.comparesBytes(to: $1.key) < 0 }
        text.append(UInt8(ascii: "{"))
        for (position, entry) in entries.enumerated() {
            text += (position > 0 ? ", " : "").utf8
            text += entry.key.utf8
            text += ": ".utf8
            try append(entry.value, to: &text, &meter)
        }
        text.append(UInt8(ascii: "}"))
    }
}
