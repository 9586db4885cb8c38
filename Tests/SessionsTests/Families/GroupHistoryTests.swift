import TestSupport
import Testing

@Suite("Random histories of groups")
struct GroupHistoryTests {
    private static var seeds: Range<UInt64> { Nightly.isOn ? 0..<4_000 : 0..<12 }

    @Test(
        "X-6, X-7: through births, deaths, expiries, failures and redefinitions, groups are what a recomputation gives"
    )
    func histories() throws {
        var taken: [String: Int] = [:]
        for seed in Self.seeds {
            var play = try GroupPlay(seed)
            for _ in 1...50 {
                try play.step()
                guard let fault = try play.fault() else { continue }
                Issue.record(
                    "seed \(seed): \(fault)\nafter\n\(play.steps.suffix(20).joined(separator: "\n"))"
                )
                return
            }
            if let fault = try play.end() {
                Issue.record("seed \(seed), at the end: \(fault)")
                return
            }
            taken.merge(play.taken) { $0 + $1 }
        }
        #expect(taken.count == 8 && taken.values.min() ?? 0 > 8, "every kind of step is taken: \(taken)")
    }
}
