internal import CSQLite
public import Commits
internal import Support

/// Reads a store through a connection of its own for each question, on any thread, while another
/// writes.
public struct StoreReader: LogReader {
    private let path: String
    private let vfs: String?

    /// A reader of these files.
    public init(_ files: any StoreFiles) {
        path = files.database
        vfs = files.vfs
    }

    /// A reader of the database at a path, which no server has to be using.
    ///
    /// - Throws: ``StoreError`` where it is no log of this version.
    public init(database path: String) throws(StoreError) {
        self.path = path
        vfs = nil
        do throws(DatabaseError) {
            let database = try Database(path, vfs: nil, isReadOnly: true)
            try Store.check(database)
            // Of one moment, where a server goes on writing.
            try database.run("BEGIN")
            _ = try database.checkedSeal()
        } catch {
            throw StoreError("\(path) cannot be read: \(error.description)")
        }
    }

    /// All graphs that are stored and have not ended, by name.
    public func graphs() throws(StoreError) -> [StoredGraph] {
        do throws(DatabaseError) {
            var graphs: [StoredGraph] = []
            let database = try Database(path, vfs: vfs, isReadOnly: true)
            var rows = try database.rows("SELECT \(Store.Graph.columns) FROM graphs ORDER BY name")
            while let row = try rows.next() {
                let (_, name, graph) = try Store.Graph.read(row)
                if let origin = graph.origin { graphs.append(StoredGraph(name, origin)) }
            }
            return graphs
        } catch {
            throw StoreError("\(path) cannot be read: \(error.description)")
        }
    }

    /// Copies the database into a folder that has none, for a server that starts there.
    ///
    /// - Throws: ``StoreError`` where the folder has one already or cannot be written, or something
    ///   in the database is damaged.
    public func restore(into folder: String) throws(StoreError) {
        let files = try StoreFolder(folder)
        defer { files.release() }
        guard !files.hasDatabase else {
            throw StoreError("the folder \(folder) has data already", hint: "choose one that is empty")
        }
        do throws(DatabaseError) {
            let source = try Database(path, vfs: vfs, isReadOnly: true)
            let problem = try source.text("PRAGMA integrity_check(1)") ?? ""
            guard problem == "ok" else { throw DatabaseError(code: SQLITE_CORRUPT, message: problem) }
            PrivateFile.prepare(files.database)
            try source.run("VACUUM INTO ?", .text(files.database))
        } catch {
            throw StoreError("\(path) cannot be copied to \(files.database): \(error.description)")
        }
    }

    public func revs(of graph: String) throws(StoreError) -> ClosedRange<UInt64>? {
        try read(graph) { database, id in
            let first = try database.number(
                "SELECT first FROM log WHERE graph = ? ORDER BY last LIMIT 1",
                .number(id)
            )
            let last = try database.number("SELECT max(last) FROM log WHERE graph = ?", .number(id))
            let base = try database.number("SELECT min(rev) FROM snapshots WHERE graph = ?", .number(id))
            let isPossible = [first, last, base].allSatisfy { rev in
                rev.map { LogStamp.revs.contains(UInt64(bitPattern: $0)) } ?? true
            }
            guard isPossible else { throw impossible("the revs of graph \(graph)") }
            guard let last else { return base.map { UInt64($0)...UInt64($0) } }
            guard let from = first == 1 ? 1 : base else { return nil }
            return UInt64(min(from, last))...UInt64(last)
        } ?? nil
    }

    public func snapshot(of graph: String, notAfter rev: UInt64) throws(StoreError) -> GraphSnapshot? {
        try read(graph) { database, id -> GraphSnapshot? in
            let sql = """
                SELECT rev, time, checksum, state FROM snapshots WHERE graph = ? AND rev <= ? ORDER BY rev DESC LIMIT 1
                """
            var rows = try database.rows(sql, [.number(id), .number(Int64(clamping: rev))])
            guard let row = try rows.next() else { return nil }
            let what = "the snapshot of graph \(graph) at rev \(row.unsigned(0))"
            guard let stamp = LogStamp(storedRev: row.unsigned(0), time: row.unsigned(1)) else {
                throw impossible(what)
            }
            let found = row.withBytes(3) { bytes -> GraphSnapshot? in
                let sum = checksum(
                    of: bytes,
                    after: [UInt64(bitPattern: id), stamp.rev, stamp.time]
                )
                return Int64(sum) == row.number(2) ? GraphSnapshot(stamp, Array(bytes)) : nil
            }
            guard let found else { throw damage(what) }
            return found
        } ?? nil
    }

