import Testing

@testable import SluiceServer

@Suite("When an upstream is asked again")
struct PollPaceTests {
    @Test("S-5: every is spread by a tenth, and max-age makes it longer, up to an hour")
    func every() {
        var pace = PollPace(every: 10_000)
        #expect(pace.succeeded(random: 0) == 9_000)
        #expect(pace.succeeded(random: 0.5) == 10_000)
        #expect((10_999...11_000).contains(pace.succeeded(random: 0.999_99) ?? 0))
        #expect(pace.succeeded(maxAge: 5_000, random: 0.5) == 10_000)
        #expect(pace.succeeded(maxAge: 60_000, random: 0.5) == 60_000)
        #expect(pace.succeeded(maxAge: .max, random: 0.5) == 3_600_000)
    }

    @Test("S-5: what has no every is asked once, and again after a failure")
    func once() {
        var pace = PollPace(every: nil)
        #expect(pace.succeeded(maxAge: 60_000, random: 0.5) == nil)
        #expect(pace.failed(random: 0.5) == 1_000)
        #expect(pace.failed(random: 0.5) == 2_000)
        #expect(pace.succeeded(random: 0.5) == nil)
        #expect(pace.failed(random: 0.5) == 1_000)
    }

    @Test(
        "S-5: pauses after failures double up to five minutes, or are as long as every",
        arguments: [
            (10_000, 300_000), (600_000, 600_000),
        ]
    )
    func failures(every: Int, longest: Int) {
        var pace = PollPace(every: every)
        let pauses = (0..<100).map { _ in pace.failed(random: 0.5) }
        #expect(pauses.first == every)
        #expect(pauses.last == longest)
        #expect(zip(pauses, pauses.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("S-5: Retry-After is obeyed up to an hour")
    func retryAfter() {
        var pace = PollPace(every: 1_000)
        #expect(pace.failed(retryAfter: 120_000, random: 0.5) == 120_000)
        #expect(pace.failed(retryAfter: 1, random: 0.5) == 2_000)
        #expect(pace.failed(retryAfter: .max, random: 0.5) == 3_600_000)
    }
}
