import TestSupport
import Testing

/// Random definitions, commits, clients, redefinitions and time, with a cut at a random point: a
/// host that restores the saved graph goes on as the one that was not interrupted.
///
/// `SLUICE_NIGHTLY=1` plays 40,000 instead of 800, and `SLUICE_HISTORIES=n` so many, from the seed
/// `SLUICE_FIRST_SEED` on. `SLUICE_SEED=n` plays one, and prints it step by step.
@Suite("Saving and restoring random histories of a host")
struct SavingHistoriesTests {
    private static let portions = Array(0..<8)
    private static var histories: Int {
        environment("SLUICE_HISTORIES").flatMap { Int($0) } ?? (Nightly.isOn ? 40_000 : 800)
    }

    private static var firstSeed: UInt64 {
        environment("SLUICE_FIRST_SEED").flatMap { UInt64($0) } ?? 0
    }

    @Test("G-164: a restored graph continues as one that was not interrupted", arguments: portions)
    func goesOn(portion: Int) throws {
        if let seed = environment("SLUICE_SEED").flatMap({ UInt64($0) }) {
            if portion == 0 { try playOne(seed) }
            return
        }
        let share = Self.histories / Self.portions.count
        var (failures, messages) = (0, 0)
        let first = Self.firstSeed + UInt64(portion * share)
        for seed in first..<(first + UInt64(share)) where failures < 3 {
            let play = try CutPlay(seed)
            do {
                guard let difference = try play.run() else {
                    messages += play.messages
                    continue
                }
                Issue.record("SLUICE_SEED=\(seed): \(difference)")
            } catch {
                Issue.record("SLUICE_SEED=\(seed): \(error)")
            }
            failures += 1
        }
        #expect(failures > 0 || messages > share, "the histories are too poor: \(messages)")
    }

    private func playOne(_ seed: UInt64) throws {
        let play = try CutPlay(seed)
        defer { print(play.transcript.joined(separator: "\n")) }
        let difference = try play.run()
        #expect(difference == nil)
    }
}
