import EventLoop
import Commits
import DiskSupport
import LogTestSupport
import Testing

@testable import SQLiteLog

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

@Suite("The log in SQLite")
struct SQLiteLogTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func bench(
        _ durability: Durability = .written,
        keepRevs: UInt64 = 100_000,
        epoch: String = "e2"
    ) throws -> LogBench {
        try LogBench(StoreFolder(folder.path), durability, keepRevs: keepRevs, epoch: epoch)
    }

    @Test("It keeps the promises of a log", arguments: Durability.allCases)
    func promises(durability: Durability) throws {
        func make(_ epoch: String) throws -> SQLiteLog {
            try SQLiteLog(
                StoreFolder(folder.path),
                durability,
                keepRevs: 1_000,
                epoch: epoch,
                executor: ManualExecutor()
            )
        }
        try checkCommitLog({ try make("first") }, again: { _ in try make("second") })
    }

    @Test("On a loop, with a thread of its own: answers come in a later turn, in order")
    func onLoop() throws {
        let loop = try Loop()
        let log = try SQLiteLog(
            StoreFolder(folder.path),
            .written,
            keepRevs: 1_000,
            epoch: "e",
            executor: ThreadExecutor(on: loop)
        )
        let listener = LogListener()
        log.follower = listener
        log.append([LogEntry(graph: "g", kind: .define(text: "{}", .client))], tickets: 1..<2, wall: 1)
        for ticket in 2..<UInt64(50) {
            log.append([LogEntry(graph: "g")], tickets: ticket..<ticket + 1, wall: 1)
        }
        #expect(listener.committed.isEmpty)
        _ = loop.run()
        #expect(listener.committed.map(\.ticket) == Array(1..<50))
        #expect(log.statistics.commits == 49 && log.statistics.writes < 49, "many share a write")
        // The same while a caller waits.
        log.append([LogEntry(graph: "g")], tickets: 50..<51, wall: 1)
        log.settle()
        #expect(listener.committed.last?.ticket == 50)
        log.close()
    }

    @Test("A disk that stalls holds the writer, and no turn of the loop")
    func stalls() throws {
        let loop = try Loop()
        let files = StallingFiles(folder: try StoreFolder(folder.path))
        let log = try SQLiteLog(
            files,
            .written,
            keepRevs: 1_000,
            epoch: "e",
            executor: ThreadExecutor(on: loop)
        )
        let listener = LogListener()
        log.follower = listener
        var ticks = 0
        let timer = try LoopTimer(on: loop) {
            ticks += 1
            if ticks == 20 {
                #expect(listener.committed.isEmpty)
                files.goOn()
            }
            if !listener.committed.isEmpty { loop.stop() }
        }
        timer.start(after: .milliseconds(1), every: .milliseconds(1))
        files.stall()
        log.append([LogEntry(graph: "g", kind: .define(text: "{}", .client))], tickets: 1..<2, wall: 1)
        loop.run()
        #expect(listener.committed.count == 1)
        #expect(ticks > 20)
        log.close()
    }

    @Test("Whatever comes while the writer is busy is one write")
    func groups() throws {
        let bench = try bench()
        bench.define("g")
        for _ in 0..<20 { bench.set("g") }
        #expect(bench.executor.pending == 1)
        bench.executor.step()
        #expect(bench.listener.committed.count == 1)
        bench.executor.step()
        #expect(bench.listener.committed.count == 21 && bench.log.statistics.writes == 2)
    }

    // MARK: - Starting again

    @Test("After kill -9 everything that was answered is there, in an epoch that goes on from the one before")
    func killed() throws {
        do {
            let bench = try bench(epoch: "e1")
            bench.define("g")
            bench.set("g", count: 9)
            bench.executor.wait()
            // Not answered, and never written.
            bench.set("g")
        }
        let next = try bench()
        #expect(next.log.broken == nil)
        #expect(
            try next.log.open(graph: "g") == LogPosition(Epochs("e2", earlier: "e1@10"), rev: 10, time: 1_000)
        )
        #expect(try next.revs("g") == Array(1...10))
        #expect(try next.log.open(graph: "new").epoch == "e2")
    }

    @Test(
        "After a power cut, commits may be missing with 'written' and not with 'fsync'; after an ordered end with neither"
    )
    func powerCut() throws {
        for durability in Durability.allCases {
            for isClosed in [false, true] {
                let folder = try TemporaryFolder()
                do {
                    let bench = try LogBench(StoreFolder(folder.path), durability, epoch: "e1")
                    bench.define("g")
                    bench.executor.wait()
                    if isClosed { bench.log.close() }
                }
                let next = try LogBench(OtherBoot(folder: StoreFolder(folder.path)), durability, epoch: "e2")
                let goesOn = isClosed || durability == .fsync
                #expect((next.log.broken == nil) == goesOn)
                #expect(try next.log.open(graph: "g").epochs == Epochs("e2", earlier: "e1@1"))
                #expect(try next.log.open(graph: "g").rev == 1)
            }
        }
    }

    @Test("A torn tail: SQLite drops it without a word, the high-water mark does not")
    func tornTail() throws {
        do {
            let bench = try bench(.fsync, epoch: "e1")
            bench.define("g")
            bench.executor.wait()
            for _ in 0..<3 {
                bench.set("g")
                bench.executor.wait()
            }
            // As the disk has them when the machine stops: a connection that is closed would clear
            // its journal away.
            let size = folder.bytes(of: "sluice.db-wal").count
            folder.overwrite("sluice.db-wal", at: size - 5_000, [UInt8](repeating: 0xAA, count: 5_000))
            try copy("sluice.db", "sluice.db-wal", "high-water")
        }
        let next = try LogBench(StoreFolder(folder.path + "/copy"), .fsync, epoch: "e2")
        #expect(next.log.broken?.contains("of the last writes are missing") == true)
        let position = try next.log.open(graph: "g")
        #expect(position.epochs == Epochs("e2", earlier: "e1@\(position.rev)") && position.rev < 4)
        next.set("g")
        next.executor.wait()
        #expect(try next.revs("g") == Array(1...position.rev + 1), "it goes on behind what is left")
    }

    private func copy(_ names: String...) throws {
        for name in names {
            folder.write("copy/" + name, "")
            folder.overwrite("copy/" + name, at: 0, folder.bytes(of: name))
        }
    }

    @Test("A folder that is put back to an older copy: cursors of the time since are not valid")
    func putBack() throws {
        do {
            let bench = try bench(epoch: "e1")
            bench.define("g")
            bench.executor.wait()
            try copy("sluice.db", "sluice.db-wal", "high-water")
            bench.set("g", count: 3)
            bench.executor.wait()
        }
        let next = try LogBench(StoreFolder(folder.path + "/copy"), epoch: "e2")
        #expect(next.log.broken == nil, "nothing shows that it was put back")
        next.set("g", count: 3)
        next.executor.wait()
        let position = try next.log.open(graph: "g")
        #expect(position.rev == 4 && position.epochs.hold(1, of: "e1") && !position.epochs.hold(2, of: "e1"))
    }

    @Test("A full disk at the start: the epoch is stored with the first commit")
    func fullAtStart() throws {
        let disk = LyingDisk(seed: 1)
        do {
            let bench = try LogBench(disk.store, epoch: "e1")
            bench.define("g")
            bench.log.close()
        }
        disk.capacity = 0
        do {
            let bench = try LogBench(disk.store, epoch: "e2")
            #expect(try bench.log.open(graph: "g").epochs == Epochs("e2", earlier: "e1@1"))
            disk.capacity = .max
            bench.set("g")
            bench.executor.wait()
        }
        disk.kill()
        let next = try LogBench(disk.store, epoch: "e3")
        #expect(try next.log.open(graph: "g").epochs == Epochs("e3", earlier: "e2@2 e1@1"))
    }

    @Test("A store of format 3 is read, and its epoch leads to the present one")
    func formerFormat() throws {
        do {
            let bench = try bench(epoch: "e1")
            bench.define("g")
            bench.log.close()
        }
        let path = folder.path + "/sluice.db"
        try Database(path, vfs: nil, isReadOnly: false).run("PRAGMA user_version = 3")
        #expect(try StoreReader(database: path).graphs().map(\.name) == ["g"])
        let next = try bench()
        #expect(try next.log.open(graph: "g").epochs == Epochs("e2", earlier: "e1@1"))
        let found = try Database(path, vfs: nil, isReadOnly: true).number("PRAGMA user_version")
        #expect(found == Store.version)
    }

    @Test("Files that are moved away or replaced while it runs: engine_down, until they are back")
    func moved() throws {
        let data = folder.path + "/data"
        let bench = try LogBench(StoreFolder(data), epoch: "e1")
        bench.define("g")
        bench.executor.wait()
        for (name, other) in [("", "/other"), ("/data/sluice.db-wal", "/wal"), ("/data/lock", "/lock")] {
            let (place, away) =
                name.isEmpty ? (data, folder.path + other) : (folder.path + name, folder.path + other)
            #expect(rename(place, away) == 0)
            if !name.isEmpty { folder.write(String(name.dropFirst()), "another file") }
            // Without a commit it is noticed in two seconds, with one at once.
            if name.isEmpty { bench.executor.advance(by: 2_000) } else { bench.set("g") }
            bench.executor.wait()
            #expect(bench.log.health == .outOfReach, "\(place)")
            #expect(
                bench.events.last?.contains("was moved, removed or replaced while the server runs") == true
            )
            bench.executor.advance(by: 5_000)
            #expect(bench.log.health == .outOfReach, "it is not back by itself")
            #expect(rename(away, place) == 0)
            bench.executor.advance(by: 1_000)
            bench.executor.wait()
            #expect(bench.log.health == .ready, "\(place)")
        }
        bench.set("g")
        bench.executor.wait()
        #expect(bench.listener.committed.count == 2 && bench.listener.refused.count == 2)
        #expect(try bench.revs("g") == [1, 2])
    }

    @Test("A copy without its high-water mark is reported")
    func copied() throws {
        do {
            let bench = try bench(epoch: "e1")
            bench.define("g")
            bench.log.close()
            try copy("sluice.db")
        }
        let next = try LogBench(StoreFolder(folder.path + "/copy"), epoch: "e2")
        #expect(next.log.broken?.contains("it is a copy, or was restored") == true)
        #expect(
            try next.log.open(graph: "g") == LogPosition(Epochs("e2", earlier: "e1@1"), rev: 1, time: 1_000)
        )
    }

    // MARK: - Files that cannot be used

    private func refusal() -> StoreError? {
        do throws(StoreError) {
            let files = try StoreFolder(folder.path)
            _ = try SQLiteLog(files, .written, keepRevs: 10, epoch: "e", executor: ManualExecutor())
            return nil
        } catch {
            return error
        }
    }

    @Test("A folder belongs to one process: another one gets the holder's number")
    func locked() throws {
        let bench = try bench()
        #expect(refusal()?.message == "another process uses the folder \(folder.path): process \(getpid())")
        withExtendedLifetime(bench) {}
    }

    @Test(
        "A file that is no database, another program's, of a newer version, or damaged, is refused and left alone"
    )
    func unusable() throws {
        func write(_ sql: String) throws {
            let database = try Database(folder.path + "/sluice.db", vfs: nil, isReadOnly: false)
            try database.run(sql)
        }
        try write("CREATE TABLE t(x)")
        #expect(
            refusal()?.message == "\(folder.path)/sluice.db is damaged: it is not a Sluice log (SQLite 26)"
        )
        try write("DROP TABLE t")
        _ = try bench()
        try write("PRAGMA user_version = 5")
        #expect(
            refusal()?.message
                == "\(folder.path)/sluice.db cannot be opened: it was written by another version of Sluice: format 6, this one reads 3 to 5"
        )
        folder.overwrite("sluice.db", at: 0, Array("not a database at all".utf8))
        let error = try #require(refusal())
        #expect(error.message.hasPrefix("\(folder.path)/sluice.db is damaged: file is not a database"))
        #expect(error.hint?.contains("backup") == true)
    }

    @Test("A page that has changed on the disk is found when it is read, with its place")
    func corruptPage() throws {
        do {
            let bench = try bench()
            bench.define("g")
            for _ in 0..<30 { bench.set("g", bytes: 900) }
            bench.executor.wait()
            bench.set("g")
            bench.listener.state = { _ in
                GraphSnapshot(LogStamp(rev: 31, time: 1), Array(repeating: 7, count: 9_000))
            }
            bench.log.close()
        }
        // In the middle of values, where SQLite itself sees nothing.
        let bytes = folder.bytes(of: "sluice.db")
        for (run, what) in [
            ([UInt8](repeating: 0x31, count: 64), "revs "),
            ([UInt8](repeating: 7, count: 64), "the snapshot of graph g at rev 31"),
        ] {
            let place = try #require(bytes.indices.first { bytes[$0...].starts(with: run) })
            folder.overwrite("sluice.db", at: place + 32, [0x32])
            let next = try bench()
            do throws(StoreError) {
                _ = try next.log.reader.snapshot(of: "g", notAfter: 100)
                try next.log.reader.entries(of: "g", in: 1...100) { _, _ in true }
                Issue.record("not found")
            } catch {
                #expect(error.message.hasPrefix("\(folder.path)/sluice.db: \(what)"), "\(error.message)")
                #expect(error.message.hasSuffix("the checksum is wrong"))
            }
        }
    }

    @Test(
        "A rev that has changed on the disk is found, whatever it is now",
        arguments: ["first = 0", "first = 5", "last = 9223372036854775807", "last = -1"]
    )
    func corruptRev(change: String) throws {
        let bench = try bench()
        bench.define("g")
        bench.executor.wait()
        let database = try Database(folder.path + "/sluice.db", vfs: nil, isReadOnly: false)
        try database.run("UPDATE log SET \(change)")
        let error = #expect(throws: StoreError.self) {
            try bench.log.reader.entries(of: "g", in: 1...100) { _, _ in true }
        }
        #expect(error?.hint?.contains("backup") == true)
    }

    @Test("A table that has changed on the disk is damage, with a hint")
    func corruptSchema() throws {
        do {
            let bench = try bench()
            bench.define("g")
            bench.executor.wait()
            bench.log.close()
        }
        let database = try Database(folder.path + "/sluice.db", vfs: nil, isReadOnly: false)
        try database.run("ALTER TABLE log RENAME COLUMN checksum TO chacksum")
        let error = try #require(refusal())
        #expect(error.message.hasPrefix("\(folder.path)/sluice.db is damaged: no such column"))
        #expect(error.hint?.contains("backup") == true)
    }

    // MARK: - Snapshots and trimming

    @Test(
        "A graph is stored after 10,000 revs, after a minute with a change, and at the end; never without one"
    )
    func snapshots() throws {
        let bench = try bench()
        var rev: UInt64 = 0
        bench.listener.state = { [listener = bench.listener] _ in
            rev = listener.committed.last?.stamp.rev ?? 0
            return GraphSnapshot(LogStamp(rev: rev, time: 1), [UInt8(truncatingIfNeeded: rev)])
        }
        bench.define("g")
        bench.set("g", count: 9_998)
        bench.executor.wait()
        bench.executor.pass(1)
        #expect(bench.log.statistics.snapshots == 0)
        bench.set("g")
        bench.executor.pass(1)
        #expect(bench.log.statistics.snapshots == 1 && rev == 10_000)
        bench.executor.pass(70_000)
        #expect(bench.log.statistics.snapshots == 1)
        bench.set("g")
        bench.executor.pass(60_000)
        #expect(bench.log.statistics.snapshots == 2 && rev == 10_001)
        bench.set("g")
        bench.log.close()
        #expect(bench.log.statistics.snapshots == 3 && rev == 10_002)
        // Those that are close together make room for one another.
        #expect(try bench.log.reader.snapshot(of: "g", notAfter: 10_001)?.stamp.rev == 10_000)
        #expect(
            try bench.log.reader.snapshot(of: "g", notAfter: .max)?.state == [
                UInt8(truncatingIfNeeded: 10_002)
            ]
        )
    }

    @Test("Commits older than keepRevs are removed; every rev within can be rebuilt")
    func trimmed() throws {
        let bench = try bench(keepRevs: 15_000)
        bench.listener.state = { [listener = bench.listener] _ in
            GraphSnapshot(listener.committed.last?.stamp ?? LogStamp(rev: 0, time: 0), [1])
        }
        bench.define("g")
        for _ in 0..<10 {
            bench.set("g", count: 5_000)
            bench.executor.pass(1)
        }
        let kept = try #require(try bench.log.reader.revs(of: "g"))
        #expect(kept.upperBound == 50_001)
        #expect(kept.lowerBound <= 35_001 && kept.lowerBound > 20_000, "\(kept)")
        let snapshot = try #require(try bench.log.reader.snapshot(of: "g", notAfter: kept.lowerBound))
        #expect(snapshot.stamp.rev == kept.lowerBound)
        var revs: [UInt64] = []
        try bench.log.reader.entries(of: "g", in: kept.lowerBound + 1...kept.upperBound) { _, stamp in
            revs.append(stamp.rev)
            return true
        }
        #expect(revs == Array(kept.lowerBound + 1...kept.upperBound))
        #expect(try bench.log.reader.revs(of: "nothing") == nil)
    }

    @Test("A backup is a copy of one moment, and begins a new epoch where it is opened")
    func backup() throws {
        let bench = try bench(epoch: "e1")
        bench.define("g")
        bench.set("g", count: 5)
        bench.executor.wait()
        var answers: [StoreError?] = []
        _ = try StoreFolder(folder.path + "/copy")
        let path = folder.path + "/copy/sluice.db"
        bench.log.backup(to: path) { answers.append($0) }
        bench.set("g")
        bench.executor.wait()
        bench.log.backup(to: path) { answers.append($0) }
        bench.executor.wait()
        #expect(answers.count == 2 && answers[0] == nil)
        #expect(answers[1]?.message.hasPrefix("the backup was not written: ") == true)
        let copy = try LogBench(StoreFolder(folder.path + "/copy"), epoch: "e2")
        #expect(
            try copy.log.open(graph: "g") == LogPosition(Epochs("e2", earlier: "e1@6"), rev: 6, time: 1_000)
        )
        #expect(try copy.revs("g") == Array(1...6))
    }
}
