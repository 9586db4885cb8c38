import Support
import Testing

@Suite("CivilTime is the proleptic Gregorian calendar")
struct CivilTimeTests {
    @Test("every day of 12,000 years is the day the calendar says")
    func calendar() {
        var (year, month, day) = (-2_000, 1, 1)
        var days = CivilTime.daysSinceEpoch(year: year, month: month, day: day)
        while year < 10_000 {
            let civil = CivilTime(secondsSinceEpoch: Int64(days) * 86_400 + 86_399)
            guard civil.year == year, civil.month == month, civil.day == day, civil.hour == 23 else {
                Issue.record("\(year)-\(month)-\(day)")
                return
            }
            days += 1
            day += 1
            if day > CivilTime.days(inMonth: month, of: year) {
                (month, day) = (month + 1, 1)
            }
            if month > 12 {
                (year, month) = (year + 1, 1)
            }
        }
    }

    @Test(
        "known moments",
        arguments: [
            (0, "1970-01-01T00:00:00", 4), (-1, "1969-12-31T23:59:59", 3),
            (951_782_400, "2000-02-29T00:00:00", 2), (-62_135_596_800, "0001-01-01T00:00:00", 1),
            (253_402_300_799, "9999-12-31T23:59:59", 5),
        ] as [(Int64, String, Int)]
    )
    func known(seconds: Int64, text: String, weekday: Int) {
        let time = CivilTime(secondsSinceEpoch: seconds)
        #expect(time.description == text)
        #expect(time.weekday == weekday)
    }

    @Test("days of a year count from 0")
    func daysOfYear() {
        #expect(CivilTime(secondsSinceEpoch: 0).dayOfYear == 0)
        #expect(CivilTime(secondsSinceEpoch: -1).dayOfYear == 364)
        #expect(CivilTime(secondsSinceEpoch: 978_220_800).dayOfYear == 365)
    }
}
