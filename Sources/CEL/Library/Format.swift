/// `format` of the published strings extension: `%s %d %f %e %b %o %x %X %%`, with a precision as in `%.3f`.
struct Format {
    private let arguments: ValueList
    private var used = 0
    private var output = ""

    init(arguments: ValueList) {
        self.arguments = arguments
    }

    /// `pattern` with its clauses replaced by the arguments in order.
    mutating func text(_ pattern: String, _ meter: inout Meter) throws(Failure) -> String {
        try meter.spend(bytes: pattern.utf8.count)
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "%" else {
                output.unicodeScalars.append(scalar)
                continue
            }
            if rest.first == "%" {
                rest.removeFirst()
                output += "%"
                continue
            }
            let precision = try precision(&rest)
            guard let clause = rest.popFirst() else { throw .badValue("the format ends within a clause") }
            guard used < arguments.count else {
                throw Failure(code: .index, message: "the format has more clauses than arguments")
            }
            let piece = try piece(clause, arguments[used], precision, &meter)
            try meter.spend(bytes: piece.utf8.count)
            output += piece
            used += 1
        }
        return output
    }

    private func precision(_ rest: inout Substring.UnicodeScalarView) throws(Failure) -> Int? {
        guard rest.first == "." else { return nil }
        rest.removeFirst()
        var digits = ""
        while let digit = rest.first, ("0"..."9").contains(digit) {
            digits.unicodeScalars.append(digit)
            rest.removeFirst()
        }
        guard let precision = Int(digits), precision <= 1_000 else {
            throw .badValue("the precision of a clause is not a number up to 1000")
        }
        return precision
    }

    private func piece(
        _ clause: Unicode.Scalar,
        _ value: Value,
        _ precision: Int?,
        _ meter: inout Meter
    ) throws(Failure) -> String {
        switch clause {
        case "s": return try FormatText.string(value, &meter)
        case "d": return try integer(value, meter)
        case "f": return try number(value, &meter) { DecimalText.fixed($0, places: precision ?? 6) }
        case "e": return try number(value, &meter) { DecimalText.scientific($0, places: precision ?? 6) }
        case "b":
            if case .bool(let flag) = value { return flag ? "1" : "0" }
            return try digits(value, radix: 2)
        case "o": return try digits(value, radix: 8)
        case "x", "X":
            let text = try hexadecimal(value, &meter)
            return clause == "X" ? text.uppercased() : text
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
        _ meter: inout Meter,
        _ text: (Double) -> String
    ) throws(Failure) -> String {
        guard let number = value.number else { throw mismatch("f", value) }
        guard number.isFinite else { return FormatText.special(number) }
        try meter.spend(DecimalText.cost(of: number))
        return text(number)
    }

    private func digits(_ value: Value, radix: Int) throws(Failure) -> String {
        switch value {
        case .int(let number): return String(number, radix: radix)
        case .uint(let number): return String(number, radix: radix)
        default: throw mismatch(radix == 2 ? "b" : "o", value)
        }
    }

    private func hexadecimal(_ value: Value, _ meter: inout Meter) throws(Failure) -> String {
        func text(_ bytes: some Collection<UInt8>) throws(Failure) -> String {
            try meter.spend(bytes: bytes.count)
            let digits = Array("0123456789abcdef".utf8)
            return String(
                decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
                as: UTF8.self
            )
        }
        switch value {
        case .int(let number): return String(number, radix: 16)
        case .uint(let number): return String(number, radix: 16)
        case .string(let string): return try text(string.utf8)
        case .bytes(let bytes): return try text(bytes)
        default: throw mismatch("x", value)
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
        try meter.spend(1)
        switch value {
        case .null: return "null"
        case .bool(let flag): return flag ? "true" : "false"
        case .int(let number): return String(number)
        case .uint(let number): return String(number)
        case .double(let number):
            return number.isFinite ? NumberText.text(number, strictly: meter.isStrict) : special(number)
        case .string(let text):
            try meter.spend(bytes: text.utf8.count)
            return text
        case .bytes(let bytes):
            try meter.spend(bytes: bytes.count)
            return String(decoding: bytes, as: UTF8.self)
        case .list(let list):
            var pieces: [String] = []
            for element in list {
                pieces.append(try string(element, &meter))
            }
            return "[" + pieces.joined(separator: ", ") + "]"
        case .map(let map):
            var pieces: [(String, String)] = []
            for entry in map {
                pieces.append((try string(entry.key, &meter), try string(entry.value, &meter)))
            }
            pieces.sort { $0.0.comparesBytes(to: $1.0) < 0 }
            return "{" + pieces.map { "\($0.0): \($0.1)" }.joined(separator: ", ") + "}"
        case .timestamp(let moment): return moment.text(trimsZeros: true)
        case .duration(let span): return span.text(trimsZeros: true)
        case .type(let type): return type.rawValue
        case .optional: throw .type("'%s' does not take optional_type")
        }
    }
}
