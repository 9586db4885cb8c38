import TestSupport
import Testing

@testable import Graphs
@testable import Sessions

/// Whatever clients do, exactly the members live that the rules name, and nothing else is left of
/// the others.
@Suite("Random histories of families and owners")
struct FleetHistoryTests {
    static var seeds: Range<UInt64> { Nightly.isOn ? 0..<2_000 : 0..<40 }

    @Test(
        "F-2 to F-4, F-6, O-1 to O-4, K-1: what lives, what globs mean, and what is counted, through any history"
    )
    func histories() throws {
        var taken: [String: Int] = [:]
        for seed in Self.seeds {
            var play = try FleetPlay(seed)
            var steps: [String] = []
            for step in 1...70 {
                try play.step()
                steps.append(play.last)
                guard let fault = play.fault else { continue }
                let history = steps.suffix(12).joined(separator: "\n")
                Issue.record("seed \(seed), step \(step): \(fault)\nafter\n\(history)")
                return
            }
            try play.end()
            if let fault = play.fault {
                Issue.record("seed \(seed), at the end: \(fault)")
                return
            }
            taken.merge(play.taken) { $0 + $1 }
        }
        #expect(taken.values.min() ?? 0 > 8, "every kind of step is taken: \(taken)")
    }
}
