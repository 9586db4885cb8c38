internal import CSQLite
internal import Commits
internal import Support

extension Store {
    /// So many pages of the journal are written into the database; as many as SQLite would choose.
    private static let checkpointPages: Int32 = 1_000

    /// Writes turns in one transaction; when this returns, they are as durable as configured.
    func write(_ turns: [Turn]) throws(DatabaseError) {
        try checkPlaces()
        sequence += 1
        do throws(DatabaseError) {
            try sealed { () throws(DatabaseError) in
                try noteEpochs()
                try insert(turns)
                seal?.sequence = sequence
            }
            hasNotedEpochs = true
        } catch {
            sequence -= 1
            throw error
        }
        // Without the mark a missing tail would not be noticed, but the commits are safe.
        try? writeMark(isClean: false, synchronised: false)
    }

    /// Checks that the paths still lead to the files that are open.
    ///
    /// A file that was moved, removed or replaced can be written, but the next start would not find
    /// what is written there.
    func checkPlaces() throws(DatabaseError) {
        guard !identities.isEmpty else { return }
        let found = files.identities
        let lost = identities.filter { found[$0.key] != $0.value }.keys.min()
        guard let lost else { return }
        let message = "\(lost) was moved, removed or replaced while the server runs"
        // SQLITE_READONLY_DBMOVED, which is a macro.
        throw DatabaseError(code: SQLITE_READONLY | 4 << 8, message: message)
    }

    /// Runs a transaction, and seals what it leaves.
    func sealed(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        do throws(DatabaseError) {
            try database.transaction { () throws(DatabaseError) in
                if seal == nil { seal = try database.measuredSeal() }
                try body()
                if let seal { try database.write(seal) }
            }
        } catch {
            seal = nil
            throw error
        }
        // What was written is safe in the journal, and the next write tries again.
        if database.journalPages >= Self.checkpointPages { try? checkpoint() }
    }

    /// Writes what the journal has into the database, as far as no reader needs the older pages.
    private func checkpoint() throws(DatabaseError) {
        if isJournalDoubtful { try database.rewriteJournal() }
        isJournalDoubtful = true
        try database.run("PRAGMA wal_checkpoint(PASSIVE)")
        isJournalDoubtful = false
    }

