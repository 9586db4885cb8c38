import TestSupport
import Testing

/// Random definitions, commits, clients, redefinitions and time, played by the host and by a model
/// written from the rules (docs/rules, docs/definitions.md): all operators, as nodes, behind
/// links and syncs, and in clients' pipelines.
///
/// `SLUICE_NIGHTLY=1` plays 100,000 instead of 2,048, and `SLUICE_HISTORIES=n` so many, from the
/// seed `SLUICE_FIRST_SEED` on. `SLUICE_SEED=n` plays one, and prints it step by step.
@Suite("The host and the model play the same history")
struct HistoriesTests {
    private static let portions = Array(0..<16)
    private static var histories: Int {
        environment("SLUICE_HISTORIES").flatMap { Int($0) } ?? (!Nightly.isOn ? 2_048 : 100_000)
    }

    private static var firstSeed: UInt64 {
        environment("SLUICE_FIRST_SEED").flatMap { UInt64($0) } ?? 1
    }

    @Test("every value, every emission in its order, and every life is as the rules say", arguments: portions)
    func histories(portion: Int) throws {
        if let seed = environment("SLUICE_SEED").flatMap({ UInt64($0) }) {
            if portion == 0 { try playOne(seed) }
            return
        }
        let share = Self.histories / Self.portions.count
        let first = Self.firstSeed + UInt64(portion * share)
        var open: [String: Int] = [:]
        var comparisons = 0
        var failures = 0
        for seed in first..<(first + UInt64(share)) where failures < 3 {
            let play = try Play(seed)
            switch try play.run() {
            case .agrees: break
            case .open(let what): open[what.prefix { $0 != " " }.description, default: 0] += 1
            case .differs(let what):
                Issue.record("SLUICE_SEED=\(seed): \(what)")
                failures += 1
            }
            comparisons += play.comparisons
        }
        if environment("SLUICE_VERBOSE") != nil {
            print("histories \(share) from seed \(first), open \(open), comparisons \(comparisons)")
        }
        // Few may come to what the rules leave open, and something must have been compared.
        let given = open.values.reduce(0, +)
        #expect(given * 8 <= share + 8, "too many histories were given up: \(open)")
        #expect(failures > 0 || comparisons > share * 50, "the histories are too poor: \(comparisons)")
    }

    private func playOne(_ seed: UInt64) throws {
        let play = try Play(seed, transcribes: true)
        let outcome = try play.run()
        print(play.transcript.joined(separator: "\n"), "\n", outcome)
        if case .differs(let what) = outcome { Issue.record("seed \(seed): \(what)") }
    }
}
