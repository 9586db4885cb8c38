internal import CEL

/// Moments and spans of time as text: RFC 3339 in UTC, and protobuf's `1.5s`.
enum RFC3339 {
    /// `2026-11-21T04:24:12Z`, with three, six or nine digits of the second's fraction where it has one.
    static func text(of moment: Timestamp) -> String {
        let (days, rest) = (floorDivide(moment.seconds, 86_400), floorRemainder(moment.seconds, 86_400))
        let (year, month, day) = civil(days)
        let clock = "\(two(rest / 3_600)):\(two(rest / 60 % 60)):\(two(rest % 60))"
        return "\(padded(year, 4))-\(two(month))-\(two(day))T\(clock)\(fraction(moment.nanos.magnitude))Z"
    }

    /// `1.5s`, `-0.003s`, `90s`.
    static func text(of span: TimeSpan) -> String {
        let sign = span.seconds < 0 || span.nanos < 0 ? "-" : ""
        return "\(sign)\(span.seconds.magnitude)\(fraction(span.nanos.magnitude))s"
    }

    private static func fraction(_ nanos: UInt32) -> String {
        if nanos == 0 { return "" }
        if nanos % 1_000_000 == 0 { return "." + padded(Int64(nanos / 1_000_000), 3) }
        if nanos % 1_000 == 0 { return "." + padded(Int64(nanos / 1_000), 6) }
        return "." + padded(Int64(nanos), 9)
    }

    /// Year, month and day of a day counted from 1970-01-01 (Hinnant's algorithm over eras of 400 years).
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = floorDivide(shifted, 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
        let (quotient, remainder) = a.quotientAndRemainder(dividingBy: b)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func floorRemainder(_ a: Int64, _ b: Int64) -> Int64 {
        let remainder = a % b
        return remainder < 0 ? remainder + b : remainder
    }

    private static func two(_ number: Int64) -> String {
        padded(number, 2)
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
