internal import CSQLite
internal import Commits

/// How safe a commit is before it is answered.
public enum Durability: String, Sendable, CaseIterable {
    /// It is with the operating system: it survives the end of the process, kill -9 included.
    case written
    /// It is on the disk: it survives a power cut.
    case fsync
}

/// The tables of a log, and everything that is done with them.
///
///     graphs     name, epochs, and where the definition comes from (null: the graph has ended)
///     log        the entries of one graph in one write, revs `first` to `last`
///     snapshots  the state of a graph at a rev
///     keys       the idempotency keys of the last ten minutes
///     history    the histories of nodes by time, in chunks of steps
///     seal       the number of the last write, and what is in the other tables
///
/// A checksum in each row covers all that is in it; the seal covers which rows there are, except in
/// `history`: there may be millions, and no graph depends on them. No table has an index beside it,
/// which could say something else.
///
/// Unchecked: its owner lets only one thread use it at a time.
final class Store: @unchecked Sendable {
    /// The version of the tables: another one for each change of what follows or of the entries'
    /// bytes.
    ///
    /// In version 3 a graph had one epoch, which reads as one without earlier ones; up to version 4
    /// there was no `history`, and `keys.digest` had nothing after the digest.
    static let version: Int64 = 5
    private static let readable: ClosedRange<Int64> = 3...version
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
        /// Why answered commits may be missing; nil: none are.
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

    let files: any StoreFiles
    let durability: Durability
    var database: Database
    /// The files that it has open.
    private(set) var identities: [String: FileIdentity] = [:]
    /// What is stored; nil after a failure: that is to be looked up.
    var seal: Seal?
    /// The number of the last write that was answered.
    var sequence: UInt64 = 0
    var ids: [String: Int64] = [:]
    /// Whether it is stored that all graphs are in the epoch of this start.
    var hasNotedEpochs = false
    /// Whether a checkpoint has failed, and perhaps the sync of the journal that it begins with.
    var isJournalDoubtful = false

