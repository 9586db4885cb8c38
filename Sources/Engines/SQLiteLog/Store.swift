internal import CSQLite
internal import GraphHost

/// How safe a commit is before it is answered.
public enum Durability: String, Sendable, CaseIterable {
    /// It is with the operating system: it survives the end of the process, kill -9 included.
    case written
    /// It is on the disk: it survives a power cut.
    case fsync
}

/// The tables of a log, and everything that is done with them.
///
///     graphs     name, epoch, and where the definition comes from (null: the graph has ended)
///     log        the entries of one graph in one write, revs `first` to `last`, with the number of the write
///     snapshots  the state of a graph at a rev
///     keys       the idempotency keys of the last ten minutes
///
/// A checksum in each row covers all that is in it.
///
/// Unchecked: its owner lets only one thread use it at a time.
final class Store: @unchecked Sendable {
    /// The version of the tables: another one for each change of what follows or of the entries' bytes.
    static let version: Int64 = 1
    /// "Slui": SQLite's mark for whose file it is.
    private static let applicationID: Int64 = 0x536c_7569

    /// One graph as of the last write.
    struct Graph: Sendable {
        var position: LogPosition
        /// nil: it has ended.
        var origin: DefinitionOrigin?
    }

    /// What stands in the store when it is opened.
    struct Content: Sendable {
        var graphs: [String: Graph]
        /// Why the graphs have begun a new epoch; nil: they go on in theirs.
        var broken: String?
    }

    /// The entries of one turn of the loop, with their stamps.
    struct Turn: Sendable {
        let entries: [LogEntry]
        let stamps: [LogStamp]
        let tickets: Range<UInt64>
        /// The graphs after it, and how many entries it has of each.
        let graphs: [String: (graph: Graph, count: UInt64)]
        /// Those of them that begin, end, or come from elsewhere.
        let changed: Set<String>
    }

    /// What a recovery has found.
    enum Recovery: Sendable {
        /// Everything that was answered.
        case complete
        /// Answered writes are missing: the graphs have to be stored as they are.
        case incomplete
    }

    private let files: any StoreFiles
    private let durability: Durability
    private var database: Database
    /// The number of the last write that was answered.
    private var sequence: UInt64 = 0
    private var ids: [String: Int64] = [:]

    /// Opens the store, or makes one.
    ///
    /// - Throws: ``StoreError`` where the file is damaged, of a newer version, or no log of Sluice's.
    init(_ files: any StoreFiles, _ durability: Durability, epoch: String) throws(StoreError) {
        self.files = files
        self.durability = durability
        do throws(DatabaseError) {
            database = try Self.connect(files, durability)
        } catch {
            throw Self.unusable(files, error)
        }
        let mark = try files.readMark()
        do throws(DatabaseError) {
            try prepare()
        } catch {
            throw Self.unusable(files, error)
        }
        do throws(DatabaseError) {
            content = try load(epoch, mark)
            // Clients will see what the last process has written: it must be as durable as what this one writes.
            try emptyJournal()
        } catch {
            // A full disk can be read.
            guard error.primary == SQLITE_FULL else { throw Self.unusable(files, error) }
        }
        try writeMark(isClean: false, synchronised: true)
    }

    /// What stood in it when it was opened.
    private(set) var content = Content(graphs: [:], broken: nil)

    private static func connect(
        _ files: any StoreFiles,
        _ durability: Durability
    ) throws(DatabaseError) -> Database {
        let database = try Database(files.database, vfs: files.vfs, isReadOnly: false)
        try database.run("PRAGMA journal_mode = WAL")
        // NORMAL synchronises at checkpoints, so that a power cut costs the tail and never the file; FULL at each commit.
        try database.run("PRAGMA synchronous = \(durability == .fsync ? "FULL" : "NORMAL")")
        try database.run("PRAGMA journal_size_limit = 67108864")
        return database
    }

