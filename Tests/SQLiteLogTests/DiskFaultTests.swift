import Commits
import DiskSupport
import LogTestSupport

import TestSupport
import Testing

@testable import SQLiteLog

/// Each thing that a log does, on a disk that fails at its first operation, its second, and so on
/// until it has none left.
@Suite("The log on a disk that fails")
struct DiskFaultTests {
    enum Step: String, CaseIterable {
        case openNew, open, write, define, remove, snapshot, backup, recover, close
    }

    /// The disk keeps what is written; the empty file that comes before it is a real one.
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A store with a past: three graphs, one of which has ended, snapshots, trimmed revs, and a
    /// journal.
    private static func past(_ durability: Durability) throws -> DiskBench {
        let bench = DiskBench(LyingDisk(seed: 1), durability)
        try bench.start()
        bench.define("a")
        bench.define("b")
        bench.pass()
        for number in 0..<12 {
            bench.set("a", bytes: 10 + number * 300)
            if number % 4 == 0 { bench.set("b") }
            bench.pass(number % 5 == 4 ? 60_000 : 0)
        }
        bench.define("c")
        bench.remove("b")
        bench.pass()
        #expect(bench.complaints.isEmpty)
        return bench
    }

    @Test(
        "One operation or all from one on: nothing answered is lost or there twice, nothing refused is there, and it recovers",
        arguments: Step.allCases,
        Durability.allCases
    )
    func everyOperation(step: Step, durability: Durability) throws {
        let past = try Self.past(durability)
        for isLasting in [false, true] {
            var number = 1
            while number < 2_000 {
                let outcome = try play(step, past, isLasting ? .from(number) : .once(number))
                #expect(outcome.complaints.isEmpty, "operation \(number), lasting: \(isLasting)")
                guard outcome.hasFailed, outcome.complaints.isEmpty else { break }
                number += isLasting && !Nightly.isOn ? 7 : 1
            }
            #expect(number > 3 && number < 2_000, "\(step) has \(number) operations")
        }
    }

    @Test("What a start shows after a failed write and kill -9 is there after a power cut")
    func shownIsDurable() throws {
        let past = try Self.past(.fsync)
        var number = 1
        var hasFailed = true
        while hasFailed {
            for seed in 0..<20 {
                let bench = DiskBench(past.disk.copy(seed: UInt64(seed)), after: past)
                try bench.start()
                // So that there is a journal, whose frames an older state of the pages has.
                bench.set("a")
                bench.pass()
                bench.disk.fault = .once(number)
                bench.set("a", bytes: 9_000)
                bench.pass()
                hasFailed = bench.disk.hasFailed
                bench.disk.kill()
                bench.stop()
                bench.maySeeRefused = true
                try bench.start()
                bench.disk.cut()
                bench.stop()
                try bench.start()
                bench.check()
                #expect(bench.complaints.isEmpty, "operation \(number), seed \(seed)")
            }
            number += 1
        }
        #expect(number > 3)
    }

    @Test("A recovery that fails, and a power cut in the next one, leave a database that can be read")
    func cutInRecovery() throws {
        // A recovery begins with the journal.
        for number in 1...16 {
            for later in stride(from: 1, to: 100, by: Nightly.isOn ? 1 : 7) {
                let bench = DiskBench(LyingDisk(seed: UInt64(later)), .written)
                try bench.start()
                bench.define("a")
                bench.pass(60_000)
                bench.set("a")
                bench.pass()
                bench.disk.capacity = 0
                bench.set("a", bytes: 9_000)
                bench.pass()
                bench.disk.capacity = .max
                bench.disk.fault = .once(number)
                bench.pass(1_000)
                #expect(bench.disk.hasFailed)
                bench.disk.fault = .stop(later)
                bench.pass(1_000)
                bench.stop()
                bench.disk.cut()
                (bench.mayLose, bench.maySeeRefused) = (true, true)
                try bench.start()
                bench.check()
                #expect(bench.complaints.isEmpty, "operation \(number), then \(later)")
            }
        }
    }

    @Test("A checkpoint whose sync fails, and a power cut in the next one, leave a database that can be read")
    func cutInCheckpoint() throws {
        for later in stride(from: 5, to: 2_500, by: Nightly.isOn ? 10 : 250) {
            let bench = DiskBench(LyingDisk(seed: UInt64(later)), .written)
            try bench.start()
            bench.define("a")
            bench.pass()
            // A thousand pages and more, with which a checkpoint begins.
            func fill() {
                for _ in 0..<5 {
                    bench.set("a", bytes: 1_000_000)
                    bench.pass()
                }
            }
            fill()
            // The first one is the new journal's header.
            bench.disk.fault = .synchronisation(2)
            fill()
            #expect(bench.disk.hasFailed)
            bench.disk.fault = .stop(later)
            bench.set("a")
            bench.pass()
            #expect(bench.disk.hasFailed)
            bench.stop()
            bench.disk.cut()
            bench.mayLose = true
            try bench.start()
            bench.check()
            #expect(bench.complaints.isEmpty, "operation \(later)")
        }
    }

    private func play(
        _ step: Step,
        _ past: DiskBench,
        _ fault: LyingDisk.Fault
    ) throws -> (hasFailed: Bool, complaints: [String]) {
        let isNew = step == .openNew
        let disk = isNew ? LyingDisk(seed: 7) : past.disk.copy(seed: 7)
        let bench = isNew ? DiskBench(disk, past.durability) : DiskBench(disk, after: past)
        if step != .open && !isNew { try bench.start() }
        if step == .recover {
            disk.fault = .from(1)
            bench.set("a")
            bench.pass()
        }
        disk.fault = fault
        var refusal: StoreError?
        do throws(StoreError) { try perform(step, bench) } catch { refusal = error }
        let hasFailed = disk.hasFailed
        disk.fault = .nothing
        var complaints: [String] = []
        if let refusal {
            let isKnown =
                [
                    "sluice.db ", "the backup was not written: ", "cannot write the high-water mark",
                    "cannot read the high",
                ]
                .contains { refusal.message.hasPrefix($0) }
            if !isKnown || !hasFailed { complaints.append(refusal.message) }
        }
        if bench.log == nil || step == .close {
            disk.kill()
            bench.stop()
            try bench.start()
        } else if step == .open || isNew {
            bench.inspect()
        }
        bench.pass(5_000)
        bench.goOn()
        bench.check()
        disk.kill()
        bench.stop()
        try bench.start()
        bench.check()
        return (hasFailed, complaints + bench.complaints)
    }

    private func perform(_ step: Step, _ bench: DiskBench) throws(StoreError) {
        var problem: StoreError?
        switch step {
        case .openNew, .open: try bench.open()
        case .write:
            bench.set("a", bytes: 9_000)
            // This one waits for the writer.
            bench.set("c")
        case .define: bench.define("d")
        case .remove: bench.remove("c")
        case .snapshot:
            bench.set("a")
            bench.pass(60_000)
        case .backup: bench.log?.backup(to: folder.path + "/copy.db") { problem = $0 }
        case .recover: bench.pass(1_500)
        case .close: bench.close()
        }
        bench.pass()
        if let problem { throw problem }
    }
}
