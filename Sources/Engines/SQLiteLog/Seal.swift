internal import CSQLite
internal import Commits
internal import Support

/// What is stored, in one number: the sum over all graphs, the ends of their logs, snapshots and
/// keys.
///
/// The checksum in a row shows that the row has changed. Only the seal shows that SQLite no longer
/// finds a row, because a page that leads to it has changed. Each transaction writes it anew.
struct Seal {
    /// The number of the last write.
    var sequence: UInt64 = 0
    private(set) var total: UInt64 = 0
    private var graphs: [Int64: Ends] = [:]

    /// What the seal covers of one graph.
    ///
    /// Between the ends of its log each row must follow the one before it.
    struct Ends {
        /// Of its row in `graphs`.
        var checksum: Int64 = 0
        var first: UInt64 = 0
        var last: UInt64 = 0
        var time: UInt64 = 0

        fileprivate func part(of graph: Int64) -> UInt64 {
            Seal.part(0, UInt64(bitPattern: graph), UInt64(bitPattern: checksum), first, last, time)
        }
    }

    /// What the seal covers of a row in the other tables.
    struct Row {
        enum Table: String {
            case snapshots, keys
        }

        var table: Table
        var graph: Int64
        var rev: UInt64
        var time: UInt64
        var checksum: Int64

        fileprivate var part: UInt64 {
            let mark: UInt64 = table == .keys ? 1 : 2
            return Seal.part(mark, UInt64(bitPattern: graph), rev, time, UInt64(bitPattern: checksum))
        }
    }

    mutating func change(_ graph: Int64, _ body: (inout Ends) -> Void) {
        let former = graphs[graph]
        var ends = former ?? Ends()
        body(&ends)
        graphs[graph] = ends
        total &+= ends.part(of: graph) &- (former?.part(of: graph) ?? 0)
    }

    /// Notes a row that is there from now on.
    mutating func add(_ row: Row) { total &+= row.part }

    /// Notes a row that is not there any more.
    mutating func remove(_ row: Row) { total &-= row.part }

    private static func part(_ numbers: UInt64...) -> UInt64 {
        UInt64(checksum(of: BorrowedBytes(), after: numbers))
    }

    /// What covers the row of the seal itself.
    fileprivate var sum: Int64 { Int64(Self.part(3, sequence, total)) }
}

extension Seal.Row {
    /// Reads it from a row with these columns.
    static let columns = "graph, rev, time, checksum"

    init(_ table: Table, _ row: Statement) {
        self.init(
            table: table,
            graph: row.number(0),
            rev: row.unsigned(1),
            time: row.unsigned(2),
            checksum: row.number(3)
        )
    }
}

extension Database {
    /// The seal of what is there, with the number of the last write as it is stored.
    func measuredSeal() throws(DatabaseError) -> Seal {
        var seal = Seal()
        let sequence = try number("SELECT sequence FROM seal") ?? 0
        guard sequence >= 0, sequence < .max else { throw Self.outOfRange("the number of the last write") }
        seal.sequence = UInt64(sequence)
        var graphs = try rows("SELECT id, checksum FROM graphs")
        while let graph = try graphs.next() {
            let (id, checksum) = (graph.number(0), graph.number(1))
            var ends = Seal.Ends(checksum: checksum, first: try firstRev(of: id))
            let sql = "SELECT last, time FROM log WHERE graph = ? ORDER BY last DESC LIMIT 1"
            var log = try rows(sql, [.number(id)])
            if let row = try log.next() {
                (ends.last, ends.time) = (row.unsigned(0), row.unsigned(1))
                guard LogStamp(storedRev: ends.last, time: ends.time) != nil else {
                    throw Self.outOfRange("the last rev in the log of a graph, or its time,")
                }
            }
            seal.change(id) { $0 = ends }
        }
        for table in [Seal.Row.Table.snapshots, .keys] {
            var rows = try rows("SELECT \(Seal.Row.columns) FROM \(table) ORDER BY graph, rev")
            var former: Seal.Row?
            while let row = try rows.next() {
                let next = Seal.Row(table, row)
                guard LogStamp(storedRev: next.rev, time: next.time) != nil else {
                    throw Self.outOfRange("a rev or a time in \(table)")
                }
                // SQLite reads all of them in the order of the table, and finds one only where they
                // are in order.
                if let former, (former.graph, former.rev) >= (next.graph, next.rev) {
                    throw DatabaseError(code: SQLITE_CORRUPT, message: "\(table) are not in order")
                }
                seal.add(next)
                former = next
            }
        }
        return seal
    }

    private static func outOfRange(_ what: String) -> DatabaseError {
        DatabaseError(code: SQLITE_CORRUPT, message: "\(what) is out of range")
    }

    /// The oldest rev in the log of a graph; 0: there is none.
    func firstRev(of graph: Int64) throws(DatabaseError) -> UInt64 {
        let sql = "SELECT first FROM log WHERE graph = ? ORDER BY last LIMIT 1"
        return UInt64(bitPattern: try number(sql, .number(graph)) ?? 0)
    }

    /// Writes the seal of what is there now.
    func write(_ seal: Seal) throws(DatabaseError) {
        try run(
            "INSERT OR REPLACE INTO seal(id, sequence, total, checksum) VALUES(1,?,?,?)",
            DatabaseValue(seal.sequence),
            DatabaseValue(seal.total),
            .number(seal.sum)
        )
    }

    /// The seal of what is there, which must be the one that was written last.
    func checkedSeal() throws(DatabaseError) -> Seal {
        let seal = try measuredSeal()
        guard try has(seal) else {
            let message = "some of the graphs, revs, snapshots or keys that were stored are missing"
            throw DatabaseError(code: SQLITE_CORRUPT, message: message)
        }
        return seal
    }

    /// Whether this is the seal that was written last.
    func has(_ seal: Seal) throws(DatabaseError) -> Bool {
        var rows = try rows("SELECT sequence, total, checksum FROM seal WHERE id = 1")
        guard let row = try rows.next() else { return false }
        return row.unsigned(0) == seal.sequence && row.unsigned(1) == seal.total
            && row.number(2) == seal.sum
    }
}