    private static func unusable(_ files: any StoreFiles, _ error: DatabaseError) -> StoreError {
        switch error.primary {
        case SQLITE_NOTADB, SQLITE_CORRUPT:
            StoreError(
                "\(files.database) is damaged: \(error.description)",
                hint: "put a backup in its place (docs/operations.md); nothing was changed"
            )
        case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM:
            StoreError(
                "\(files.database) cannot be written: \(error.description)",
                hint: "the server's user needs the right to write there ('dataDir')"
            )
        case SQLITE_FULL:
            StoreError("\(files.database): the disk is full", hint: "make room on it")
        default: StoreError("\(files.database) cannot be opened: \(error.description)")
        }
    }

    // MARK: - Opening

    /// Makes the tables of a file that has none.
    private func prepare() throws(DatabaseError) {
        guard try database.number("SELECT count(*) FROM sqlite_master") == 0 else {
            return try Self.check(database)
        }
        try database.transaction { () throws(DatabaseError) in try makeTables() }
    }

    /// Whether a file is a log of this version.
    static func check(_ database: Database) throws(DatabaseError) {
        guard try database.number("PRAGMA application_id") == applicationID else {
            throw DatabaseError(code: SQLITE_NOTADB, message: "it is no log of Sluice's")
        }
        let found = try database.number("PRAGMA user_version") ?? 0
        guard found == version else {
            let message =
                "it was written by another version of Sluice: format \(found), this one reads \(version)"
            throw DatabaseError(code: SQLITE_MISMATCH, message: message)
        }
    }

    private func makeTables() throws(DatabaseError) {
        try database.run(
            """
            PRAGMA application_id = \(Self.applicationID);
            PRAGMA user_version = \(Self.version);
            CREATE TABLE graphs(
                id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, origin INTEGER,
                checksum INTEGER NOT NULL
            );
            CREATE TABLE log(
                graph INTEGER NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL, time INTEGER NOT NULL,
                sequence INTEGER NOT NULL, checksum INTEGER NOT NULL, entries BLOB NOT NULL,
                PRIMARY KEY (graph, last)
            ) WITHOUT ROWID;
            CREATE TABLE snapshots(
                id INTEGER PRIMARY KEY, graph INTEGER NOT NULL, rev INTEGER NOT NULL, time INTEGER NOT NULL,
                checksum INTEGER NOT NULL, state BLOB NOT NULL, UNIQUE (graph, rev)
            );
            CREATE TABLE keys(
                graph INTEGER NOT NULL, time INTEGER NOT NULL, rev INTEGER NOT NULL, principal TEXT, key TEXT NOT NULL,
                digest BLOB NOT NULL, changed INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (graph, rev)
            ) WITHOUT ROWID;
            CREATE TABLE probe(room BLOB);
            """
        )
    }

    /// Reads where the graphs stand, and begins another epoch where answered commits may be missing.
    private func load(_ epoch: String, _ mark: [UInt8]?) throws(DatabaseError) -> Content {
        var graphs: [String: Graph] = [:]
        let read = try database.rows("SELECT id, name, epoch, origin, checksum FROM graphs") {
            (row) throws(DatabaseError) in
            let origin = row.isNull(3) ? nil : DefinitionOrigin(rawValue: UInt8(clamping: row.number(3)))
            let name = row.text(1) ?? ""
            let position = LogPosition(epoch: row.text(2) ?? "", rev: 0, time: 0)
            let graph = Graph(position: position, origin: origin)
            guard graph.sum(named: name) == row.number(4) else {
                throw Self.damaged("graph \(name): the checksum is wrong")
            }
            ids[name] = row.number(0)
            graphs[name] = graph
            return true
        }
        try read.get()
        for (name, id) in ids {
            guard let last = try lastStamp(of: name, id) else {
                throw Self.damaged("the revs of graph \(name) are missing")
            }
            graphs[name]?.position.rev = last.rev
            graphs[name]?.position.time = last.time
        }
        sequence = try storedSequence()
        let broken = breach(mark, isEmpty: graphs.isEmpty)
        if broken != nil {
            try database.transaction { () throws(DatabaseError) in
                for name in graphs.keys {
                    graphs[name]?.position.epoch = epoch
                    if let graph = graphs[name] { try note(graph, named: name) }
                }
            }
        }
        return Content(graphs: graphs, broken: broken)
    }

