/// Minutes of the calendar, chosen by the five fields of cron.
///
/// Of a day of the month and a weekday that are both restricted, one is enough, as POSIX says for
/// `crontab`.
public struct CronSchedule: Hashable, Sendable {
    /// A set of whole numbers below 64.
    struct Numbers: Hashable, Sendable {
        var bits: UInt64 = 0

        init() {}

        init(_ range: ClosedRange<Int>) {
            for number in range { insert(number) }
        }

        func contains(_ number: Int) -> Bool { bits >> UInt64(number) & 1 == 1 }

        mutating func insert(_ number: Int) { bits |= 1 << UInt64(number) }

        /// The least number from `start` on.
        func first(from start: Int) -> Int? {
            let rest = (bits >> UInt64(start)) << UInt64(start)
            return rest == 0 ? nil : rest.trailingZeroBitCount
        }

        /// The greatest number up to `end`.
        func last(upTo end: Int) -> Int? {
            guard end >= 0 else { return nil }
            let rest = (bits << UInt64(63 - end)) >> UInt64(63 - end)
            return rest == 0 ? nil : 63 - rest.leadingZeroBitCount
        }
    }

    let minutes: Numbers
    let hours: Numbers
    let days: Numbers
    let months: Numbers
    /// 0 … 6; 0 is Sunday.
    let weekdays: Numbers

    /// Whether it comes in every hour of the day: then it keeps its pace where clocks are changed.
    public var isHourly: Bool { hours.bits == 0xFF_FFFF }

    private var takesAllDays: Bool { days.bits == 0xFFFF_FFFE }
    private var takesAllWeekdays: Bool { weekdays.bits == 0x7F }

    /// Whether any year has a day on which it comes: 31 February is never.
    var isPossible: Bool {
        guard takesAllWeekdays else { return true }
        return (1...12).contains { month in
            months.contains(month) && days.first(from: 1)! <= CivilTime.days(inMonth: month, of: 2_000)
        }
    }

    func matches(_ date: CivilTime) -> Bool {
        guard months.contains(date.month) else { return false }
        let day = days.contains(date.day)
        let weekday = weekdays.contains(date.weekday)
        return takesAllDays || takesAllWeekdays ? day && weekday : day || weekday
    }

    /// The first minute of a day, counted from midnight, from `start` on.
    func minute(from start: Int) -> Int? {
        guard start < 1_440 else { return nil }
        let (hour, minute) = start.quotientAndRemainder(dividingBy: 60)
        if hours.contains(hour), let minute = minutes.first(from: minute) { return hour * 60 + minute }
        return hours.first(from: hour + 1).map { $0 * 60 + minutes.first(from: 0)! }
    }

    /// The last minute of a day, counted from midnight, up to `end`.
    func minute(upTo end: Int) -> Int? {
        guard end >= 0 else { return nil }
        let (hour, minute) = end.quotientAndRemainder(dividingBy: 60)
        if hours.contains(hour), let minute = minutes.last(upTo: minute) { return hour * 60 + minute }
        return hours.last(upTo: hour - 1).map { $0 * 60 + minutes.last(upTo: 59)! }
    }
}

extension CronSchedule: CustomStringConvertible {
    /// Equal for schedules that choose the same minutes by the same fields.
    public var description: String {
        [minutes, hours, days, months, weekdays].map { String($0.bits, radix: 16) }.joined(separator: " ")
    }
}
