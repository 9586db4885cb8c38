import CEL
import Testing

@Suite("Timestamps and durations have parts")
struct TimePartTests {
    @Test(
        "parts, in UTC and with offsets",
        arguments: [
            Case("duration('1h').getMinutes()", "int 60"),
            Case("duration('-1.5s').getMilliseconds()", "int -500"),
            Case("duration('-90s').getMinutes()", "int -1"),
            Case("duration('3723.004005s').getMilliseconds()", "int 4"),
            Case("timestamp('1969-12-31T23:59:59.5Z').getMilliseconds()", "int 500"),
            Case("timestamp('1969-12-31T23:59:59.5Z').getSeconds()", "int 59"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('-08:00')", "int 15"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('08:00')", "int 7"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('-8:00')", "int 15"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('Z')", "error expr_bad_value"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('')", "int 23"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('utc')", "error expr_bad_value"),
            Case("timestamp('2009-02-13T23:31:30Z').getHours('+25:00')", "error expr_bad_value"),
            Case("timestamp('2009-02-13T23:31:30.123456789Z').getMilliseconds()", "int 123"),
            Case("duration('3730s').getHours()", "int 1"),
            Case("timestamp('2009-02-13T23:31:30Z').getFullYear('America/New_York')", "error expr_bad_value"),
            Case("timestamp('1900-12-31T00:00:00Z').getDayOfYear()", "int 364"),
            Case("timestamp('2000-12-31T00:00:00Z').getDayOfYear()", "int 365"),
            Case("timestamp('0001-01-01T00:00:00Z').getDayOfWeek()", "int 1"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
