import Sessions
import Commits
import DiskSupport
import SQLiteLog
import Values

@testable import Graphs

/// One process: a host on a log on the disk, driven step by step.
final class Server {
    let executor = ManualExecutor()
    let log: SQLiteLog
    let host: Host
    let clients: Clients
    private let tap: Tap
    private let book: LinkBook

    init(
        _ disk: LyingDisk,
        _ durability: Durability,
        epoch: String,
        clock: ManualHostClock,
        _ book: LinkBook,
        _ note: @escaping (Tap.Answer) -> Void
    ) throws(StoreError) {
        self.book = book
        log = try SQLiteLog(disk.store, durability, keepRevs: 6, epoch: epoch, executor: executor)
        tap = Tap(log, note)
        host = Host(store: .log(tap), clock: clock)
        clients = Clients(of: host)
    }

    /// The end of a turn of the loop.
    func endTurn() {
        host.flush()
        // Until then what a link has set waits for a new definition, or for other commits.
        if !host.graphs.contains(where: \.isChanging), !host.submissions.isDeferring {
            book.forgetEnded()
        }
    }

    /// Does and answers one piece of the log's work, which is a turn.
    func work() {
        executor.step()
        endTurn()
    }

    func settle() {
        for _ in 0..<50 where executor.pending > 0 { work() }
    }
}

/// Stands between a host and its log, and writes down what was answered.
final class Tap: CommitLog, CommitLogFollower {
    enum Answer {
        case submitted(LogEntry)
        case committed(LogEntry, LogStamp)
        case refused(LogEntry)
    }

    weak var follower: (any CommitLogFollower)?
    private let log: any CommitLog
    private let note: (Answer) -> Void
    private var pending: [UInt64: LogEntry] = [:]

    init(_ log: any CommitLog, _ note: @escaping (Answer) -> Void) {
        (self.log, self.note) = (log, note)
        log.follower = self
    }

    var health: LogHealth { log.health }
    var graphs: [StoredGraph] { log.graphs }
    var reader: any LogReader { log.reader }
    var statistics: LogStatistics { log.statistics }
    func open(graph: String) throws(HostError) -> LogPosition { try log.open(graph: graph) }
    func settle() { log.settle() }
    func close() { log.close() }
    func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64) {
        for (ticket, entry) in zip(tickets, entries) {
            pending[ticket] = entry
            // As it is stored.
            pending[ticket]?.expiredBy = 0
            note(.submitted(entry))
        }
        log.append(entries, tickets: tickets, wall: wall)
    }

    func log(committed ticket: UInt64, at stamp: LogStamp) {
        if let entry = pending.removeValue(forKey: ticket) { note(.committed(entry, stamp)) }
        follower?.log(committed: ticket, at: stamp)
    }

    func log(refused ticket: UInt64, because error: HostError) {
        if let entry = pending.removeValue(forKey: ticket) { note(.refused(entry)) }
        follower?.log(refused: ticket, because: error)
    }

    func log(received entry: LogEntry, at stamp: LogStamp) -> Bool {
        follower?.log(received: entry, at: stamp) ?? true
    }
    func logHealthChanged() { follower?.logHealthChanged() }
    func logFilesChanged() { follower?.logFilesChanged() }
    func digest(of graph: String, passing revs: ClosedRange<UInt64>) -> String? {
        follower?.digest(of: graph, passing: revs)
    }
    func log(lost instances: [String]) { follower?.log(lost: instances) }
    func log(moved ticket: UInt64) { follower?.log(moved: ticket) }
    func log(confirmed ticket: UInt64) { follower?.log(confirmed: ticket) }
    func log(repeated ticket: UInt64, of key: StoredKey) { follower?.log(repeated: ticket, of: key) }
    func log(reload graph: String, at position: LogPosition, from reader: any LogReader) -> Bool {
        follower?.log(reload: graph, at: position, from: reader) ?? true
    }
    func snapshot(of graph: String) -> GraphSnapshot? { follower?.snapshot(of: graph) }
}
