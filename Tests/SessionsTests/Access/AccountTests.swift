import TestSupport
import Testing

@testable import Graphs
@testable import Sessions

/// What is counted for principals is counted where it begins and where it ends: however graphs,
/// families, nodes, connections and tickets go, nothing is left.
@Suite("Accounts of what has gone")
struct AccountTests {
    private static let plays = Nightly.isOn ? 5_000 : 60

    @Test("F-7, K-3, I-4: without graphs every account of a host is zero", arguments: [false, true])
    func everyOrder(leavesOpen: Bool) throws {
        var answers: [String: Int] = [:]
        for seed in 0..<UInt64(Self.plays) {
            var play = AccountPlay(seed)
            for _ in 0..<60 {
                try play.step()
                #expect(play.isExact, "seed \(seed)")
            }
            play.clearOut(leavesOpen: leavesOpen)
            guard play.remains.isEmpty else {
                Issue.record("seed \(seed): \(play.remains)")
                return
            }
            answers.merge(play.answers) { $0 + $1 }
        }
        for kind in ["snap", "ok", "upd", "end", "wanted", "topo", "engine_down"] {
            #expect(answers[kind, default: 0] > Self.plays / 10, "\(kind): \(answers)")
        }
    }
}
