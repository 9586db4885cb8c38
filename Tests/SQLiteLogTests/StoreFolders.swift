import DiskSupport
import Commits
import LogTestSupport
import SQLiteLog
import Support
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The files of a folder as if the machine had been started again since.
struct OtherBoot: StoreFiles {
    let folder: StoreFolder
    var boot = "another"
    var database: String { folder.database }
    var vfs: String? { nil }
    func readMark() throws(StoreError) -> [UInt8]? { try folder.readMark() }
    func writeMark(_ bytes: [UInt8], synchronised: Bool) throws(StoreError) {
        try folder.writeMark(bytes, synchronised: synchronised)
    }
    func release() { folder.release() }
}

/// The files of a folder on a disk that stalls on demand.
final class StallingFiles: StoreFiles {
    private let folder: StoreFolder
    private let isStalling = Locked(false)

    init(folder: StoreFolder) {
        self.folder = folder
    }

    var database: String { folder.database }
    var boot: String { folder.boot }
    var vfs: String? { nil }

    /// Holds the next write until ``goOn()``.
    func stall() { isStalling.withLock { $0 = true } }
    func goOn() { isStalling.withLock { $0 = false } }
    func readMark() throws(StoreError) -> [UInt8]? { try folder.readMark() }
    func writeMark(_ bytes: [UInt8], synchronised: Bool) throws(StoreError) {
        while isStalling.withLock({ $0 }) { usleep(200) }
        try folder.writeMark(bytes, synchronised: synchronised)
    }
    func release() { folder.release() }
}

/// A log in a folder, with the executor that drives it and what it has said.
final class LogBench {
    let log: SQLiteLog
    let executor = ManualExecutor()
    let listener = LogListener()
    private(set) var events: [String] = []
    private var ticket: UInt64 = 1

    init(
        _ files: any StoreFiles,
        _ durability: Durability = .written,
        keepRevs: UInt64 = 100_000,
        epoch: String = "e1"
    ) throws {
        log = try SQLiteLog(files, durability, keepRevs: keepRevs, epoch: epoch, executor: executor)
        log.follower = listener
        log.onEvent = { [unowned self] in events.append(($0 ? "problem: " : "") + $1) }
    }

    /// Appends the beginning of a graph.
    func define(_ graph: String, _ origin: DefinitionOrigin = .client) {
        append([LogEntry(graph: graph, kind: .define(text: "{}", origin))])
    }

    /// Appends commits that set `x`.
    func set(_ graph: String, count: Int = 1, bytes: Int = 1) {
        append(
            (0..<count).map { _ in
                var entry = LogEntry(graph: graph)
                entry.set = [LogEntry.Assignment("x", [UInt8](repeating: 0x31, count: bytes))]
                return entry
            }
        )
    }

    func append(_ entries: [LogEntry], wall: UInt64 = 1_000) {
        log.append(entries, tickets: ticket..<ticket + UInt64(entries.count), wall: wall)
        ticket += UInt64(entries.count)
    }

    /// The revs that are stored of a graph.
    func revs(_ graph: String) throws -> [UInt64] {
        var revs: [UInt64] = []
        try log.reader.entries(of: graph, in: 1...(.max >> 1)) { _, stamp in
            revs.append(stamp.rev)
            return true
        }
        return revs
    }
}
