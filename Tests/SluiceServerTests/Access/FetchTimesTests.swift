import Testing

@testable import SluiceServer

/// When the keys of an issuer are fetched again, on a clock of the test's own.
@Suite("Times of fetching keys")
struct FetchTimesTests {
    @Test("Without keys every 5 s, whatever comes")
    func none() {
        var times = FetchTimes()
        let asked = (0..<20_000).filter { times.begin(.none, at: UInt64($0)) }
        #expect(asked == [0, 5_000, 10_000, 15_000])
    }

    @Test("For unknown keys once a minute, however many tokens name some")
    func unknown() {
        var times = FetchTimes()
        let asked = stride(from: 7, through: 200_000, by: 1).filter { times.begin(.unknown, at: UInt64($0)) }
        #expect(asked == [7, 60_007, 120_007, 180_007])
    }

    @Test("Keys that are used every ten minutes, and if that fails every minute")
    func use() {
        var times = FetchTimes()
        let isDue = times.begin(.use, at: 0)
        #expect(isDue)
        times.succeeded(at: 10)
        let asked = stride(from: 10, through: 760_000, by: 10).filter { times.begin(.use, at: UInt64($0)) }
        #expect(asked == [600_010, 660_010, 720_010])
        times.succeeded(at: 760_000)
        let later = [1_359_999, 1_360_000].map { times.begin(.use, at: $0) }
        #expect(later == [false, true])
    }

    @Test("An unknown key is looked for at once, also when the keys were just fetched")
    func unknownAfterUse() {
        var times = FetchTimes()
        let begins = times.begin(.use, at: 0)
        times.succeeded(at: 5)
        let later = [6, 60_005, 60_006].map { times.begin(.unknown, at: $0) }
        #expect(begins && later == [true, false, true])
    }
}
