import CEL
import Testing

@Suite("Times are calculated with")
struct TimeTests {
    @Test(
        "operations",
        arguments: [
            Case("duration('9223372036s') + duration('1s')", "error expr_overflow"),
            Case(
                "timestamp('2009-02-13T23:31:30Z') + duration('9223372036s') + duration('9223372036s')",
                "timestamp 2593-09-03T23:06:02Z"
            ),
            Case(
                "timestamp('2262-04-11T23:47:16Z') - timestamp('1970-01-01T00:00:00Z')",
                "duration 9223372036s"
            ),
            Case(
                "timestamp('2262-04-11T23:47:17Z') - timestamp('1970-01-01T00:00:00Z')",
                "error expr_overflow"
            ),
            Case(
                "timestamp('1600-04-11T23:47:17Z') - timestamp('1970-01-01T00:00:00Z')",
                "error expr_overflow"
            ),
            Case(
                "timestamp('2600-04-11T23:47:17Z') - timestamp('2500-01-01T00:00:00Z')",
                "duration 3164399237s"
            ),
            Case("timestamp('2600-04-11T23:47:17Z') - duration('1s')", "timestamp 2600-04-11T23:47:16Z"),
            Case("duration('1h') - duration('-9223372036s')", "error expr_overflow"),
            Case("duration('-9223372036s') - duration('1h')", "error expr_overflow"),
            Case("duration('1us') == duration('1000ns')", "true"),
            Case("type(timestamp(0)) == google.protobuf.Timestamp", "true"),
            Case("type(duration('1s')) == google.protobuf.Duration", "true"),
            Case("duration('1s') < duration('1m')", "true"),
            Case("timestamp(0) < timestamp(1)", "true"),
            Case("timestamp(0) + timestamp(1)", "invalid expr_type"),
            Case("duration('1s') * 2", "invalid expr_type"),
            Case("timestamp(0) == duration('0s')", "invalid expr_type"),
            Case(
                "timestamp('2009-02-13T23:31:30Z') - duration('1h') < timestamp('2010-01-01T00:00:00Z')",
                "true"
            ),
            Case("duration('1.5h') + duration('30m')", "duration 7200s"),
            Case("timestamp('9999-12-31T23:59:59Z') + duration('1s')", "error expr_overflow"),
            Case("timestamp('0001-01-01T00:00:00Z') - duration('1ns')", "error expr_overflow"),
        ]
    )
    func outcomes(_ row: Case) {
        #expect(outcome(row.source, strict: true) == row.expected)
    }
}
