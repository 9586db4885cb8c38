import Support
import Testing

@Suite("A schedule is five fields of cron")
struct CronScheduleTests {
    private static let utc: CronSchedule.Offset = { _ in 0 }

    private static func seconds(
        _ year: Int,
        _ month: Int,
        _ day: Int,
        _ hour: Int = 0,
        _ minute: Int = 0
    ) -> Int64 {
        Int64(
            CivilTime.daysSinceEpoch(year: year, month: month, day: day) * 86_400 + hour * 3_600 + minute * 60
        )
    }

    @Test(
        "the next times in UTC after Tuesday, 24 November 2026, 17:30",
        arguments: [
            ("0 22 * * *", ["2026-11-24T22:00:00Z", "2026-11-25T22:00:00Z"]),
            ("*/20 * * * *", ["2026-11-24T17:40:00Z", "2026-11-24T18:00:00Z", "2026-11-24T18:20:00Z"]),
            ("30 17 * * *", ["2026-11-25T17:30:00Z"]),
            (
                "0 7 * * mon-fri",
                [
                    "2026-11-25T07:00:00Z", "2026-11-26T07:00:00Z", "2026-11-27T07:00:00Z",
                    "2026-11-30T07:00:00Z",
                ]
            ),
            ("0 7 * * SAT,0", ["2026-11-28T07:00:00Z", "2026-11-29T07:00:00Z"]),
            ("0 7 * * 7", ["2026-11-29T07:00:00Z"]),
            (
                "0 7 * * fri-mon",
                [
                    "2026-11-27T07:00:00Z", "2026-11-28T07:00:00Z", "2026-11-29T07:00:00Z",
                    "2026-11-30T07:00:00Z", "2026-12-04T07:00:00Z",
                ]
            ),
            (
                "0 22-1 * * *",
                [
                    "2026-11-24T22:00:00Z", "2026-11-24T23:00:00Z", "2026-11-25T00:00:00Z",
                    "2026-11-25T01:00:00Z",
                ]
            ),
            ("15,45 8-18/5 * * *", ["2026-11-24T18:15:00Z", "2026-11-24T18:45:00Z", "2026-11-25T08:15:00Z"]),
            ("50/5 0 * * *", ["2026-11-25T00:50:00Z", "2026-11-25T00:55:00Z"]),
            ("0 0 1 jan,JUL *", ["2027-01-01T00:00:00Z", "2027-07-01T00:00:00Z"]),
            (
                "0 0 13 * fri",
                [
                    "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z",
                    "2026-12-13T00:00:00Z",
                ]
            ),
            ("0 0 29 2 *", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]),
            ("  0\t22  * * * ", ["2026-11-24T22:00:00Z"]),
            ("@hourly", ["2026-11-24T18:00:00Z"]), ("@daily", ["2026-11-25T00:00:00Z"]),
            ("@weekly", ["2026-11-29T00:00:00Z"]), ("@monthly", ["2026-12-01T00:00:00Z"]),
            ("@yearly", ["2027-01-01T00:00:00Z"]),
        ]
    )
    func next(text: String, expected: [String]) throws {
        let schedule = try CronSchedule(text)
        var moment = Self.seconds(2026, 11, 24, 17, 30)
        for text in expected {
            let before = moment
            moment = try #require(schedule.next(after: moment, Self.utc))
            #expect(CivilTime.text(of: moment, offset: 0) == text)
            #expect(schedule.last(upTo: moment, Self.utc) == moment)
            let earlier = schedule.last(upTo: moment - 1, Self.utc)
            #expect(try #require(earlier) <= before)
        }
    }

    @Test("29 February is found over the eight years around 2100")
    func leapDay() throws {
        let schedule = try CronSchedule("0 0 29 feb *")
        #expect(schedule.next(after: Self.seconds(2096, 2, 29), Self.utc) == Self.seconds(2104, 2, 29))
        #expect(schedule.last(upTo: Self.seconds(2104, 2, 28), Self.utc) == Self.seconds(2096, 2, 29))
    }

    @Test(
        "problems are reported at their place, with the allowed values",
        arguments: [
            (
                "0 22 * *", 0,
                "a schedule has five fields: minute, hour, day of the month, month and weekday, not 4"
            ),
            (
                "0 0 22 * * *", 0,
                "a schedule has five fields: minute, hour, day of the month, month and weekday, not 6"
            ),
            ("", 0, "a schedule has five fields: minute, hour, day of the month, month and weekday, not 0"),
            ("60 22 * * *", 0, "the minute must be 0 to 59, not '60'"),
            ("0 24 * * *", 2, "the hour must be 0 to 23, not '24'"),
            ("0 1,2,x * * *", 6, "the hour must be 0 to 23, not 'x'"),
            ("0 1-24 * * *", 4, "the hour must be 0 to 23, not '24'"),
            ("0 1--2 * * *", 4, "the hour must be 0 to 23, not '-2'"),
            ("0 */0 * * *", 4, "the step of the hour must be 1 to 23, not '0'"),
            ("0 */ * * *", 4, "the step of the hour must be 1 to 23, not ''"),
            ("0 1, * * *", 4, "the hour must be 0 to 23, not ''"),
            ("0 0 0 * *", 4, "the day of the month must be 1 to 31, not '0'"),
            ("0 0 L * *", 4, "the day of the month must be 1 to 31, not 'L'"),
            ("0 0 * foo *", 6, "the month must be 1 to 12, or jan to dec, not 'foo'"),
            ("0 0 * * mo", 8, "the weekday must be 0 to 7, or sun to sat, not 'mo'"),
            ("0 0 * * 8", 8, "the weekday must be 0 to 7, or sun to sat, not '8'"),
            ("0 0 31 2 *", 4, "no such day comes in any year"),
            ("0 0 30-31 feb *", 4, "no such day comes in any year"),
            ("0 0 31 4,6,9,11 *", 4, "no such day comes in any year"),
            ("@noon", 0, "'@noon' is not known"),
            ("99999999999999999999 0 * * *", 0, "the minute must be 0 to 59, not '99999999999999999999'"),
        ]
    )
    func refused(text: String, offset: Int, message: String) {
        #expect {
            try CronSchedule(text)
        } throws: { error in
            let error = error as? CronError
            return error?.offset == offset && error?.message == message
        }
    }

    @Test("a weekday beside an impossible day of the month is enough")
    func either() throws {
        let schedule = try CronSchedule("0 0 31 2 sun")
        #expect(schedule.next(after: Self.seconds(2026, 11, 24), Self.utc) == Self.seconds(2027, 2, 7))
    }

    @Test("moments as text by the clock of a zone")
    func text() {
        #expect(CivilTime.text(of: 0, offset: 0) == "1970-01-01T00:00:00Z")
        #expect(CivilTime.text(of: 0, offset: 19_800) == "1970-01-01T05:30:00+05:30")
        #expect(CivilTime.text(of: 0, offset: -12_600) == "1969-12-31T20:30:00-03:30")
    }
}
