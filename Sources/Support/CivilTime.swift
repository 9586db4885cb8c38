/// A date and time of day in the proleptic Gregorian calendar, without a time zone.
public struct CivilTime: Sendable {
    /// The year; 0 is the one before 1.
    public let year: Int
    /// 1 … 12.
    public let month: Int
    /// 1 … 31.
    public let day: Int
    /// 0 … 23.
    public let hour: Int
    /// 0 … 59.
    public let minute: Int
    /// 0 … 59.
    public let second: Int
    /// 0 … 6; 0 is Sunday.
    public let weekday: Int

    /// The time that is so many seconds after the beginning of 1970; leap seconds do not count.
    public init(secondsSinceEpoch: Int64) {
        let (days, rest) = secondsSinceEpoch.flooredDivision(by: 86_400)
        // Eras of 400 years that begin on 1 March, after H. Hinnant, "chrono-compatible low-level
        // date algorithms".
        let shifted = Int(days) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = Int(rest) / 3_600
        minute = Int(rest) / 60 % 60
        second = Int(rest) % 60
        weekday = Int((days + 4).flooredDivision(by: 7).remainder)
    }

    /// 0 … 365; 0 is 1 January.
    public var dayOfYear: Int {
        CivilTime.daysSinceEpoch(year: year, month: month, day: day)
            - CivilTime.daysSinceEpoch(year: year, month: 1, day: 1)
    }

    /// How many days after 1 January 1970 that day is; negative before.
    public static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// 28 … 31.
    public static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilTime: CustomStringConvertible {
    /// Date and time as RFC 3339 writes them, without fraction and offset: `2009-02-13T23:31:30`.
    public var description: String {
        var text = Array(String(year, width: 4).utf8)
        text.reserveCapacity(24)
        func append(_ separator: Unicode.Scalar, _ number: Int) {
            text.append(UInt8(ascii: separator))
            text.append(UInt8(ascii: "0") + UInt8(number / 10))
            text.append(UInt8(ascii: "0") + UInt8(number % 10))
        }
        append("-", month)
        append("-", day)
        append("T", hour)
        append(":", minute)
        append(":", second)
        return String(decoding: text, as: UTF8.self)
    }
}

extension CivilTime {
    /// RFC 3339 text of a moment by a clock on the wall, such as `2009-02-14T00:31:30+01:00`.
    ///
    /// - Parameters:
    ///   - seconds: since 1970.
    ///   - offset: seconds east of UTC; what is below a minute is dropped.
    /// - Returns: the text.
    public static func text(of seconds: Int64, offset: Int) -> String {
        let minutes = offset / 60
        let local = CivilTime(secondsSinceEpoch: seconds + Int64(minutes) * 60)
        guard minutes != 0 else { return "\(local)Z" }
        let (hour, minute) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        let sign = minutes < 0 ? "-" : "+"
        return "\(local)\(sign)\(String(hour, width: 2)):\(String(minute, width: 2))"
    }
}

extension Int64 {
    /// Division rounding towards minus infinity; `divisor` must be positive.
    public func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
