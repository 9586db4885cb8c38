// When a schedule comes, by the clock on the wall of a time zone.
//
// A day on which the offset stays the same is arithmetic. Around a change of the offset each minute
// of the day is looked at: it may not exist, or come twice. Where clocks go forward, a time that is
// left out comes at the moment of the change. Where they go back, a time that comes twice counts
// the first time. A schedule of every hour goes by real hours instead: nothing is made up for, and
// a time that comes twice counts twice.
extension CronSchedule {
    /// Seconds east of UTC at a moment, given in seconds since 1970.
    public typealias Offset = @Sendable (_ seconds: Int64) -> Int

    /// No schedule comes less often than on 29 February, which may take eight years.
    private static let mostDays = 8 * 366 + 2

    /// When it comes next after a moment, both in seconds since 1970.
    public func next(after moment: Int64, _ offset: Offset) -> Int64? {
        let today = Self.day(of: moment, offset)
        var day = today - 1
        while let candidate = nextDay(from: day, through: today + Self.mostDays) {
            day = candidate + 1
            guard let found = first(on: candidate, after: moment, offset) else { continue }
            // Where clocks go back over midnight, the next day begins before this one has ended.
            guard matches(Self.date(day)), let other = first(on: day, after: moment, offset) else {
                return found
            }
            return min(found, other)
        }
        return nil
    }

    /// When it came last, up to a moment and at that moment too; both in seconds since 1970.
    public func last(upTo moment: Int64, _ offset: Offset) -> Int64? {
        let today = Self.day(of: moment, offset)
        var day = today + 1
        while let candidate = previousDay(from: day, through: today - Self.mostDays) {
            day = candidate - 1
            guard let found = last(on: candidate, upTo: moment, offset) else { continue }
            guard matches(Self.date(day)), let other = last(on: day, upTo: moment, offset) else {
                return found
            }
            return max(found, other)
        }
        return nil
    }

    // MARK: - Days

    private static func day(of moment: Int64, _ offset: Offset) -> Int {
        Int((moment + Int64(offset(moment))).flooredDivision(by: 86_400).quotient)
    }

    private static func date(_ day: Int) -> CivilTime { CivilTime(secondsSinceEpoch: Int64(day) * 86_400) }

    private func nextDay(from start: Int, through end: Int) -> Int? {
        var day = start
        while day <= end {
            let date = Self.date(day)
            if matches(date) { return day }
            let isMonth = months.contains(date.month)
            day += isMonth ? 1 : CivilTime.days(inMonth: date.month, of: date.year) - date.day + 1
        }
        return nil
    }

    private func previousDay(from start: Int, through end: Int) -> Int? {
        var day = start
        while day >= end {
            let date = Self.date(day)
            if matches(date) { return day }
            day -= months.contains(date.month) ? 1 : date.day
        }
        return nil
    }

    // MARK: - Within a day

    private func first(on day: Int, after moment: Int64, _ offset: Offset) -> Int64? {
        guard let shift = Self.shift(on: day, offset) else {
            return all(on: day, offset).first { $0 > moment }
        }
        let midnight = Int64(day) * 86_400 - shift
        let minutes = (moment - midnight).flooredDivision(by: 60).quotient
        return minute(from: Int(max(0, minutes + 1))).map { midnight + Int64($0) * 60 }
    }

    private func last(on day: Int, upTo moment: Int64, _ offset: Offset) -> Int64? {
        guard let shift = Self.shift(on: day, offset) else {
            return all(on: day, offset).last { $0 <= moment }
        }
        let midnight = Int64(day) * 86_400 - shift
        let minutes = (moment - midnight).flooredDivision(by: 60).quotient
        return minute(upTo: Int(min(1_439, minutes))).map { midnight + Int64($0) * 60 }
    }

    /// The offset of a whole day; nil when it may change in it or close to it.
    private static func shift(on day: Int, _ offset: Offset) -> Int64? {
        let start = Int64(day) * 86_400
        let before = offset(start - 86_400)
        return before == offset(start + 2 * 86_400) ? Int64(before) : nil
    }

    /// All moments of a day, ascending.
    private func all(on day: Int, _ offset: Offset) -> [Int64] {
        var all: [Int64] = []
        var start = 0
        while let minute = minute(from: start) {
            start = minute + 1
            all += moments(showing: Int64(day) * 86_400 + Int64(minute) * 60, offset)
        }
        return all.sorted()
    }

    /// The moments at which a clock on the wall shows a time that is chosen: mostly one.
    private func moments(showing wall: Int64, _ offset: Offset) -> [Int64] {
        let (before, after) = (offset(wall - 86_400), offset(wall + 86_400))
        let (early, late) = (wall - Int64(before), wall - Int64(after))
        switch (offset(early) == before, offset(late) == after) {
        case (true, true) where early == late: return [early]
        case (true, true): return isHourly ? [early, late] : [min(early, late)]
        case (true, false): return [early]
        case (false, true): return [late]
        case (false, false): return isHourly ? [] : [Self.change(between: late, and: early, offset)]
        }
    }

    /// When the offset changes after `start`, at `end` at the latest.
    private static func change(between start: Int64, and end: Int64, _ offset: Offset) -> Int64 {
        let before = offset(start)
        var (low, high) = (start, end)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if offset(middle) == before { low = middle } else { high = middle }
        }
        return high
    }
}
