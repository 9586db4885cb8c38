public import Commits
import Support
public import Values

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A log in memory that fails as a test says: it answers late, refuses, loses its epoch, feels
/// unwell, and starts again.
public final class FaultyLog: CommitLog {
    public weak var follower: (any CommitLogFollower)?
    public var health: LogHealth {
        didSet { if health != oldValue { follower?.logHealthChanged() } }
    }
    public private(set) var statistics = LogStatistics()

    /// Refuses what is appended from now on.
    public var refusal: HostError?
    /// The word for this server where others write it too, and whether this one makes the ticks.
    public var instance = ""
    public var isLeading = true
    /// The graphs of which this server and the others have files; nil: the others have not said so.
    public var files: Set<String> = []
    public var filesElsewhere: Set<String>? = []
    /// Called when the others are asked.
    public var onAskedForFiles: () -> Void = {}
    /// Whether it stores histories by time; to be set before it has a host.
    public var keepsHistory = false
    /// What the servers that share it tell each other about demand; to be set before it has a host.
    public var demand: (any SharedDemand)?
    /// The clock that stamps, in place of the host's: no commit is stamped before it is due.
    public var time: UInt64?
    /// Answers so many of the next commits and questions as moved.
    public var moves = 0
    /// Answers the next commit as a repeat of this one.
    public var known: StoredKey?
    /// Answers when the test says so (``confirm(_:)``), also while settling; what it refuses, it
    /// refuses at once.
    public var isSlow: Bool
    /// Whether it will answer by itself.
    public var answers: Bool { !isSlow || refusal != nil }
    /// Calls what it is given soon, but not at once.
    ///
    /// Without it, a log that is not slow answers when it settles.
    public var later: ((@escaping () -> Void) -> Void)?
    /// Called before it answers or loses anything: commits of an unfinished turn must be appended
    /// first.
    public var collect: () -> Void = {}

    private let store: Store
    /// What has been appended and not answered; its stamps are given with the answers.
    private var waiting: [(entry: LogEntry?, ticket: UInt64, wall: UInt64)] = []

    /// A log with nothing in it.
    public init(epoch: String = "e1", _ health: LogHealth = .ready, isSlow: Bool = false) {
        store = Store(epoch: epoch)
        self.health = health
        self.isSlow = isSlow
    }

    /// What the next start of the server finds of another log: what that has answered.
    public init(after former: FaultyLog) {
        store = Store(former.store)
        keepsHistory = former.keepsHistory
        health = .ready
        isSlow = false
    }

    public var graphs: [StoredGraph] { store.graphs }
    public var reader: any LogReader { store }

    public func isFiledElsewhere(_ graph: String) -> Bool {
        isShared && filesElsewhere?.contains(graph) ?? true
    }

    public func askForFiles(_ done: @escaping () -> Void) {
        let answer = { [weak self] in
            self?.onAskedForFiles()
            done()
        }
        if let later { later(answer) } else { answer() }
    }

    public func open(graph: String) throws(HostError) -> LogPosition { store.position(of: graph) }