    /// The last commit of a graph that is in the file.
    private func lastStamp(of name: String, _ graph: Int64) throws(DatabaseError) -> LogStamp? {
        var last: LogStamp?
        let sql = """
            SELECT first, last, time, sequence, checksum, entries FROM log WHERE graph = ? ORDER BY last DESC LIMIT 1
            """
        let read = try database.rows(sql, [.number(graph)]) { (row) throws(DatabaseError) in
            let numbers = [UInt64(graph)] + (0..<4).map { row.unsigned($0) }
            guard Int64(row.withBytes(5) { checksum(of: $0, after: numbers) }) == row.number(4) else {
                throw Self.damaged(
                    "revs \(numbers[1]) to \(numbers[2]) of graph \(name): the checksum is wrong"
                )
            }
            last = LogStamp(rev: numbers[2], time: numbers[3])
            return false
        }
        try read.get()
        // After a recovery that had to store the graphs whole, the snapshot is ahead.
        let snapshot = "SELECT rev, time FROM snapshots WHERE graph = ? ORDER BY rev DESC LIMIT 1"
        let visited: Result<Void, Never> = try database.rows(snapshot, [.number(graph)]) { row in
            let stamp = LogStamp(rev: row.unsigned(0), time: row.unsigned(1))
            if stamp.rev > last?.rev ?? 0 { last = stamp }
            return false
        }
        _ = visited
        return last
    }

    private static func damaged(_ what: String) -> DatabaseError {
        DatabaseError(code: SQLITE_CORRUPT, message: what)
    }

    /// The number of the last write that is in the file: each write leaves the last row of some graph.
    private func storedSequence() throws(DatabaseError) -> UInt64 {
        let sql = """
            SELECT max((SELECT sequence FROM log WHERE graph = graphs.id ORDER BY last DESC LIMIT 1)) FROM graphs
            """
        return UInt64(try database.number(sql) ?? 0)
    }

    /// Why answered commits may be missing; nil: they are all there.
    private func breach(_ mark: [UInt8]?, isEmpty: Bool) -> String? {
        guard let mark else {
            return isEmpty ? nil : "there is no high-water mark beside the log: it is a copy, or was restored"
        }
        guard let mark = HighWaterMark(mark) else { return "the high-water mark beside the log is damaged" }
        if mark.sequence > sequence {
            return "\(mark.sequence - sequence) of the last writes are missing"
        }
        if mark.boot != files.boot, !isEmpty, !mark.isClean, !mark.isSynchronised {
            return
                "the machine went down while the server ran, and 'durability: written' does not survive that"
        }
        return nil
    }

    private func writeMark(isClean: Bool, synchronised: Bool) throws(StoreError) {
        var mark = HighWaterMark()
        mark.sequence = sequence
        mark.boot = files.boot
        mark.isSynchronised = durability == .fsync
        mark.isClean = isClean
        try files.writeMark(mark.bytes, synchronised: synchronised)
    }

    // MARK: - Writing

    /// Writes turns in one transaction; when this returns, they are as durable as configured.
    func write(_ turns: [Turn]) throws(DatabaseError) {
        sequence += 1
        do throws(DatabaseError) {
            try database.transaction { () throws(DatabaseError) in try insert(turns) }
        } catch {
            sequence -= 1
            throw error
        }
        // Without the mark a missing tail would not be noticed, but the commits are safe.
        try? writeMark(isClean: false, synchronised: false)
    }

