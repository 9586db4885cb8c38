internal import Support

extension Timestamp {
    /// The moment that a text of RFC 3339 names, such as `2027-01-01T00:00:00Z`; nil for anything
    /// else.
    public init?(rfc3339 text: String) {
        guard let moment = TimeText.timestamp(text) else { return nil }
        self = moment
    }
}

/// Times as text and back: RFC 3339 for timestamps, `1h2m3.5s` and the like for durations.
enum TimeText {
    /// Units that reading a text takes, whatever it says: those that are too long are not read.
    static func cost(ofReading text: String) -> Int {
        text.utf8.count <= DigitScanner.longest ? Price.timeText + 3 * text.utf8.count : 0
    }

    /// `2009-02-13T23:31:30.5Z`, with any offset and digits after the second; nil for anything
    /// else.
    static func timestamp(_ text: String) -> Timestamp? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(digits: 4), scanner.skip("-"),
            let month = scanner.number(digits: 2), scanner.skip("-"),
            let day = scanner.number(digits: 2), scanner.skip("T") || scanner.skip("t"),
            let hour = scanner.number(digits: 2), scanner.skip(":"),
            let minute = scanner.number(digits: 2), scanner.skip(":"),
            let second = scanner.number(digits: 2)
        else { return nil }
        var nanos = 0
        if scanner.skip(".") {
            guard let fraction = scanner.fraction() else { return nil }
            nanos = fraction
        }
        guard let offset = scanner.offset(), scanner.isAtEnd else { return nil }
        guard (1...12).contains(month), (1...CivilTime.days(inMonth: month, of: year)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let days = CivilTime.daysSinceEpoch(year: year, month: month, day: day)
        let seconds = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return Timestamp(seconds: Int64(seconds), nanos: Int32(nanos))
    }

    /// Seconds east of UTC of `+02:00`, `-8:30`, `Z`, `UTC`; nil for anything else.
    static func fixedOffset(_ text: String) -> Int? {
        if text == "UTC" || text == "" { return 0 }
        var scanner = DigitScanner(text)
        let isNegative = scanner.skip("-")
        if !isNegative { _ = scanner.skip("+") }
        guard let hours = scanner.number(digits: 2) ?? scanner.number(digits: 1), scanner.skip(":"),
            let minutes = scanner.number(digits: 2),
            scanner.isAtEnd, hours < 24, minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// A sum of numbers with units (h, m, s, ms, us, µs, ns), possibly with a sign before all; nil
    /// for anything else.
    static func duration(_ text: String) -> TimeSpan? {
        guard text.utf8.count <= 128 else { return nil }
        var scanner = DigitScanner(text)
        let isNegative = scanner.skip("-")
        if !isNegative { _ = scanner.skip("+") }
        if scanner.remaining == "0" { return TimeSpan(seconds: 0) }
        guard !scanner.isAtEnd else { return nil }
        var seconds: Int64 = 0
        var nanos: Int64 = 0
        while !scanner.isAtEnd {
            guard let (whole, fraction) = scanner.decimal(), let unit = scanner.unit() else { return nil }
            // The fraction comes in billionths; what is below a nanosecond is dropped.
            let part = Int128(whole) * Int128(unit) + Int128(fraction) * Int128(unit) / 1_000_000_000
            guard part <= Int128(TimeSpan.maximumSeconds) * 1_000_000_000 else { return nil }
            seconds += Int64(part / 1_000_000_000)
            nanos += Int64(part % 1_000_000_000)
            guard seconds <= TimeSpan.maximumSeconds else { return nil }
        }
        let sign: Int64 = isNegative ? -1 : 1
        return TimeSpan(normalisingSeconds: sign * seconds, nanos: sign * nanos)
    }

    /// Nothing, or a point and 3, 6 or 9 digits; or as few digits as there must be.
    static func fraction(_ nanos: Int32, trimsZeros: Bool) -> String {
        guard nanos != 0 else { return "" }
        let digits = String(nanos.magnitude, width: 9)
        if trimsZeros {
            let zeros = digits.utf8.reversed().prefix { $0 == UInt8(ascii: "0") }
            return "." + digits.dropLast(zeros.count)
        }
        let length = nanos % 1_000_000 == 0 ? 3 : nanos % 1_000 == 0 ? 6 : 9
        return "." + digits.prefix(length)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, with no or 3, 6 or 9 digits after the second.
    public var description: String {
        text(trimsZeros: false)
    }

    func text(trimsZeros: Bool) -> String {
        "\(CivilTime(secondsSinceEpoch: seconds))\(TimeText.fraction(nanos, trimsZeros: trimsZeros))Z"
    }
}

extension TimeSpan: CustomStringConvertible {
    /// Seconds with no or 3, 6 or 9 digits after the point, and `s`.
    public var description: String {
        text(trimsZeros: false)
    }

    func text(trimsZeros: Bool) -> String {
        let sign = seconds < 0 || nanos < 0 ? "-" : ""
        return "\(sign)\(seconds.magnitude)\(TimeText.fraction(nanos, trimsZeros: trimsZeros))s"
    }
}

/// Reads fixed formats of digits.
private struct DigitScanner {
    private var rest: ArraySlice<UInt8>

    /// A longer text cannot have one of these formats, so it is not read at all.
    static let longest = 256

    init(_ text: String) {
        rest = text.utf8.count <= DigitScanner.longest ? Array(text.utf8)[...] : []
    }

    var isAtEnd: Bool { rest.isEmpty }

    var remaining: String { String(decoding: rest, as: UTF8.self) }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number(digits: Int) -> Int? {
        guard rest.count >= digits, rest.prefix(digits).allSatisfy(ASCII.isDigit) else { return nil }
        defer { rest.removeFirst(digits) }
        return rest.prefix(digits).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    /// Digits after a point as billionths; what is smaller is dropped.
    mutating func fraction() -> Int? {
        let all = rest.prefix(while: ASCII.isDigit)
        guard !all.isEmpty else { return nil }
        rest.removeFirst(all.count)
        let digits = all.prefix(9)
        var value = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        for _ in digits.count..<9 {
            value *= 10
        }
        return value
    }

    mutating func offset() -> Int? {
        if skip("Z") || skip("z") { return 0 }
        let isNegative = rest.first == UInt8(ascii: "-")
        guard skip("+") || skip("-"), let hours = number(digits: 2), skip(":"),
            let minutes = number(digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }

    /// Digits, possibly with a fraction, which is answered in billionths.
    mutating func decimal() -> (Int64, Int64)? {
        let digits = rest.prefix(while: ASCII.isDigit)
        rest.removeFirst(digits.count)
        let hasPoint = skip(".")
        let billionths = hasPoint ? fraction() : nil
        guard !digits.isEmpty || billionths != nil, digits.count <= 18 else { return nil }
        let whole = digits.reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        return (whole, Int64(billionths ?? 0))
    }

    /// Nanoseconds of the unit that stands here.
    mutating func unit() -> Int64? {
        for (name, nanos) in DigitScanner.units where rest.starts(with: name) {
            rest.removeFirst(name.count)
            return nanos
        }
        return nil
    }

    private static let units: [([UInt8], Int64)] = [
        ("ns", 1), ("us", 1_000), ("µs", 1_000), ("μs", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000),
        ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ].map { (Array($0.0.utf8), $0.1) }
}
