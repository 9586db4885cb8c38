import Testing

@testable import LoadGenerator
import Support

@Suite("A latency histogram")
struct LatencyHistogramTests {
    @Test("of nothing says nothing")
    func empty() {
        #expect(LatencyHistogram().percentile(0.5) == 0)
        #expect(LatencyHistogram().longest == 0)
    }

    @Test("gives back every single value within 1.6 %, none too short", arguments: 0..<63)
    func accuracy(power: Int) {
        let base = UInt64(1) << UInt64(power)
        for value in [base, base + base / 3, base + base / 2, base * 2 - 1] {
            var histogram = LatencyHistogram()
            histogram.record(value)
            histogram.record(.max)
            let found = histogram.percentile(0.5)
            #expect(found >= value)
            #expect(Double(found) <= Double(value) * 1.016)
        }
    }

    @Test("percentiles of 1 … 1000")
    func percentiles() {
        var histogram = LatencyHistogram()
        for value in (1...1000).reversed() { histogram.record(UInt64(value)) }
        #expect((500...508).contains(histogram.percentile(0.5)))
        #expect((990...1000).contains(histogram.percentile(0.99)))
        #expect(histogram.percentile(1) == 1000)
        #expect(histogram.percentile(0) == 1)
        #expect(histogram.longest == 1000)
        #expect(histogram.count == 1000)
    }
}

@Suite("What a subscriber of the load run reads")
struct BenchValueTests {
    @Test(
        "is the number behind every v, quoted or not",
        arguments: [
            (#"{"op":"upd","rev":3,"d":[{"id":1,"v":123}]}"#, [UInt64(123)]),
            (#"{"d":[{"id":1,"v":1},{"id":1,"v":"22 xxxx"}]}"#, [1, 22]),
            (#"{"d":[]}"#, []), (#""v":"#, [0]), (#""v""#, []), ("", []),
        ]
    )
    func values(text: String, expected: [UInt64]) {
        var found: [UInt64] = []
        Array(text.utf8).withBorrowedBytes { Bench.forEachValue(in: $0) { found.append($0) } }
        #expect(found == expected)
    }
}