    private func insert(_ turns: [Turn]) throws(DatabaseError) {
        var rows: [Row] = []
        var places: [String: Int] = [:]
        for turn in turns {
            // One after the other of the same graph is usual.
            var (graph, place) = ("", 0)
            for (number, stamp) in turn.stamps.enumerated() {
                let name = turn.entries[number].graph
                if name != graph || rows.isEmpty {
                    place = places[name] ?? rows.count
                    graph = name
                    if place == rows.count {
                        rows.append(Row(graph: name, first: stamp))
                        places[name] = place
                    }
                }
                rows[place].append(turn.entries[number], stamp)
            }
            for name in turn.changed {
                if let change = turn.graphs[name] { try note(change.graph, named: name) }
            }
        }
        for row in rows {
            guard let id = ids[row.graph] else { continue }
            let sum = checksum(
                of: row.bytes,
                after: UInt64(id),
                row.first.rev,
                row.last.rev,
                row.last.time,
                sequence
            )
            try database.run(
                "INSERT INTO log(graph, last, first, time, sequence, checksum, entries) VALUES(?,?,?,?,?,?,?)",
                .number(id),
                DatabaseValue(row.last.rev),
                DatabaseValue(row.first.rev),
                DatabaseValue(row.last.time),
                DatabaseValue(sequence),
                .number(Int64(sum)),
                .bytes(row.bytes)
            )
            for key in row.keys { try insert(key, id) }
        }
    }

    /// Notes that a graph has begun, changed its origin, or ended.
    private func note(_ graph: Graph, named name: String) throws(DatabaseError) {
        let origin = graph.origin.map { DatabaseValue.number(Int64($0.rawValue)) } ?? .null
        try database.run(
            """
            INSERT INTO graphs(name, epoch, origin, checksum) VALUES(?,?,?,?) ON CONFLICT(name)
                DO UPDATE SET epoch = excluded.epoch, origin = excluded.origin, checksum = excluded.checksum
            """,
            .text(name),
            .text(graph.position.epoch),
            origin,
            .number(graph.sum(named: name))
        )
        ids[name] = try database.number("SELECT id FROM graphs WHERE name = ?", .text(name))
    }

    private func insert(_ key: StoredKey, _ graph: Int64) throws(DatabaseError) {
        let digest = withUnsafeBytes(of: key.key.digest.littleEndian) { Array($0) }
        try database.run(
            "INSERT INTO keys(graph, time, rev, principal, key, digest, changed, checksum) VALUES(?,?,?,?,?,?,?,?)",
            .number(graph),
            DatabaseValue(key.stamp.time),
            DatabaseValue(key.stamp.rev),
            DatabaseValue(key.by),
            .text(key.key.text),
            .bytes(digest),
            .number(Int64(key.changed)),
            .number(key.sum(in: graph))
        )
    }

    /// Stores the state of a graph, and lets go of what is further back than `keepRevs`.
    ///
    /// Kept are snapshots ``SQLiteLog/snapshotRevs`` revs apart, and the newest.
    func store(
        _ snapshot: GraphSnapshot,
        of name: String,
        keepRevs: UInt64,
        keysSince: UInt64
    ) throws(DatabaseError) {
        guard let id = ids[name] else { return }
        let graph = DatabaseValue.number(id)
        let rev = snapshot.stamp.rev
        let sum = checksum(of: snapshot.state, after: UInt64(id), rev, snapshot.stamp.time)
        try database.transaction { () throws(DatabaseError) in
            let last = try database.number("SELECT max(rev) FROM snapshots WHERE graph = ?", graph) ?? 0
            let former =
                try database.number(
                    "SELECT max(rev) FROM snapshots WHERE graph = ? AND rev < ?",
                    graph,
                    .number(last)
                ) ?? 0
            if last - former < Int64(SQLiteLog.snapshotRevs), former > 0 {
                try database.run("DELETE FROM snapshots WHERE graph = ? AND rev = ?", graph, .number(last))
            }
            try database.run(
                "INSERT OR REPLACE INTO snapshots(graph, rev, time, checksum, state) VALUES(?,?,?,?,?)",
                graph,
                DatabaseValue(rev),
                DatabaseValue(snapshot.stamp.time),
                .number(Int64(sum)),
                .bytes(snapshot.state)
            )
            try database.run(
                "DELETE FROM keys WHERE graph = ? AND time < ?",
                graph,
                DatabaseValue(keysSince)
            )
            guard rev > keepRevs else { return }
            // Rebuilding the oldest kept rev starts from this snapshot.
            let base = try database.number(
                "SELECT max(rev) FROM snapshots WHERE graph = ? AND rev <= ?",
                graph,
                DatabaseValue(rev - keepRevs)
            )
            guard let base else { return }
            try database.run("DELETE FROM snapshots WHERE graph = ? AND rev < ?", graph, .number(base))
            try database.run("DELETE FROM log WHERE graph = ? AND last <= ?", graph, .number(base))
        }
    }

