import ReactiveGraph
import TestSupport
import Testing

/// Random histories, played by the engine and by the reference model, which must agree in
/// everything that can be seen: every call of a function or a listener, its order, value, context
/// and path, how many nodes lived at that moment, and the state between any two steps: all
/// operators with rings, deaths, batches, nested sets, time, posts, names and pressure.
///
/// `SLUICE_NIGHTLY=1` plays 100,000 instead of 2,560; `SLUICE_HISTORIES` and `SLUICE_FIRST_SEED`
/// say how many in each mode and from where. `SLUICE_SEED=n` plays one seed, and prints both runs
/// step by step.
@Suite("The engine and the reference model play the same history")
struct HistoryTests {
    static let portions = Array(0..<16)

    @Test("G-1 … G-95, G-127 … G-151: settled joins", arguments: portions)
    func settled(portion: Int) {
        play(portion, isSettled: true)
    }

    @Test("G-1 … G-95, G-127 … G-151: immediate joins", arguments: portions)
    func immediate(portion: Int) {
        play(portion, isSettled: false)
    }

    private func play(_ portion: Int, isSettled: Bool) {
        if let seed = environment("SLUICE_SEED").flatMap({ UInt64($0) }) {
            if portion == 0 { playOne(seed, isSettled: isSettled) }
            return
        }
        let share = Self.histories / Self.portions.count
        let first = Self.firstSeed + UInt64(portion * share)
        var open: [Openness: Int] = [:]
        var calls = 0
        var failures = 0
        for seed in first..<(first + UInt64(share)) where failures < 3 {
            let comparison = Comparison(seed: seed, isSettled: isSettled, keepsTranscript: false)
            if let what = comparison.open { open[what, default: 0] += 1 }
            calls += comparison.calls
            if let difference = comparison.difference {
                Issue.record("SLUICE_SEED=\(seed), \(isSettled ? "settled" : "immediate"): \(difference)")
                failures += 1
            }
        }
        if environment("SLUICE_VERBOSE") != nil {
            print("histories \(share) from seed \(first), settled \(isSettled), open \(open), calls \(calls)")
        }
        // Few histories may run into what the rules leave open, and something must have been
        // compared.
        #expect(open.values.reduce(0, +) * 3 <= share + 20, "too many histories were given up")
        #expect(failures > 0 || calls > share * 20, "the histories are too poor")
    }

    private func playOne(_ seed: UInt64, isSettled: Bool) {
        let comparison = Comparison(seed: seed, isSettled: isSettled, keepsTranscript: true)
        print(comparison.transcript)
        if let difference = comparison.difference { Issue.record("seed \(seed): \(difference)") }
    }

    /// How many histories are played in each mode.
    private static var histories: Int {
        if let text = environment("SLUICE_HISTORIES"), let number = Int(text) { return number }
        return !Nightly.isOn ? 1_280 : 50_048
    }

    /// The first seed: each run of histories has seeds in a row.
    private static var firstSeed: UInt64 {
        environment("SLUICE_FIRST_SEED").flatMap { UInt64($0) } ?? 1
    }
}
