import DiskSupport
import Commits
import TestSupport
import Testing

@testable import SQLiteLog

/// Random commits, snapshots, failures, ends of the process and of the power, at any operation of
/// the disk.
///
/// `SLUICE_NIGHTLY=1` plays 10,000 histories instead of 200, for each durability and end.
/// `SLUICE_SEED=n` plays one.
@Suite("The log when the power goes")
struct CutTests {
    enum End: CaseIterable { case power, kill, either }

    @Test(
        "What was answered is there in its epoch: after kill -9 always, after a power cut with fsync; with written the epoch ends",
        arguments: Durability.allCases,
        End.allCases
    )
    func ends(durability: Durability, end: End) throws {
        let seeds = environment("SLUICE_SEED").flatMap { UInt64($0) }.map { $0..<$0 + 1 }
        var lost = 0
        for seed in seeds ?? 0..<(Nightly.isOn ? 10_000 : 200) {
            let bench = try play(seed, durability, end)
            #expect(bench.complaints.isEmpty, "SLUICE_SEED=\(seed)")
            if !bench.complaints.isEmpty { return }
            lost += bench.lost
        }
        if seeds == nil { #expect((lost > 0) == (durability == .written && end != .kill), "\(lost) lost") }
    }

    private func play(_ seed: UInt64, _ durability: Durability, _ end: End) throws -> DiskBench {
        var dice = SeededGenerator(seed: seed)
        let disk = LyingDisk(seed: dice.next())
        let bench = DiskBench(disk, durability)
        for _ in 0..<4 {
            // Somewhere on the way it stops, now and then at the start.
            if dice.chance(1, in: 3) { disk.fault = .stop(1 + dice.below(120)) }
            do throws(StoreError) {
                try bench.open()
                if !disk.hasStopped {
                    disk.fault = .nothing
                    bench.inspect()
                    disk.fault = .stop(1 + dice.below(500))
                }
                while !disk.hasStopped, act(bench, &dice) {}
                bench.note()
            } catch {
                if !disk.hasStopped { throw error }
            }
            let hasClosed = !disk.hasStopped
            bench.stop()
            if end == .kill || end == .either && dice.chance(1, in: 2) {
                disk.kill()
            } else {
                disk.cut()
                if durability == .written, !hasClosed { bench.mayLose = true }
            }
        }
        try bench.start()
        bench.check()
        bench.goOn()
        bench.check()
        return bench
    }

    /// Returns whether it goes on.
    private func act(_ bench: DiskBench, _ dice: inout SeededGenerator) -> Bool {
        switch dice.below(20) {
        case 0: bench.define(["a", "b", "c"][dice.below(3)])
        case 1: bench.remove("b")
        case 2: bench.pass(60_000)
        case 3 where dice.chance(1, in: 3):
            bench.close()
            return false
        default: bench.set(["a", "a", "b", "c"][dice.below(4)], bytes: dice.below(3_000))
        }
        if dice.chance(2, in: 3) { bench.pass() }
        return true
    }
}