    /// Opens the files anew after a failure, and looks whether they can be written again.
    ///
    /// What was refused is taken out, should it have reached the file after all.
    ///
    /// - Parameter graphs: the graphs as of the last answer.
    /// - Returns: whether all that was answered is there.
    /// - Throws: `DatabaseError` while it cannot be written.
    func recover(_ graphs: [String: Graph]) throws(DatabaseError) -> Recovery {
        // After a failed fsync the disk's content is unknown, so read it again (https://wiki.postgresql.org/wiki/Fsync_Errors).
        database = try Self.connect(files, durability)
        try emptyJournal()
        let stored = try storedSequence()
        let refused = DatabaseValue(sequence)
        try database.transaction { () throws(DatabaseError) in
            if stored > sequence {
                try database.run("DELETE FROM log WHERE sequence > ?", refused)
                try database.run(
                    "DELETE FROM keys WHERE rev > (SELECT coalesce(max(last), 0) FROM log WHERE graph = keys.graph)"
                )
            }
            try database.run("DELETE FROM graphs WHERE id NOT IN (SELECT graph FROM log)")
            ids = [:]
            for (name, graph) in graphs { try note(graph, named: name) }
        }
        // A full disk may have room for a byte and no more.
        try database.run("INSERT INTO probe VALUES(zeroblob(262144))")
        try database.run("DELETE FROM probe")
        return stored < sequence ? .incomplete : .complete
    }

    /// Writes what the journal has into the database, synchronises that, and begins the journal anew.
    ///
    /// After a failed sync, or a process that was killed before its sync, a later sync of the journal may skip the lost pages. SQLite
    /// then ignores all frames after them.
    private func emptyJournal() throws(DatabaseError) {
        guard try database.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            throw DatabaseError(code: SQLITE_BUSY, message: "the journal is being read")
        }
    }

    /// Copies the store as it is now into a new file.
    func backup(to path: String) throws(DatabaseError) {
        try database.run("VACUUM INTO ?", .text(path))
    }

    /// Synchronises everything, and says so in the mark: the next start goes on in the same epochs.
    func close() throws(DatabaseError) {
        defer { files.release() }
        try emptyJournal()
        try? writeMark(isClean: true, synchronised: true)
    }

    /// Bytes in the file.
    var size: UInt64 {
        let pages = (try? database.number("PRAGMA page_count")) ?? 0
        let page = (try? database.number("PRAGMA page_size")) ?? 0
        return UInt64(pages * page)
    }
}

/// The entries of one graph in one write.
private struct Row {
    let graph: String
    let first: LogStamp
    var last: LogStamp
    var bytes: [UInt8] = []
    var keys: [StoredKey] = []

    init(graph: String, first: LogStamp) {
        self.graph = graph
        self.first = first
        last = LogStamp(rev: first.rev, time: 0)
    }

    /// Before each entry: the time since the previous one.
    mutating func append(_ entry: LogEntry, _ stamp: LogStamp) {
        bytes.append(varint: stamp.time - last.time)
        entry.append(to: &bytes)
        last = stamp
        if let key = entry.key {
            keys.append(StoredKey(key, by: entry.by, stamp, changed: entry.changed))
        }
    }
}

extension Store.Graph {
    /// What covers a row of `graphs`.
    fileprivate func sum(named name: String) -> Int64 {
        let text = "\(name)\n\(position.epoch)\n\(origin.map { "\($0.rawValue)" } ?? "")"
        return Int64(checksum(of: Array(text.utf8)))
    }
}

extension StoredKey {
    /// What covers a row of `keys`.
    func sum(in graph: Int64) -> Int64 {
        let text = "\(key.text)\n\(key.digest)\n\(by ?? "")\n\(by == nil)"
        let bytes = Array(text.utf8)
        return Int64(checksum(of: bytes, after: UInt64(graph), stamp.rev, stamp.time, UInt64(changed)))
    }
}