    public func entries(
        of graph: String,
        in revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let sql = """
            SELECT first, last, time, checksum, entries FROM log WHERE graph = ? AND last >= ? ORDER BY last
            """
        _ = try read(graph) { database, id in
            // Trimming removes the oldest; all that follow must be found.
            var expected = max(revs.lowerBound, try database.firstRev(of: id))
            let last = try database.number("SELECT max(last) FROM log WHERE graph = ?", .number(id)) ?? 0
            let end = min(UInt64(bitPattern: last), revs.upperBound)
            var rows = try database.rows(sql, [.number(id), .number(Int64(clamping: revs.lowerBound))])
            while let row = try rows.next() {
                let (first, last) = (row.unsigned(0), row.unsigned(1))
                // The checksum comes with the bytes; what is done before must not stumble over a
                // damaged number.
                guard first > 0, first <= last, LogStamp.revs.contains(last) else {
                    throw impossible("a record of graph \(graph)")
                }
                guard first <= expected else {
                    throw missing(expected...first - 1, graph)
                }
                expected = last + 1
                let numbers = [UInt64(bitPattern: id)] + (0..<3).map { row.unsigned($0) }
                let wantsMore = try row.withBytes(4) { bytes in
                    guard Int64(checksum(of: bytes, after: numbers)) == row.number(3) else {
                        throw damage("revs \(first) to \(last) of graph \(graph)")
                    }
                    return try visitAll(bytes, first...last, graph, revs, visit)
                }
                guard wantsMore, last < revs.upperBound else { return }
            }
            guard expected > end else { throw missing(expected...end, graph) }
        }
    }

    /// Visits the entries of one row; false: the visitor has enough.
    private func visitAll(
        _ bytes: BorrowedBytes,
        _ row: ClosedRange<UInt64>,
        _ graph: String,
        _ revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError) -> Bool {
        var reader = LogBytesReader(bytes)
        var time: UInt64 = 0
        for rev in row {
            let entry: LogEntry
            do throws(LogBytesError) {
                time = try reader.time(since: time)
                entry = try LogEntry(graph: graph, from: &reader)
            } catch {
                throw impossible("rev \(rev) of graph \(graph)")
            }
            guard rev <= revs.upperBound else { return false }
            guard rev >= revs.lowerBound else { continue }
            guard try visit(entry, LogStamp(rev: rev, time: time)) else { return false }
        }
        return true
    }

    public func keys(of graph: String, since time: UInt64) throws(StoreError) -> [StoredKey] {
        try read(graph) { database, id in
            var keys: [StoredKey] = []
            let sql = """
                SELECT rev, time, principal, key, digest, changed, checksum FROM keys WHERE graph = ? AND time >= ?
                    ORDER BY rev
                """
            var rows = try database.rows(sql, [.number(id), .number(Int64(clamping: time))])
            while let row = try rows.next() {
                let (digest, values) = row.withBytes(4) { bytes in
                    let digest = bytes.prefix(16).reversed()
                    return (digest.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }, Array(bytes.dropFirst(16)))
                }
                guard let stamp = LogStamp(storedRev: row.unsigned(0), time: row.unsigned(1)) else {
                    throw impossible("a key of graph \(graph)")
                }
                let key = StoredKey(
                    LogEntry.Key(row.text(3) ?? "", digest: digest, values: values),
                    by: row.text(2),
                    stamp,
                    changed: Int(UInt32(truncatingIfNeeded: row.number(5)))
                )
                guard key.sum(in: id) == row.number(6) else {
                    throw damage("the key of rev \(key.stamp.rev) of graph \(graph)")
                }
                keys.append(key)
            }
            return keys
        } ?? []
    }

    /// Reads one graph; nil: there is none of that name.
    func read<Value>(
        _ graph: String,
        _ body: (Database, Int64) throws -> Value
    ) throws(StoreError) -> Value? {
        do {
            let database = try Database(path, vfs: vfs, isReadOnly: true)
            // All that is read is of one moment.
            try database.run("BEGIN")
            let sql = "SELECT \(Store.Graph.columns) FROM graphs WHERE name = ?"
            var rows = try database.rows(sql, [.text(graph)])
            guard let row = try rows.next() else { return nil }
            return try body(database, Store.Graph.read(row).id)
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw StoreError("\(path) cannot be read: \(error.description)")
        } catch {
            throw StoreError("\(path) cannot be read: \(error)")
        }
    }

    private func missing(_ revs: ClosedRange<UInt64>, _ graph: String) -> StoreError {
        StoreError(
            "\(path): revs \(revs.lowerBound) to \(revs.upperBound) of graph \(graph) are missing",
            hint: "put a backup in its place (docs/operations.md)"
        )
    }

    func damage(_ what: String) -> StoreError {
        StoreError(
            "\(path): \(what): the checksum is wrong",
            hint: "put a backup in its place (docs/operations.md)"
        )
    }

    /// The checksum may be right, but no server has written this.
    private func impossible(_ what: String) -> StoreError {
        StoreError(
            "\(path): \(what) cannot be read: it is malformed, or its rev or time is out of range",
            hint: "put a backup in its place (docs/operations.md)"
        )
    }
}
