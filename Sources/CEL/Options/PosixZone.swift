internal import Support

/// A zone's rule for all years, as POSIX writes it in `TZ`: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct PosixZone {
    private struct Change {
        enum Day {
            /// 1 … 365, 29 February not counted.
            case julian(Int)
            case ordinal(Int)
            /// The `week`th `weekday` (0 is Sunday) of `month`; week 5 is the last.
            case weekday(month: Int, week: Int, weekday: Int)
        }

        let day: Day
        /// Seconds after midnight, possibly negative or beyond the day.
        let time: Int

        /// Seconds since the epoch, by the clock on the wall.
        func moment(in year: Int) -> Int64 {
            let january = CivilTime.daysSinceEpoch(year: year, month: 1, day: 1)
            let days: Int
            switch day {
            case .julian(let number):
                let isAfterLeapDay = number > 59 && CivilTime.days(inMonth: 2, of: year) == 29
                days = january + number - (isAfterLeapDay ? 0 : 1)
            case .ordinal(let number):
                days = january + number
            case .weekday(let month, let week, let weekday):
                let first = CivilTime.daysSinceEpoch(year: year, month: month, day: 1)
                let firstWeekday = ((first + 4) % 7 + 7) % 7
                var candidate = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
                while candidate >= first + CivilTime.days(inMonth: month, of: year) {
                    candidate -= 7
                }
                days = candidate
            }
            return Int64(days) * 86_400 + Int64(time)
        }
    }

    private let standard: Int
    private var summer: (offset: Int, begins: Change, ends: Change)?

    /// Nil when the text is not a valid rule.
    init?(_ text: String) {
        var scanner = Scanner(text)
        guard scanner.name(), let west = scanner.time() else { return nil }
        standard = -west
        guard !scanner.isAtEnd else { return }
        guard scanner.name() else { return nil }
        var offset = standard + 3_600
        if !scanner.isNext(",") {
            guard let west = scanner.time() else { return nil }
            offset = -west
        }
        guard let begins = scanner.change(), let ends = scanner.change(), scanner.isAtEnd else { return nil }
        summer = (offset, begins, ends)
    }

    /// Seconds east of UTC at a moment.
    func offset(at seconds: Int64) -> Int {
        guard let summer else { return standard }
        let year = CivilTime(secondsSinceEpoch: seconds + Int64(standard)).year
        let begins = summer.begins.moment(in: year) - Int64(standard)
        let ends = summer.ends.moment(in: year) - Int64(summer.offset)
        let isSummer =
            begins < ends ? begins <= seconds && seconds < ends : seconds < ends || seconds >= begins
        return isSummer ? summer.offset : standard
    }

    private struct Scanner {
        private var rest: Substring.UTF8View

        init(_ text: String) {
            rest = text[...].utf8
        }

        var isAtEnd: Bool { rest.isEmpty }

        func isNext(_ character: Unicode.Scalar) -> Bool {
            rest.first == UInt8(ascii: character)
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard isNext(character) else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// `CET` or `<+03>`.
        mutating func name() -> Bool {
            if skip("<") {
                rest = rest.drop { $0 != UInt8(ascii: ">") }
                return skip(">")
            }
            let before = rest.count
            rest = rest.drop(while: ASCII.isLetter)
            return rest.count < before
        }

        mutating func number() -> Int? {
            let digits = rest.prefix(while: ASCII.isDigit)
            guard (1...4).contains(digits.count) else { return nil }
            rest = rest.dropFirst(digits.count)
            return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        }

        /// `[+-]hh[:mm[:ss]]` in seconds.
        mutating func time() -> Int? {
            let isNegative = skip("-")
            if !isNegative { _ = skip("+") }
            guard let hours = number() else { return nil }
            var seconds = hours * 3_600
            for unit in [60, 1] where skip(":") {
                guard let part = number() else { return nil }
                seconds += part * unit
            }
            return isNegative ? -seconds : seconds
        }

        /// `,M3.5.0/3`, `,J60`, `,59`.
        mutating func change() -> Change? {
            guard skip(",") else { return nil }
            let day: Change.Day
            if skip("M") {
                guard let month = number(), skip("."), let week = number(), skip("."), let weekday = number(),
                    (1...12).contains(month), (1...5).contains(week), (0...6).contains(weekday)
                else { return nil }
                day = .weekday(month: month, week: week, weekday: weekday)
            } else if skip("J") {
                guard let number = number(), (1...365).contains(number) else { return nil }
                day = .julian(number)
            } else {
                guard let number = number(), number <= 365 else { return nil }
                day = .ordinal(number)
            }
            guard skip("/") else { return Change(day: day, time: 7_200) }
            return time().map { Change(day: day, time: $0) }
        }
    }
}
