import DiskSupport
import Commits
import LogTestSupport
import TestSupport
import Testing

@testable import SQLiteLog
import Support

/// Revs and times that no commit can have, with checksums that are right.
@Suite("The log when numbers are out of range")
struct OutOfRangeTests {
    private let disk = LyingDisk(seed: 1)

    /// A store with revs 1 to 3 of `a` in one row, a snapshot of it, and a key.
    init() throws {
        let bench = try LogBench(disk.store)
        var set = LogEntry(graph: "a")
        set.set = [LogEntry.Assignment("x", [0x31])]
        var keyed = LogEntry(graph: "a")
        keyed.key = LogEntry.Key("k", digest: 5)
        bench.append([LogEntry(graph: "a", kind: .define(text: "{}", .client)), set, keyed])
        bench.executor.wait()
        bench.listener.state = { _ in GraphSnapshot(LogStamp(rev: 3, time: 1_000), [7]) }
        bench.executor.pass(60_000)
        disk.kill()
    }

    private var database: Database {
        get throws { try Database("sluice.db", vfs: disk.name, isReadOnly: false) }
    }

    @Test(
        "A start refuses a rev, a time or a number of a write that is out of range",
        arguments: [
            ("UPDATE log SET last = -1", "the last rev in the log"),
            ("UPDATE log SET last = 9007199254740992", "the last rev in the log"),
            ("UPDATE log SET time = 253402300800000", "the last rev in the log"),
            ("UPDATE snapshots SET rev = 0", "a rev or a time in snapshots"),
            ("UPDATE snapshots SET rev = -9223372036854775808", "a rev or a time in snapshots"),
            ("UPDATE snapshots SET time = -1", "a rev or a time in snapshots"),
            ("UPDATE keys SET rev = 9223372036854775807", "a rev or a time in keys"),
            ("UPDATE keys SET time = 9223372036854775807", "a rev or a time in keys"),
            ("UPDATE seal SET sequence = 9223372036854775807", "the number of the last write"),
            ("UPDATE seal SET sequence = -1", "the number of the last write"),
        ]
    )
    func refused(change: String, what: String) throws {
        try database.run(change)
        // The checksum of the row is looked at first, and is not what this is about.
        if change.contains(" log ") { try sealLog() }
        let error = #expect(throws: StoreError.self) { try LogBench(disk.store) }
        #expect(error?.message.contains(what) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("out of range") == true)
    }

    /// Gives the row of the log the checksum that it should have.
    private func sealLog() throws {
        var (numbers, bytes): ([UInt64], [UInt8]) = ([], [])
        do {
            var rows = try database.rows("SELECT graph, first, last, time, entries FROM log")
            let row = try #require(try rows.next())
            numbers = (0..<4).map { row.unsigned($0) }
            bytes = row.withBytes(4) { Array($0) }
        }
        let sum = bytes.withBorrowedBytes { checksum(of: $0, after: numbers) }
        try database.run("UPDATE log SET checksum = ?", .number(Int64(sum)))
    }

    @Test(
        "A time before an entry, or that of a tick, that is out of range is reported with its rev",
        arguments: [UInt64.max, UInt64.max - 500, 253_402_300_800_000 as UInt64]
    )
    func entries(number: UInt64) throws {
        for isTick in [false, true] {
            var entries: [UInt8] = []
            for rev in 1...3 {
                entries.append(varint: rev == 1 ? 1_000 : rev == 2 && !isTick ? number : 0)
                LogEntry(graph: "a", kind: rev == 2 && isTick ? .tick(now: number) : .values).append(
                    to: &entries
                )
            }
            try database.run("UPDATE log SET entries = ?", .bytes(entries))
            try sealLog()
            let bench = try LogBench(disk.store)
            let error = #expect(throws: StoreError.self) {
                try bench.log.reader.entries(of: "a", in: 1...3) { _, _ in true }
            }
            #expect(error?.message.hasPrefix("sluice.db: rev 2 of graph a cannot be read") == true)
            disk.kill()
        }
    }
}