    public func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64) {
        for (entry, ticket) in zip(entries, tickets) {
            waiting.append((entry, ticket, wall))
        }
        guard answers else { return }
        later? { [weak self] in self?.settle() }
    }

    public func confirm(_ entry: LogEntry, ticket: UInt64) {
        waiting.append((nil, ticket, 0))
        guard answers else { return }
        later? { [weak self] in self?.settle() }
    }

    /// Where the conditions of what waits were checked.
    public var premises: [UInt64?] { waiting.map { $0.entry?.checkedAt } }

    /// How many commits wait for an answer.
    public var pending: Int {
        collect()
        return waiting.count
    }

    public func settle() {
        guard answers else { return }
        confirm()
    }

    public func close() { settle() }

    /// Makes the oldest commits durable and reports it; or refuses them, if told so.
    public func confirm(_ count: Int = .max) {
        collect()
        for _ in 0..<min(count, waiting.count) {
            if let refusal {
                lose(refusal)
                return
            }
            let (entry, ticket, wall) = waiting.removeFirst()
            if moves > 0 {
                moves -= 1
                follower?.log(moved: ticket)
                continue
            }
            if let known {
                self.known = nil
                follower?.log(repeated: ticket, of: known)
                continue
            }
            guard let entry else {
                follower?.log(confirmed: ticket)
                continue
            }
            let earliest = time == nil ? entry.earliest : 0
            let (clock, last) = (time ?? wall, store.position(of: entry.graph).time)
            if entry.earliest > max(clock, last, earliest) {
                follower?.log(moved: ticket)
                continue
            }
            let stamp = store.add(entry, wall: max(clock, earliest))
            statistics.commits += 1
            statistics.writes += 1
            follower?.log(committed: ticket, at: stamp)
        }
    }

    /// Makes the oldest commit durable, but says nothing yet; returns how to say it.
    public func write() -> () -> Void {
        collect()
        let (entry, ticket, wall) = waiting.removeFirst()
        guard let entry else { return { [weak self] in self?.follower?.log(confirmed: ticket) } }
        let stamp = store.add(entry, wall: wall)
        return { [weak self] in self?.follower?.log(committed: ticket, at: stamp) }
    }

    /// Loses all that is waiting.
    public func lose(_ error: HostError) {
        collect()
        let lost = waiting
        waiting = []
        statistics.failures += 1
        for (_, ticket, _) in lost { follower?.log(refused: ticket, because: error) }
    }

    /// Stores what the graph is now.
    public func storeSnapshot(of graph: String) {
        guard let snapshot = follower?.snapshot(of: graph) else { return }
        storeSnapshot(snapshot, of: graph)
        follower?.log(saved: graph, at: snapshot.stamp.rev)
    }

    /// Stores another server's snapshot of a graph.
    public func storeSnapshot(_ snapshot: GraphSnapshot, of graph: String) {
        store.add(snapshot, of: graph)
        statistics.snapshots += 1
    }

    /// Forgets what happened before a graph's newest snapshot.
    public func trim(_ graph: String) { store.trim(graph) }

    /// Makes readers of the past wait, on their threads, until ``releaseReads()``.
    public func holdReads() { store.gate.withLock { $0 = true } }

    /// Lets them go on.
    public func releaseReads() { store.gate.withLock { $0 = false } }

    /// Another server writes a commit, which is reported to this one.
    public func receive(_ entry: LogEntry, wall: UInt64) {
        let stamp = store.add(entry, wall: wall)
        _ = follower?.log(received: entry, at: stamp)
    }

    /// Stores an entry that is reported to no server.
    public func store(_ entry: LogEntry, wall: UInt64 = 0) { _ = store.add(entry, wall: wall) }

    /// Loses an entry, but not its place.
    public func drop(rev: UInt64) { store.drop(rev) }

    /// The last commit of a graph comes again.
    public func repeatLast(of graph: String) {
        guard let last = store.records(of: graph).last else { return }
        _ = follower?.log(received: last.entry, at: last.stamp)
    }

    /// Has the server read a graph again of which nothing is there.
    ///
    /// - Returns: what it held, for ``bringBack(_:as:)``.
    public func lose(_ graph: String) -> GraphSnapshot? {
        let snapshot = follower?.snapshot(of: graph)
        store.begin("lost")
        let position = LogPosition(Epochs("lost"), rev: 1, time: 0)
        _ = follower?.log(reload: graph, at: position, from: store)
        return snapshot
    }

    /// Has the server read it again once it can be read.
    public func bringBack(_ graph: String, as snapshot: GraphSnapshot) {
        store.add(snapshot, of: graph)
        _ = follower?.log(reload: graph, at: store.position(of: graph), from: store)
    }

    /// Loses everything that is stored, and goes on in another epoch with what the host has.
    public func begin(epoch: String, with graphs: String...) {
        store.begin(epoch)
        for graph in graphs {
            if let snapshot = follower?.snapshot(of: graph) { store.add(snapshot, of: graph) }
            _ = follower?.log(reload: graph, at: store.position(of: graph), from: store)
        }
    }
}

/// What a ``FaultyLog`` has kept.
///
/// Unchecked, because tests read where they write.
private final class Store: LogReader, @unchecked Sendable {
    struct Record {
        let entry: LogEntry
        let stamp: LogStamp
    }

    /// Whether reading snapshots waits.
    let gate = Locked(false)
    private var epoch: String
    private var records: [String: [Record]] = [:]
    private var snapshots: [String: [GraphSnapshot]] = [:]
    private var dropped: Set<UInt64> = []
    /// The chunks of histories, by graph and node.
    private var histories: [String: [String: [HistoryChunk]]] = [:]

    init(epoch: String) {
        self.epoch = epoch
    }

    init(_ other: Store) {
        epoch = other.epoch
        records = other.records
        snapshots = other.snapshots
        dropped = other.dropped
        histories = other.histories
    }

