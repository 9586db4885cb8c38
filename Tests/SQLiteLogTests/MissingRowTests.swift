import DiskSupport
import Commits
import LogTestSupport
import TestSupport
import Testing

@testable import SQLiteLog

/// What SQLite does not find any more, as after damage to a page that leads to it.
@Suite("The log when rows are missing")
struct MissingRowTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var database: Database {
        get throws { try Database(folder.path + "/sluice.db", vfs: nil, isReadOnly: false) }
    }

    private func bench() throws -> LogBench {
        try LogBench(StoreFolder(folder.path), keepRevs: 100_000, epoch: "e")
    }

    /// A store with two graphs, revs 1 to 4 of `a`, a snapshot of it, and a key.
    private func makeStore() throws {
        let bench = try bench()
        bench.define("b")
        bench.define("a")
        bench.executor.wait()
        for _ in 0..<2 {
            bench.set("a")
            bench.executor.wait()
        }
        bench.listener.state = { $0 == "a" ? GraphSnapshot(LogStamp(rev: 3, time: 1_000), [7]) : nil }
        var keyed = LogEntry(graph: "a")
        keyed.key = LogEntry.Key("k", digest: 5)
        bench.executor.pass(60_000)
        bench.append([keyed])
        bench.executor.wait()
    }

    @Test(
        "A start notices each row that is missing",
        arguments: [
            "DELETE FROM graphs WHERE name = 'b'",
            "DELETE FROM log WHERE last = 4",
            "DELETE FROM log WHERE graph = 2 AND last = 1",
            "DELETE FROM log",
            "DELETE FROM snapshots",
            "UPDATE snapshots SET time = 3",
            "DELETE FROM keys",
            "UPDATE keys SET graph = 1",
            "UPDATE seal SET sequence = sequence + 1",
            "DELETE FROM seal",
        ]
    )
    func missing(change: String) throws {
        try makeStore()
        _ = try bench()
        _ = try StoreReader(database: folder.path + "/sluice.db")
        try database.run(change)
        let error = #expect(throws: StoreError.self) { try bench() }
        #expect(error?.message.hasPrefix("\(folder.path)/sluice.db is damaged: ") == true)
        #expect(error?.hint?.contains("backup") == true)
        #expect(throws: StoreError.self) { try StoreReader(database: folder.path + "/sluice.db") }
    }

    @Test("A reader notices each rev that is missing", arguments: [2, 3])
    func missingBetween(rev: UInt64) throws {
        try makeStore()
        let bench = try bench()
        try database.run("DELETE FROM log WHERE last = \(rev)")
        for first in 1...rev {
            let error = #expect(throws: StoreError.self) {
                try bench.log.reader.entries(of: "a", in: first...10) { _, _ in true }
            }
            #expect(error?.message.hasSuffix("revs \(rev) to \(rev) of graph a are missing") == true)
        }
        #expect(throws: Never.self) {
            try bench.log.reader.entries(of: "a", in: rev + 1...10) { _, _ in true }
        }
    }

    @Test("A recovery that finds rows missing stores the graphs as they are")
    func missingAtRecovery() throws {
        let disk = LyingDisk(seed: 1)
        let bench = try LogBench(disk.store, keepRevs: 100_000, epoch: "e")
        bench.define("a")
        bench.set("a")
        bench.executor.wait()
        bench.listener.state = { _ in GraphSnapshot(LogStamp(rev: 2, time: 1_000), [7]) }
        try Database("sluice.db", vfs: disk.name, isReadOnly: false).run("DELETE FROM log")
        disk.fault = .from(1)
        bench.set("a")
        bench.executor.wait()
        #expect(bench.log.health == .outOfReach)
        disk.fault = .nothing
        bench.executor.pass(1_000)
        #expect(bench.events.contains { $0.contains("has lost writes") })
        #expect(bench.log.health == .ready)
        #expect(try bench.log.reader.snapshot(of: "a", notAfter: 2)?.state == [7])
    }
}
