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
