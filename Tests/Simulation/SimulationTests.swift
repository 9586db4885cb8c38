import TestSupport
import Testing

/// Whole servers with clients, their transactions and links, commits, redefinitions, disk faults,
/// kills and power cuts.
///
/// Their wall clock drifts, and is set forward and back by up to an hour. Each step takes a bounded
/// number of turns, and a history that takes five minutes ends the process with its seed.
/// `SLUICE_NIGHTLY=1` plays 100,000 histories instead of 640, and `SLUICE_HISTORIES=n` so many.
/// `SLUICE_SEED=n` plays one, makes it as short as it can be while it fails, and prints its steps.
@Suite("A simulated world")
struct SimulationTests {
    private static let portions = Array(0..<8)
    private static var histories: Int {
        environment("SLUICE_HISTORIES").flatMap { Int($0) } ?? (Nightly.isOn ? 100_000 : 640)
    }

    @Test(
        "Release is exact, no client sees half of a commit or a rev that is gone, what was answered is there once, a replay is the same",
        arguments: portions
    )
    func world(portion: Int) {
        if let seed = environment("SLUICE_SEED").flatMap({ UInt64($0) }) {
            if portion == 0 { playOne(seed) }
            return
        }
        let share = Self.histories / Self.portions.count
        var (failures, messages, replays, starts, lost, fed, led) = (0, 0, 0, 0, 0, 0, 0)
        for seed in UInt64(portion * share)..<UInt64((portion + 1) * share) where failures < 3 {
            var world = World(seed)
            var complaints = HangWatch.during("SLUICE_SEED=\(seed)") { world.run(Action.history(seed)) }
            let (counts, mortals) = (world.counts, world.mortals)
            world = World(seed)
            complaints += mortals.compactMap(\.object).map { "\(type(of: $0)) has outlived its world" }
            if let first = complaints.first {
                Issue.record("SLUICE_SEED=\(seed): \(first)")
                failures += 1
            }
            messages += counts.messages
            replays += counts.replays
            starts += counts.starts
            lost += counts.lost
            fed += counts.fed
            led += counts.led
        }
        #expect(
            failures > 0
                || messages > share && replays > 3 * share && starts > 2 * share && lost > share / 50
                    && fed > share / 10 && led > share,
            "the histories are too poor: \(messages) messages, \(replays) replays, \(starts) starts, \(lost) lost, \(fed) fed, \(led) led"
        )
    }

    @Test("The digests of fixed seeds are the same in every process, whatever it hashes with")
    func digests() {
        let found = (1...UInt64(knownDigests.count)).map { seed in
            let world = World(seed)
            #expect(world.run(Action.history(seed)).isEmpty)
            return world.digest
        }
        #expect(found == knownDigests, "where histories are made differently now, Digests.swift takes these")
    }

    private func playOne(_ seed: UInt64) {
        var actions = Action.history(seed)
        var complaints = World(seed).run(actions)
        defer { #expect(complaints.isEmpty) }
        // Steps are left out, many at once first, while it still fails.
        var size = complaints.isEmpty ? 0 : actions.count / 2
        while size > 0 {
            var start = 0
            while start < actions.count {
                var fewer = actions
                fewer.removeSubrange(start..<min(start + size, actions.count))
                let found = World(seed).run(fewer)
                if found.isEmpty { start += size } else { (actions, complaints) = (fewer, found) }
            }
            size /= 2
        }
        let world = World(seed, transcribes: true)
        _ = world.run(actions)
        print(world.transcript.joined(separator: "\n"))
        print(complaints.joined(separator: "\n"))
    }
}
