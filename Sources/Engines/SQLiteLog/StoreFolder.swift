internal import CSQLite
internal import Platform
public import Commits

/// A folder on a disk that belongs to one process at a time.
///
/// It has `sluice.db` with the journal files of SQLite, `high-water`, and `lock`, which names the
/// process.
public final class StoreFolder: StoreFiles {
    /// The name of the database in the folder.
    public static let databaseName = "sluice.db"

    public let database: String
    public let boot: String
    public var vfs: String? { nil }
    private let path: String
    private let lock: Int32
    private let mark: Int32

    /// Checks that a server could use the folder, or make it; changes nothing, and the folder may
    /// belong to another process.
    ///
    /// - Throws: ``StoreError`` if it could not.
    public static func check(_ path: String) throws(StoreError) {
        var info = stat()
        guard unsafe stat(path, &info) == 0 else {
            let reason = reason
            let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
            guard errno == ENOENT, unsafe access(parent.isEmpty ? "/" : parent, W_OK | X_OK) == 0 else {
                throw StoreError("cannot make the folder \(path): \(reason)", hint: "see 'dataDir'")
            }
            return
        }
        // Only a folder has names in it.
        guard unsafe access(path + "/.", W_OK | X_OK) == 0 else {
            throw StoreError(
                "cannot write into the folder \(path): \(reason)",
                hint: "the server's user needs the right to write there ('dataDir')"
            )
        }
        let database = "\(path)/\(databaseName)"
        if unsafe access(database, F_OK) == 0 { _ = try StoreReader(database: database) }
    }

    /// Makes the folder where there is none, and takes it for this process.
    ///
    /// - Throws: ``StoreError`` where the folder cannot be written, or belongs to another process.
    public init(_ path: String) throws(StoreError) {
        self.path = path
        database = path + "/" + Self.databaseName
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST {
            throw StoreError("cannot make the folder \(path): \(Self.reason)", hint: "see 'dataDir'")
        }
        let lock = unsafe open(path + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw StoreError(
                "cannot write into the folder \(path): \(Self.reason)",
                hint: "the server's user needs the right to write there ('dataDir')"
            )
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            let holder = Self.firstLine(of: lock)
            close(lock)
            throw StoreError(
                "another process uses the folder \(path): process \(holder)",
                hint: "each server needs a 'dataDir' of its own"
            )
        }
        let process = Array("\(getpid())\n".utf8)
        guard ftruncate(lock, 0) == 0, unsafe pwrite(lock, process, process.count, 0) == process.count else {
            let reason = Self.reason
            close(lock)
            throw StoreError("cannot write \(path)/lock: \(reason)")
        }
        mark = unsafe open(path + "/high-water", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard mark >= 0 else {
            let reason = Self.reason
            close(lock)
            throw StoreError("cannot write \(path)/high-water: \(reason)")
        }
        self.lock = lock
        boot = Self.currentBoot
    }

    deinit {
        close(mark)
        close(lock)
    }

    /// Whether there is a database in it.
    var hasDatabase: Bool { unsafe access(database, F_OK) == 0 }

    public func readMark() throws(StoreError) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe pread(mark, &bytes, bytes.count, 0)
        guard count >= 0 else { throw StoreError("cannot read \(path)/high-water: \(Self.reason)") }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    public func writeMark(_ bytes: [UInt8], synchronised: Bool) throws(StoreError) {
        guard unsafe pwrite(mark, bytes, bytes.count, 0) == bytes.count, !synchronised || fsync(mark) == 0
        else {
            throw StoreError("cannot write \(path)/high-water: \(Self.reason)")
        }
    }

    public func release() { flock(lock, LOCK_UN) }

    public var identities: [String: FileIdentity] {
        var found: [String: FileIdentity] = [:]
        let names = [Self.databaseName, "\(Self.databaseName)-wal", "\(Self.databaseName)-shm"]
        for name in names + ["high-water", "lock"] {
            var status = stat()
            guard unsafe stat("\(path)/\(name)", &status) == 0 else { continue }
            let device = UInt64(truncatingIfNeeded: status.st_dev)
            found["\(path)/\(name)"] = FileIdentity(device: device, number: UInt64(status.st_ino))
        }
        return found
    }

    private static var reason: String { systemError() }

    private static func firstLine(of file: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe max(0, read(file, &bytes, bytes.count))
        return String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)
    }

    /// The kernel's own word; without one, every start counts as another boot.
    private static var currentBoot: String {
        let file = unsafe open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return "unknown" }
        defer { close(file) }
        return firstLine(of: file)
    }
}
