import DiskSupport
import Commits
import TestSupport
import Testing
import Values

@testable import SQLiteLog

@Suite("The log on a disk without room")
struct FullDiskTests {
    @Test("A full disk: no_space, what is there can be read, and it continues when there is room")
    func full() throws {
        for seed in UInt64(0)..<12 {
            var dice = SeededGenerator(seed: seed)
            let disk = LyingDisk(seed: seed)
            let bench = DiskBench(disk, seed % 2 == 0 ? .written : .fsync)
            try bench.start()
            bench.define("a")
            bench.pass()
            disk.capacity = disk.bits / 8 + dice.below(200_000)
            for _ in 0..<300 where bench.health == .ready {
                bench.set("a", bytes: dice.below(4_000))
                bench.pass()
            }
            #expect(bench.health == .full && bench.health?.refusal?.code == .noSpace)
            bench.check()
            bench.pass(3_000)
            #expect(bench.health == .full)
            disk.capacity = .max
            bench.pass(1_000)
            bench.goOn()
            bench.check()
            bench.stop()
            disk.kill()
            try bench.start()
            bench.check()
            #expect(bench.complaints.isEmpty, "seed \(seed)")
        }
    }

    @Test("A full disk at the start is named, and nothing is changed")
    func fullAtStart() throws {
        let disk = LyingDisk(seed: 1)
        disk.capacity = 5_000
        let bench = DiskBench(disk, .written)
        do throws(StoreError) {
            try bench.start()
            Issue.record("there is no room")
        } catch {
            #expect(error.message == "sluice.db: the disk is full" && error.hint == "make room on it")
        }
        disk.kill()
        disk.capacity = .max
        try bench.start()
        bench.goOn()
        #expect(bench.complaints.isEmpty)
    }
}