    /// Opens the store, or makes one.
    ///
    /// - Throws: ``StoreError`` where the file is damaged, of a newer version, or no log of
    ///   Sluice's.
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
        } catch {
            throw Self.unusable(files, error)
        }
        try unlessFull { () throws(DatabaseError) in
            try sealed { () throws(DatabaseError) in try noteEpochs() }
            hasNotedEpochs = true
        }
        // Clients will see what the last process has written: it must be as durable as what this
        // one writes.
        try unlessFull { () throws(DatabaseError) in try emptyJournal() }
        try writeMark(isClean: false, synchronised: true)
        identities = files.identities
    }

    /// Writes something at the start; a full disk can be read.
    private func unlessFull(_ write: () throws(DatabaseError) -> Void) throws(StoreError) {
        do throws(DatabaseError) {
            try write()
        } catch {
            guard error.primary == SQLITE_FULL else { throw Self.unusable(files, error) }
        }
    }

    /// What stood in it when it was opened, in the epoch of this start.
    private(set) var content = Content(graphs: [:], broken: nil)

    static func connect(
        _ files: any StoreFiles,
        _ durability: Durability
    ) throws(DatabaseError) -> Database {
        let database = try Database(files.database, vfs: files.vfs, isReadOnly: false)
        try database.run("PRAGMA journal_mode = WAL")
        // NORMAL synchronises at checkpoints, so that a power cut costs the tail and never the
        // file; FULL at each commit.
        try database.run("PRAGMA synchronous = \(durability == .fsync ? "FULL" : "NORMAL")")
        try database.run("PRAGMA journal_size_limit = 67108864")
        database.takeOverCheckpoints()
        return database
    }

    private static func unusable(_ files: any StoreFiles, _ error: DatabaseError) -> StoreError {
        switch error.primary {
        // Statements are the server's own: a table or column that they do not find was there once.
        case SQLITE_NOTADB, SQLITE_CORRUPT, SQLITE_ERROR:
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
        case SQLITE_MISMATCH:
            StoreError(
                "\(files.database) cannot be opened: \(error.message)",
                hint: "start the version that wrote it, or put a backup of this one in its place"
            )
        default: StoreError("\(files.database) cannot be opened: \(error.description)")
        }
    }

    // MARK: - Opening

    /// Makes the tables of a file that has none.
    private func prepare() throws(DatabaseError) {
        guard try database.number("SELECT count(*) FROM sqlite_master") == 0 else {
            try Self.check(database)
            if try database.number("PRAGMA user_version") != Self.version {
                try database.run(Self.historyTable)
            }
            return
        }
        try database.transaction { () throws(DatabaseError) in try makeTables() }
    }

    /// Whether a file is a log of this version.
    static func check(_ database: Database) throws(DatabaseError) {
        guard try database.number("PRAGMA application_id") == applicationID else {
            throw DatabaseError(code: SQLITE_NOTADB, message: "it is not a Sluice log")
        }
        let found = try database.number("PRAGMA user_version") ?? 0
        guard readable.contains(found) else {
            let message =
                "it was written by another version of Sluice: format \(found), this one reads \(readable.lowerBound) to \(version)"
            throw DatabaseError(code: SQLITE_MISMATCH, message: message)
        }
    }

    private static let historyTable = """
        CREATE TABLE IF NOT EXISTS history(
            graph INTEGER NOT NULL, node TEXT NOT NULL, start INTEGER NOT NULL, every INTEGER NOT NULL,
            checksum INTEGER NOT NULL, steps BLOB NOT NULL, PRIMARY KEY (graph, node, start, every)
        ) WITHOUT ROWID;
        """

    private func makeTables() throws(DatabaseError) {
        try database.run(
            """
            PRAGMA application_id = \(Self.applicationID);
            PRAGMA user_version = \(Self.version);
            CREATE TABLE graphs(
                id INTEGER PRIMARY KEY, name TEXT NOT NULL, epoch TEXT NOT NULL, origin INTEGER,
                checksum INTEGER NOT NULL
            );
            CREATE TABLE log(
                graph INTEGER NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL, time INTEGER NOT NULL,
                checksum INTEGER NOT NULL, entries BLOB NOT NULL, PRIMARY KEY (graph, last)
            ) WITHOUT ROWID;
            CREATE TABLE snapshots(
                graph INTEGER NOT NULL, rev INTEGER NOT NULL, time INTEGER NOT NULL, checksum INTEGER NOT NULL,
                state BLOB NOT NULL, PRIMARY KEY (graph, rev)
            ) WITHOUT ROWID;
            CREATE TABLE keys(
                graph INTEGER NOT NULL, time INTEGER NOT NULL, rev INTEGER NOT NULL, principal TEXT, key TEXT NOT NULL,
                digest BLOB NOT NULL, changed INTEGER NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (graph, rev)
            ) WITHOUT ROWID;
            CREATE TABLE seal(
                id INTEGER PRIMARY KEY, sequence INTEGER NOT NULL, total INTEGER NOT NULL, checksum INTEGER NOT NULL
            );
            CREATE TABLE probe(room BLOB);
            \(Self.historyTable)
            """
        )
        try database.write(Seal())
    }

    /// Reads where the graphs stand, and begins an epoch.
    private func load(_ epoch: String, _ mark: [UInt8]?) throws(DatabaseError) -> Content {
        var graphs: [String: Graph] = [:]
        var rows = try database.rows("SELECT \(Graph.columns) FROM graphs")
        while let row = try rows.next() {
            let (id, name, graph) = try Graph.read(row)
            ids[name] = id
            graphs[name] = graph
        }
        for (name, id) in ids {
            guard let last = try lastStamp(of: name, id) else {
                throw Self.damaged("the revs of graph \(name) are missing")
            }
            graphs[name]?.position.rev = last.rev
            graphs[name]?.position.time = last.time
        }
        let seal = try database.checkedSeal()
        self.seal = seal
        sequence = seal.sequence
        let broken = breach(mark, isEmpty: graphs.isEmpty)
        for (name, graph) in graphs {
            graphs[name]?.position.epochs.begin(epoch, after: graph.position.rev)
        }
        return Content(graphs: graphs, broken: broken)
    }

    /// The last commit of a graph that is in the file.
    private func lastStamp(of name: String, _ graph: Int64) throws(DatabaseError) -> LogStamp? {
        var last: LogStamp?
        let sql = """
            SELECT first, last, time, checksum, entries FROM log WHERE graph = ? ORDER BY last DESC LIMIT 1
            """
        var rows = try database.rows(sql, [.number(graph)])
        if let row = try rows.next() {
            let numbers = [UInt64(bitPattern: graph)] + (0..<3).map { row.unsigned($0) }
            guard Int64(row.withBytes(4) { checksum(of: $0, after: numbers) }) == row.number(3) else {
                throw Self.damaged(
                    "revs \(numbers[1]) to \(numbers[2]) of graph \(name): the checksum is wrong"
                )
            }
            last = LogStamp(rev: numbers[2], time: numbers[3])
        }
        // After a recovery that had to store the graphs whole, the snapshot is ahead.
        let snapshot = "SELECT rev, time FROM snapshots WHERE graph = ? ORDER BY rev DESC LIMIT 1"
        var snapshots = try database.rows(snapshot, [.number(graph)])
        if let row = try snapshots.next() {
            let stamp = LogStamp(rev: row.unsigned(0), time: row.unsigned(1))
            if stamp.rev > last?.rev ?? 0 { last = stamp }
        }
        return last
    }

    fileprivate static func damaged(_ what: String) -> DatabaseError {
        DatabaseError(code: SQLITE_CORRUPT, message: what)
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

    func writeMark(isClean: Bool, synchronised: Bool) throws(StoreError) {
        var mark = HighWaterMark()
        mark.sequence = sequence
        mark.boot = files.boot
        mark.isSynchronised = durability == .fsync
        mark.isClean = isClean
        try files.writeMark(mark.bytes, synchronised: synchronised)
    }
}