    func begin(_ epoch: String) {
        self.epoch = epoch
        records = [:]
        snapshots = [:]
    }

    var graphs: [StoredGraph] {
        records.keys.sorted().compactMap { name in
            var origin: DefinitionOrigin?
            for record in records(of: name) {
                switch record.entry.kind {
                case .define(_, let new), .redefine(_, let new): origin = new
                case .remove: origin = nil
                case .values, .tick, .drop, .expire: break
                }
            }
            return origin.map { StoredGraph(name, $0) }
        }
    }

    func records(of graph: String) -> [Record] { records[graph] ?? [] }

    func drop(_ rev: UInt64) {
        dropped.insert(rev)
    }

    func position(of graph: String) -> LogPosition {
        let last = records[graph]?.last?.stamp ?? snapshots[graph]?.last?.stamp
        return LogPosition(Epochs(epoch), rev: last?.rev ?? 0, time: last?.time ?? 0)
    }

    func add(_ entry: LogEntry, wall: UInt64) -> LogStamp {
        let stamp = position(of: entry.graph).next(at: wall)
        // As it is read back from a disk.
        var bytes: [UInt8] = []
        entry.append(to: &bytes)
        let copy = bytes.withBorrowedBytes { bytes in
            var reader = LogBytesReader(bytes)
            return try? LogEntry(graph: entry.graph, from: &reader)
        }
        var sent = entry
        sent.checkedAt = nil
        sent.expiredBy = 0
        // Stored with the key.
        sent.key?.values = []
        precondition(copy == sent, "an entry has changed on its way through bytes")
        if case .define = entry.kind { snapshots[entry.graph] = [] }
        var kept = copy ?? entry
        kept.key = entry.key
        records[entry.graph, default: []].append(Record(entry: kept, stamp: stamp))
        return stamp
    }

    func add(_ snapshot: GraphSnapshot, of graph: String) {
        snapshots[graph, default: []].append(snapshot)
        for node in snapshot.history?.ended ?? [] { histories[graph]?[node] = nil }
        for addition in snapshot.history?.added ?? [] {
            var chunks = histories[graph, default: [:]][addition.node, default: []]
            chunks.removeAll { $0.start == addition.chunk.start && $0.every == addition.chunk.every }
            chunks.append(addition.chunk)
            histories[graph, default: [:]][addition.node] = chunks.filter { $0.start >= addition.keptFrom }
        }
    }

    func history(
        of node: String,
        in graph: String,
        _ times: ClosedRange<UInt64>
    ) throws(StoreError) -> [HistoryChunk] {
        let chunks = histories[graph]?[node]?.sorted { $0.start < $1.start } ?? []
        let first = chunks.last { $0.start <= times.lowerBound }?.start ?? 0
        return chunks.filter { (first...times.upperBound).contains($0.start) }
    }

    func trim(_ graph: String) {
        guard let newest = snapshots[graph]?.last else { return }
        snapshots[graph] = [newest]
        records[graph]?.removeAll { $0.stamp.rev <= newest.stamp.rev }
    }

    func revs(of graph: String) throws(StoreError) -> ClosedRange<UInt64>? {
        let first = snapshots[graph]?.first?.stamp.rev
        let begin = records(of: graph).first { if case .define = $0.entry.kind { true } else { false } }
        let last = records(of: graph).last
        guard let last, let from = [first, begin?.stamp.rev].compactMap(\.self).min() else { return nil }
        return from...last.stamp.rev
    }

    func snapshot(of graph: String, notAfter rev: UInt64) throws(StoreError) -> GraphSnapshot? {
        while gate.withLock({ $0 }) { usleep(200) }
        return snapshots[graph]?.last { $0.stamp.rev <= rev }
    }

    func entries(
        of graph: String,
        in revs: ClosedRange<UInt64>,
        _ visit: (LogEntry, LogStamp) throws(StoreError) -> Bool
    ) throws(StoreError) {
        for record in records(of: graph)
        where revs.contains(record.stamp.rev) && !dropped.contains(record.stamp.rev) {
            guard try visit(record.entry, record.stamp) else { return }
        }
    }

    func keys(of graph: String, since time: UInt64) throws(StoreError) -> [StoredKey] {
        records(of: graph).compactMap { record in
            guard let key = record.entry.key, record.stamp.time >= time else { return nil }
            return StoredKey(key, by: record.entry.by, record.stamp, changed: record.entry.changed)
        }
    }
}
