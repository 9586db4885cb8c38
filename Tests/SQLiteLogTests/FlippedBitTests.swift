import DiskSupport
import Commits
import TestSupport
import Testing

@testable import SQLiteLog

@Suite("The log with a bit that turned over")
struct FlippedBitTests {
    @Test(
        "Anywhere in the files it is found, or does no harm: no value is another one without a word",
        arguments: [false, true]
    )
    func anywhere(isClosed: Bool) throws {
        let past = DiskBench(LyingDisk(seed: 3), .fsync)
        try past.start()
        for graph in ["a", "b", "c"] { past.define(graph) }
        past.pass()
        for number in 0..<9 {
            past.set("abc".map(String.init)[number % 3], bytes: number * 200)
            past.pass(number == 5 ? 60_000 : 0)
        }
        if isClosed {
            past.close()
            past.stop()
        }
        var dice = SeededGenerator(seed: 5)
        var (found, harmless) = (0, 0)
        for _ in 0..<(Nightly.isOn ? 40_000 : isClosed ? 1_500 : 300) {
            let disk = past.disk.copy(seed: 1)
            let place = disk.flip(bit: dice.below(disk.bits))
            let bench = DiskBench(disk, after: past)
            bench.isDamaged = true
            do throws(StoreError) {
                try bench.open()
            } catch {
                #expect(error.message.hasPrefix("sluice.db ") && error.hint != nil, "\(place): \(error)")
                found += 1
                continue
            }
            if bench.log?.broken != nil { bench.mayLose = true }
            bench.inspect()
            bench.check()
            if bench.log?.broken != nil || !bench.damages.isEmpty {
                found += 1
            } else {
                harmless += 1
            }
            #expect(bench.complaints.isEmpty, "\(place): \(bench.damages)")
        }
        #expect(found > 100 && harmless > 3)
    }
}