    /// Notes that all graphs are in the epoch of this start, unless that was done.
    ///
    /// No commit of this start may be stored before that: it would count as one of the former
    /// epoch.
    func noteEpochs() throws(DatabaseError) {
        guard !hasNotedEpochs else { return }
        for (name, graph) in content.graphs { try note(graph, named: name) }
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
                row.last.time
            )
            try database.run(
                "INSERT INTO log(graph, last, first, time, checksum, entries) VALUES(?,?,?,?,?,?)",
                .number(id),
                DatabaseValue(row.last.rev),
                DatabaseValue(row.first.rev),
                DatabaseValue(row.last.time),
                .number(Int64(sum)),
                .bytes(row.bytes)
            )
            seal?.change(id) { ends in
                if ends.first == 0 { ends.first = row.first.rev }
                (ends.last, ends.time) = (row.last.rev, row.last.time)
            }
            for key in row.keys { try insert(key, id) }
        }
    }

    /// Notes that a graph has begun, changed its origin, or ended.
    func note(_ graph: Graph, named name: String) throws(DatabaseError) {
        let origin = graph.origin.map { DatabaseValue.number(Int64($0.rawValue)) } ?? .null
        let sum = graph.sum(named: name)
        if let id = try database.number("SELECT id FROM graphs WHERE name = ?", .text(name)) {
            ids[name] = id
            let sql = "UPDATE graphs SET epoch = ?, origin = ?, checksum = ? WHERE id = ?"
            try database.run(sql, .text(graph.position.epochs.text), origin, .number(sum), .number(id))
        } else {
            let sql = "INSERT INTO graphs(name, epoch, origin, checksum) VALUES(?,?,?,?)"
            try database.run(sql, .text(name), .text(graph.position.epochs.text), origin, .number(sum))
            ids[name] = database.lastInserted
        }
        guard let id = ids[name] else { return }
        seal?.change(id) { $0.checksum = sum }
        if graph.origin == nil { try database.run("DELETE FROM history WHERE graph = ?", .number(id)) }
    }

    private func insert(_ key: StoredKey, _ graph: Int64) throws(DatabaseError) {
        var digest: [UInt8] = []
        digest.append(littleEndian: key.key.digest)
        digest += key.key.values
        let sum = key.sum(in: graph)
        try database.run(
            "INSERT INTO keys(graph, time, rev, principal, key, digest, changed, checksum) VALUES(?,?,?,?,?,?,?,?)",
            .number(graph),
            DatabaseValue(key.stamp.time),
            DatabaseValue(key.stamp.rev),
            DatabaseValue(key.by),
            .text(key.key.text),
            .bytes(digest),
            .number(Int64(key.changed)),
            .number(sum)
        )
        let (rev, time) = (key.stamp.rev, key.stamp.time)
        seal?.add(Seal.Row(table: .keys, graph: graph, rev: rev, time: time, checksum: sum))
    }

    /// Stores the state of a graph, and deletes what is further back than `keepRevs`.
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
        let sum = Int64(checksum(of: snapshot.state, after: UInt64(id), rev, snapshot.stamp.time))
        try sealed { () throws(DatabaseError) in
            let last = try database.number("SELECT max(rev) FROM snapshots WHERE graph = ?", graph) ?? 0
            let former =
                try database.number(
                    "SELECT max(rev) FROM snapshots WHERE graph = ? AND rev < ?",
                    graph,
                    .number(last)
                ) ?? 0
            if last - former < Int64(SQLiteLog.snapshotRevs), former > 0 {
                try delete(.snapshots, "rev = ?", graph, .number(last))
            }
            try delete(.snapshots, "rev = ?", graph, DatabaseValue(rev))
            try database.run(
                "INSERT INTO snapshots(graph, rev, time, checksum, state) VALUES(?,?,?,?,?)",
                graph,
                DatabaseValue(rev),
                DatabaseValue(snapshot.stamp.time),
                .number(sum),
                .bytes(snapshot.state)
            )
            let time = snapshot.stamp.time
            seal?.add(Seal.Row(table: .snapshots, graph: id, rev: rev, time: time, checksum: sum))
            if let history = snapshot.history { try store(history, of: id) }
            try delete(.keys, "time < ?", graph, DatabaseValue(keysSince))
            guard rev > keepRevs else { return }
            // Rebuilding the oldest kept rev starts from this snapshot.
            let base = try database.number(
                "SELECT max(rev) FROM snapshots WHERE graph = ? AND rev <= ?",
                graph,
                DatabaseValue(rev - keepRevs)
            )
            guard let base else { return }
            try delete(.snapshots, "rev < ?", graph, .number(base))
            try database.run("DELETE FROM log WHERE graph = ? AND last <= ?", graph, .number(base))
            let first = try database.firstRev(of: id)
            seal?.change(id) { $0.first = first }
        }
    }

    /// Deletes rows of a graph.
    private func delete(
        _ table: Seal.Row.Table,
        _ condition: String,
        _ values: DatabaseValue...
    ) throws(DatabaseError) {
        let sql = "DELETE FROM \(table) WHERE graph = ? AND \(condition) RETURNING \(Seal.Row.columns)"
        var rows = try database.rows(sql, values)
        while let row = try rows.next() { seal?.remove(Seal.Row(table, row)) }
    }

    /// Opens the files anew after a failure, and looks whether they can be written again.
    ///
    /// What was refused is not there: the new connection reads the journal by the index that the
    /// old one has kept, and a transaction that has failed is not in it.
    ///
    /// - Parameter graphs: the graphs as of the last answer.
    /// - Returns: whether all that was answered is there.
    /// - Throws: `DatabaseError` while it cannot be written.
    func recover(_ graphs: [String: Graph]) throws(DatabaseError) -> Recovery {
        try checkPlaces()
        // After a failed fsync the disk's content is unknown, so read it again
        // (https://wiki.postgresql.org/wiki/Fsync_Errors).
        database = try Self.connect(files, durability)
        try emptyJournal()
        let found = try database.measuredSeal()
        let isWhole = try database.has(found)
        seal = found
        try sealed { () throws(DatabaseError) in
            ids = [:]
            for (name, graph) in graphs { try note(graph, named: name) }
            // A full disk may have room for a byte and no more.
            try database.run("INSERT INTO probe VALUES(zeroblob(262144))")
        }
        hasNotedEpochs = true
        try database.run("DELETE FROM probe")
        return isWhole && found.sequence >= sequence ? .complete : .incomplete
    }

    /// Writes what the journal has into the database, synchronises that, and begins the journal
    /// anew.
    ///
    /// After a failed sync, or a process that was killed before its sync, a later sync of the
    /// journal may skip the lost pages. After a power cut SQLite would ignore all frames after
    /// them, also those of which it has written some into the database already.
    func emptyJournal() throws(DatabaseError) {
        try database.rewriteJournal()
        guard try database.number("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
            throw DatabaseError(code: SQLITE_BUSY, message: "the journal is being read")
        }
        // The new length is not synchronised. After a power cut the old journal could be back, with
        // older pages than the database has where a sync had failed. This write begins a new
        // journal, and its synchronised header voids the old frames.
        try database.run("PRAGMA user_version = \(Self.version)")
    }

    /// Copies the store as it is now into a new file.
    func backup(to path: String) throws(DatabaseError) {
        PrivateFile.prepare(path)
        try database.run("VACUUM INTO ?", .text(path))
    }

    /// Synchronises everything, and says so in the mark.
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

extension StoredKey {
    /// What covers a row of `keys`.
    func sum(in graph: Int64) -> Int64 {
        let text = "\(key.text)\n\(key.digest)\n\(by ?? "")\n\(by == nil)"
        let bytes = Array(text.utf8) + key.values
        return Int64(checksum(of: bytes, after: UInt64(graph), stamp.rev, stamp.time, UInt64(changed)))
    }
}
