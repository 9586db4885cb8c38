internal import Platform

/// Files that only the server's user may read, whatever its folder and its umask allow.
///
/// SQLite gives its journal files the mode of the database.
enum PrivateFile {
    private static let mode: mode_t = 0o600

    /// Makes a database and its journals private; creates the database, empty, where there is none.
    ///
    /// Existing files are not opened: closing them would drop the locks that SQLite holds on them.
    static func prepare(_ database: String) {
        let descriptor = unsafe open(database, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        if descriptor >= 0 { return _ = close(descriptor) }
        for suffix in ["", "-wal", "-shm"] { unsafe chmod(database + suffix, mode) }
    }
}