extension Store.Graph {
    /// What ``read(_:)`` needs of a row.
    static let columns = "id, name, epoch, origin, checksum"

    /// Reads a row of `graphs`; where the graph stands is elsewhere.
    static func read(_ row: Statement) throws(DatabaseError) -> (id: Int64, name: String, graph: Self) {
        let origin = row.isNull(3) ? nil : DefinitionOrigin(rawValue: UInt8(clamping: row.number(3)))
        let name = row.text(1) ?? ""
        let epochs = row.text(2) ?? ""
        guard sum(of: name, epochs, origin) == row.number(4) else {
            throw Store.damaged("graph \(name): the checksum is wrong")
        }
        let position = LogPosition(Epochs(text: epochs), rev: 0, time: 0)
        return (row.number(0), name, Self(position: position, origin: origin))
    }

    /// What covers a row of `graphs`.
    func sum(named name: String) -> Int64 { Self.sum(of: name, position.epochs.text, origin) }

    private static func sum(of name: String, _ epochs: String, _ origin: DefinitionOrigin?) -> Int64 {
        let text = "\(name)\n\(epochs)\n\(origin.map { "\($0.rawValue)" } ?? "")"
        return Int64(checksum(of: Array(text.utf8)))
    }
}

extension Epochs {
    /// As a row of `graphs` has them: the present one, then the earlier ones.
    var text: String { earlier.isEmpty ? present : "\(present) \(earlier)" }

    fileprivate init(text: String) {
        let place = text.firstIndex(of: " ") ?? text.endIndex
        self.init(String(text[..<place]), earlier: text[place...])
    }
}
