import Definitions
import Testing

@Suite("Durations")
struct SpanTests {
    @Test(
        "units are ms, s, m, h and d; a bare number counts milliseconds",
        arguments: [
            ("1", 1), ("250", 250), ("250ms", 250), ("5s", 5_000), ("2m", 120_000), ("1h", 3_600_000),
            ("7d", 604_800_000),
            ("007s", 7_000), ("8784h", 8784 * 3_600_000), ("31622400000", 31_622_400_000),
        ]
    )
    func good(_ text: String, _ milliseconds: Int) {
        #expect(Stage.Span(text)?.milliseconds == milliseconds)
    }

    @Test(
        "nothing else is a duration",
        arguments: [
            "", "0", "0s", "-5s", "+5s", "5 s", " 5s", "5s ", "1.5s", "5D", "5S", "5MS", "s", "ms", "1h30m",
            "1e3",
            "8785h", "367d", "31622400001", "9223372036854775807h", "99999999999999999999", "٣s", "0x10",
        ]
    )
    func bad(_ text: String) {
        #expect(Stage.Span(text) == nil)
    }
}
