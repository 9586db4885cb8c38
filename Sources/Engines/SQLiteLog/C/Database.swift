internal import CSQLite
internal import Support

/// What SQLite says when it cannot do something.
struct DatabaseError: Error, Hashable {
    /// The extended result code (https://sqlite.org/rescode.html).
    let code: Int32
    /// SQLite's own words.
    let message: String

    /// The result code without its details.
    var primary: Int32 { code & 0xff }

    /// For the server's log.
    var description: String { "\(message) (SQLite \(code))" }
}

/// One connection to a database file.
///
/// Any thread may use it, but one at a time.
@safe final class Database {
    let raw: OpaquePointer
    /// Pages in the journal as of the last commit, once checkpoints are the caller's
    /// (``takeOverCheckpoints()``).
    var journalPages: Int32 = 0
    private var statements: [String: Statement] = [:]

    /// Opens a file; a writer makes it where there is none.
    init(_ path: String, vfs: String?, isReadOnly: Bool) throws(DatabaseError) {
        var raw: OpaquePointer?
        if !isReadOnly, vfs == nil { PrivateFile.prepare(path) }
        let mode = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        let code = unsafe sqlite3_open_v2(path, &raw, mode | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, vfs)
        guard code == SQLITE_OK, let raw = unsafe raw else {
            let message = unsafe raw.map { unsafe String(cString: sqlite3_errmsg($0)) } ?? "no memory"
            unsafe sqlite3_close_v2(raw)
            throw DatabaseError(code: code, message: message)
        }
        unsafe self.raw = unsafe raw
        // A checkpoint of the writer may be in a reader's way for a moment, and the reverse.
        unsafe sqlite3_busy_timeout(raw, 5_000)
    }

    deinit {
        statements = [:]
        unsafe sqlite3_close_v2(raw)
    }

    fileprivate func error(_ code: Int32) -> DatabaseError {
        unsafe DatabaseError(code: code, message: String(cString: sqlite3_errmsg(raw)))
    }

    /// Runs statements that answer nothing that is looked at.
    func run(_ sql: String) throws(DatabaseError) {
        let code = unsafe sqlite3_exec(raw, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// A prepared statement, which is kept for the next time.
    func statement(_ sql: String) throws(DatabaseError) -> Statement {
        if let known = statements[sql] { return known }
        var raw: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(self.raw, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &raw, nil)
        guard code == SQLITE_OK, let raw = unsafe raw else { throw error(code) }
        let statement = unsafe Statement(raw, of: self)
        statements[sql] = statement
        return statement
    }

    /// Runs one statement to its end.
    func run(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        while try statement.step() {}
    }

    /// The first column of the first row; nil where there is none, or it is null.
    func number(_ sql: String, _ values: DatabaseValue...) throws(DatabaseError) -> Int64? {
        let statement = try statement(sql)
        try statement.bind(values)
        defer { statement.reset() }
        guard try statement.step(), !statement.isNull(0) else { return nil }
        return statement.number(0)
    }

    /// The same as a text.
    func text(_ sql: String) throws(DatabaseError) -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// The rows that a query finds.
    func rows(_ sql: String, _ values: [DatabaseValue] = []) throws(DatabaseError) -> Rows {
        let statement = try statement(sql)
        try statement.bind(values)
        return Rows(statement)
    }

    /// Runs `body` in a transaction: all of it is written, or nothing.
    func transaction(_ body: () throws(DatabaseError) -> Void) throws(DatabaseError) {
        try run("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body()
            try run("COMMIT")
        } catch {
            // Some errors have rolled back already.
            try? run("ROLLBACK")
            throw error
        }
    }

    var lastInserted: Int64 { unsafe sqlite3_last_insert_rowid(raw) }
}

/// What a statement is given.
enum DatabaseValue {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ number: UInt64) { self = .number(Int64(bitPattern: number)) }
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
}

/// The rows of one query; the query ends with it.
struct Rows: ~Copyable {
    private let statement: Statement

    fileprivate init(_ statement: Statement) { self.statement = statement }

    deinit { statement.reset() }

    /// The next row, which is valid until the one after it is asked for; nil: there are no more.
    mutating func next() throws(DatabaseError) -> Statement? {
        try statement.step() ? statement : nil
    }
}

@safe final class Statement {
    private let raw: OpaquePointer
    private unowned let database: Database
    /// SQLite copies what it is given.
    private static var copies: sqlite3_destructor_type {
        unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    fileprivate init(_ raw: OpaquePointer, of database: Database) {
        unsafe self.raw = unsafe raw
        self.database = database
    }

    deinit { unsafe sqlite3_finalize(raw) }

    func bind(_ values: [DatabaseValue]) throws(DatabaseError) {
        for (place, value) in zip(Int32(1)..., values) {
            let code =
                switch value {
                case .null: unsafe sqlite3_bind_null(raw, place)
                case .number(let number): unsafe sqlite3_bind_int64(raw, place, number)
                case .text(let text): unsafe sqlite3_bind_text(raw, place, text, -1, Self.copies)
                case .bytes(let bytes):
                    bytes.withBorrowedBytes {
                        // A pointer to nothing would bind null.
                        unsafe sqlite3_bind_blob64(
                            raw,
                            place,
                            $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1),
                            UInt64($0.count),
                            Self.copies
                        )
                    }
                }
            guard code == SQLITE_OK else { throw database.error(code) }
        }
    }

    /// Goes to the next row; false: there is none.
    func step() throws(DatabaseError) -> Bool {
        let code = unsafe sqlite3_step(raw)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw database.error(code)
        }
    }

    func reset() { unsafe sqlite3_reset(raw) }

    func isNull(_ column: Int32) -> Bool { unsafe sqlite3_column_type(raw, column) == SQLITE_NULL }
    func number(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(raw, column) }
    func unsigned(_ column: Int32) -> UInt64 { UInt64(bitPattern: number(column)) }
    func text(_ column: Int32) -> String? {
        unsafe sqlite3_column_text(raw, column).map { unsafe String(cString: $0) }
    }

    /// Lends the bytes of a column until the next step.
    func withBytes<Result>(
        _ column: Int32,
        _ body: (BorrowedBytes) throws -> Result
    ) rethrows -> Result {
        let start = unsafe sqlite3_column_blob(raw, column)
        return try unsafe body(BorrowedBytes(start: start, count: Int(sqlite3_column_bytes(raw, column))))
    }
}
