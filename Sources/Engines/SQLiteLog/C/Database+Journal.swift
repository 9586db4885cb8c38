internal import CSQLite

extension Database {
    /// Leaves checkpoints to the caller, who reads ``journalPages``: SQLite's own say nothing of a
    /// sync that fails.
    func takeOverCheckpoints() {
        unsafe sqlite3_wal_hook(
            raw,
            { place, _, _, pages in
                unsafe Unmanaged<Database>.fromOpaque(place!).takeUnretainedValue().journalPages = pages
                return SQLITE_OK
            },
            unsafe Unmanaged.passUnretained(self).toOpaque()
        )
    }

    /// Writes the journal's bytes over themselves and synchronises them.
    ///
    /// After a failed sync the system may hold pages for written that never reached the disk, and
    /// skip them in later syncs. Reads show them, so what was read can be written again
    /// (https://wiki.postgresql.org/wiki/Fsync_Errors).
    ///
    /// The journal's only writer may do so, outside of a transaction, beside readers.
    func rewriteJournal() throws(DatabaseError) {
        // The journal is opened for the first look into the database.
        _ = try number("PRAGMA schema_version")
        var file: UnsafeMutablePointer<sqlite3_file>?
        try unsafe check(sqlite3_file_control(raw, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file))
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods?.pointee else { return }
        var size: sqlite3_int64 = 0
        try unsafe check(methods.xFileSize(file, &size))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { unsafe buffer.deallocate() }
        for offset in stride(from: 0, to: size, by: buffer.count) {
            let count = Int32(min(size - offset, sqlite3_int64(buffer.count)))
            try unsafe check(methods.xRead(file, buffer.baseAddress, count, offset))
            try unsafe check(methods.xWrite(file, buffer.baseAddress, count, offset))
        }
        try unsafe check(methods.xSync(file, SQLITE_SYNC_NORMAL))
    }

    private func check(_ code: Int32) throws(DatabaseError) {
        guard code == SQLITE_OK else {
            let message = unsafe "the journal cannot be written: \(String(cString: sqlite3_errstr(code)))"
            throw DatabaseError(code: code, message: message)
        }
    }
}
