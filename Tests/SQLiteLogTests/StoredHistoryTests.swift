import Commits
import DiskSupport
import LogTestSupport
import Testing

@testable import SQLiteLog

@Suite("X-5: histories by time in SQLite")
struct StoredHistoryTests {
    private let folder: TemporaryFolder
    private let bench: LogBench

    init() throws {
        folder = try TemporaryFolder()
        bench = try LogBench(StoreFolder(folder.path))
        bench.define("g")
        bench.executor.wait()
    }

    /// Stores a snapshot with that change.
    private func store(_ change: HistoryChange?) {
        bench.set("g")
        bench.listener.state = { [listener = bench.listener] _ in
            let rev = listener.committed.last?.stamp.rev ?? 1
            return GraphSnapshot(LogStamp(rev: rev, time: 1), [1], history: change)
        }
        bench.executor.pass(60_000)
    }

    private func store(
        _ chunks: [HistoryChunk],
        of node: String = "x",
        keptFrom: UInt64 = 0,
        limit: Int = 1_000
    ) {
        var change = HistoryChange(byteLimit: limit)
        change.added = chunks.map { HistoryChange.Addition(node, $0, keptFrom: keptFrom) }
        store(change)
    }

    private func starts(
        _ times: ClosedRange<UInt64> = 0...1_000_000,
        of node: String = "x"
    ) throws -> [UInt64] {
        try bench.log.reader.history(of: node, in: "g", times).map(\.start)
    }

    private func chunk(_ start: UInt64, _ bytes: Int = 10) -> HistoryChunk {
        HistoryChunk(
            start: start,
            every: 10,
            Array(repeating: UInt8(truncatingIfNeeded: start), count: bytes)
        )
    }

    @Test("X-5: chunks come with snapshots, replace those of the same start, and answer ranges")
    func stored() throws {
        store([chunk(100), chunk(300)])
        store([chunk(100, 20), chunk(500)])
        store([chunk(100)], of: "y")
        #expect(try starts() == [100, 300, 500] && starts(of: "y") == [100] && starts(of: "z") == [])
        // The chunk in which the range begins is among them.
        #expect(try starts(350...400) == [300] && starts(0...99) == [] && starts(300...500) == [300, 500])
        #expect(try bench.log.reader.history(of: "x", in: "g", 0...200).first?.bytes.count == 20)
        bench.log.close()
        let next = try LogBench(StoreFolder(folder.path), epoch: "e2")
        #expect(try next.log.reader.history(of: "x", in: "g", 0...1_000).count == 3)
    }

    @Test("X-5: old chunks go, and the oldest above the limit of bytes")
    func trimmed() throws {
        store([chunk(100), chunk(300), chunk(500)])
        store([chunk(700)], keptFrom: 300)
        #expect(try starts() == [300, 500, 700])
        store([chunk(900)], limit: 25)
        #expect(try starts() == [700, 900])
    }

    @Test("X-5: a history ends with its node or its graph")
    func ended() throws {
        store([chunk(100)])
        store([chunk(100)], of: "y")
        var change = HistoryChange(byteLimit: 1_000)
        change.ended = ["x"]
        change.added = [HistoryChange.Addition("x", chunk(300), keptFrom: 0)]
        store(change)
        #expect(try starts() == [300] && starts(of: "y") == [100])
        bench.append([LogEntry(graph: "g", kind: .remove)])
        bench.executor.wait()
        #expect(try starts().isEmpty && starts(of: "y").isEmpty)
    }

    @Test("X-5: a chunk that has changed on the disk is damage, and no answer")
    func damaged() throws {
        store([chunk(100)])
        let database = try Database(folder.path + "/sluice.db", vfs: nil, isReadOnly: false)
        try database.run("UPDATE history SET every = 20")
        #expect(throws: StoreError.self) { try starts() }
    }
}
