internal import CSQLite
public import EventLoop
public import Commits
public import Values

/// A log in a SQLite database, for one server with a disk (`docs/operations.md`, "What is kept").
///
/// All commits that arrive while the writer is busy go into its next transaction. The loop never
/// waits for the disk. The loop assigns numbers and times when it appends commits. When a write
/// fails, its commits and all later pending ones are refused, and numbering continues after the
/// last answered commit.
public final class SQLiteLog: CommitLog {
    /// The version of the database's tables and entries; a server reads no other one.
    public static var format: Int { Int(Store.version) }

    /// After so many revs a graph is stored whole.
    public static let snapshotRevs: UInt64 = 10_000
    /// After so many milliseconds it is, where it has changed at all.
    static let snapshotMilliseconds: UInt64 = 60_000
    /// Until a store that failed is tried again, in milliseconds.
    static let pause: UInt64 = 1_000
    /// How often a store without commits checks that its files are in place, in milliseconds.
    static let watch: UInt64 = 2_000
    /// How long idempotency keys are kept, in milliseconds.
    static let keyLifetime: UInt64 = 600_000

    public weak var follower: (any CommitLogFollower)?
    public private(set) var health = LogHealth.ready
    public private(set) var statistics = LogStatistics()
    public let reader: any LogReader
    /// Receives failures and recoveries, for the server's log.
    public var onEvent: (_ isProblem: Bool, _ what: String) -> Void = { _, _ in }

    public var keepsHistory: Bool { true }

    private let store: Store
    private let executor: any StoreExecutor
    private let keepRevs: UInt64
    /// The epoch of this start.
    private let epoch: String
    /// The graphs as of the last answer, and as of the last commit that was appended.
    private var answered: [String: Store.Graph]
    private var appended: [String: Store.Graph]
    /// What waits for the writer, and whether that is busy.
    private var queue: [Store.Turn] = []
    private var isWriting = false
    /// Commits since a graph's last snapshot.
    private var unsaved: [String: UInt64] = [:]
    private var dueSnapshots: [String] = []
    private var isSnapshotting = false
    private var isClosed = false

    /// Opens the store, or makes one.
    ///
    /// - Parameters:
    ///   - files: where it is.
    ///   - durability: when a commit is answered.
    ///   - keepRevs: how many revs of each graph can be looked back at, at least.
    ///   - epoch: a word of at most 32 characters that no other start has used: all graphs begin
    ///     it.
    ///   - executor: where it writes.
    /// - Throws: ``StoreError`` with what is wrong with the files.
    public init(
        _ files: any StoreFiles,
        _ durability: Durability,
        keepRevs: UInt64,
        epoch: String,
        executor: any StoreExecutor
    ) throws(StoreError) {
        store = try Store(files, durability, epoch: epoch)
        reader = StoreReader(files)
        self.keepRevs = keepRevs
        self.epoch = epoch
        self.executor = executor
        answered = store.content.graphs
        appended = answered
        statistics.bytes = store.size
        lookAgain()
        if !store.identities.isEmpty { watchPlaces() }
    }

    /// Why answered commits may be missing; nil: none are.
    public var broken: String? { store.content.broken }

    public var graphs: [StoredGraph] {
        answered.compactMap { name, graph in graph.origin.map { StoredGraph(name, $0) } }
            .sorted { $0.name < $1.name }
    }

    public func open(graph: String) throws(HostError) -> LogPosition {
        (appended[graph] ?? begun).position
    }

    /// A graph that has never been.
    private var begun: Store.Graph {
        Store.Graph(position: LogPosition(Epochs(epoch), rev: 0, time: 0), origin: nil)
    }

    // MARK: - Writing

    public func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64) {
        precondition(!isClosed, "nothing is appended to a log that is closed")
        if let refusal = health.refusal {
            // In its place among the answers.
            return executor.run({}) { [weak self] in self?.refuse(tickets, refusal) }
        }
        queue.append(stamp(entries, tickets, wall))
        write()
    }

    /// Gives entries their numbers and times.
    private func stamp(_ entries: [LogEntry], _ tickets: Range<UInt64>, _ wall: UInt64) -> Store.Turn {
        var stamps: [LogStamp] = []
        stamps.reserveCapacity(entries.count)
        var graphs: [String: (graph: Store.Graph, count: UInt64)] = [:]
        var changed: Set<String> = []
        // One after the other of the same graph is usual.
        var name = ""
        var graph = begun
        var count: UInt64 = 0
        func note() {
            guard count > 0 else { return }
            graphs[name] = (graph, count)
        }
        for number in entries.indices {
            let next = entries[number].graph
            if next != name || count == 0 {
                note()
                name = next
                (graph, count) = graphs[name] ?? (appended[name] ?? begun, 0)
            }
            count += 1
            // A tick is not stamped earlier than it was due, even if the clock was set back since.
            graph.position.take(graph.position.next(at: max(wall, entries[number].earliest)))
            if let origin = entries[number].kind.origin {
                graph.origin = origin
                changed.insert(name)
            }
            stamps.append(LogStamp(rev: graph.position.rev, time: graph.position.time))
        }
        note()
        for (name, change) in graphs { appended[name] = change.graph }
        return Store.Turn(
            entries: entries,
            stamps: stamps,
            tickets: tickets,
            graphs: graphs,
            changed: changed
        )
    }

    /// Gives the writer what waits, unless it is busy.
    private func write() {
        guard !isWriting, !queue.isEmpty else { return }
        isWriting = true
        let turns = queue
        queue = []
        let start = ContinuousClock.now
        executor.run { [store] in
            Result { () throws(DatabaseError) in try store.write(turns) }
        } then: { [weak self] result in
            self?.statistics.writeTime += start.duration(to: .now)
            self?.finish(turns, result)
        }
    }

    private func finish(_ turns: [Store.Turn], _ result: Result<Void, DatabaseError>) {
        isWriting = false
        statistics.writes += 1
        if case .failure(let error) = result {
            statistics.failures += 1
            return fail(turns, error)
        }
        // The writer goes on while the host applies.
        write()
        for turn in turns {
            for (name, change) in turn.graphs {
                answered[name] = change.graph
                unsaved[name, default: 0] += change.count
            }
            statistics.commits += UInt64(turn.entries.count)
            for (ticket, stamp) in zip(turn.tickets, turn.stamps) {
                follower?.log(committed: ticket, at: stamp)
            }
        }
        for (name, count) in unsaved where count >= Self.snapshotRevs { snapshot(name) }
    }

    private func refuse(_ tickets: Range<UInt64>, _ error: HostError) {
        for ticket in tickets { follower?.log(refused: ticket, because: error) }
    }

    // MARK: - Failing and recovering

    /// The store took nothing: all that waits is refused, and it is looked at again a little later.
    private func fail(_ turns: [Store.Turn], _ error: DatabaseError) {
        let health = error.primary == SQLITE_FULL ? LogHealth.full : .outOfReach
        let refused = turns + queue
        queue = []
        appended = answered
        onEvent(true, "the store takes no commits: \(error.description)")
        become(health)
        for turn in refused { refuse(turn.tickets, health.refusal ?? HostError(.engineDown, "")) }
        recoverLater()
    }

    /// Notices files that were moved also while there are no commits: each write looks by itself.
    private func watchPlaces() {
        executor.after(Self.watch) { [weak self] in
            guard let self, !isClosed else { return }
            watchPlaces()
            guard health == .ready, !isWriting else { return }
            executor.run { [store] in
                Result { () throws(DatabaseError) in try store.checkPlaces() }
            } then: { [weak self] result in
                guard let self, health == .ready, !isWriting, case .failure(let error) = result
                else {
                    return
                }
                statistics.failures += 1
                fail([], error)
            }
        }
    }

    private func become(_ health: LogHealth) {
        guard health != self.health else { return }
        self.health = health
        follower?.logHealthChanged()
    }

    private func recoverLater() {
        executor.after(Self.pause) { [weak self] in
            guard let self, !isClosed else { return }
            executor.run { [store, answered] in
                Result { () throws(DatabaseError) in try store.recover(answered) }
            } then: { [weak self] result in
                self?.recovered(result)
            }
        }
    }

    private func recovered(_ result: Result<Store.Recovery, DatabaseError>) {
        switch result {
        case .failure(let error):
            become(error.primary == SQLITE_FULL ? .full : .outOfReach)
            recoverLater()
        case .success(.complete): beWell()
        case .success(.incomplete):
            // What the host holds is all that was answered.
            onEvent(true, "the store has lost writes that were answered; the graphs are stored as they are")
            storeAll(graphs.map(\.name)[...]) { [weak self] isStored in
                if isStored { self?.beWell() } else { self?.recoverLater() }
            }
        }
    }

    private func beWell() {
        guard !isClosed else { return }
        onEvent(false, "the store takes commits again")
        become(.ready)
    }

    // MARK: - Snapshots

    /// Every minute, graphs that have changed are stored, one after the other with others' turns
    /// between.
    private func lookAgain() {
        executor.after(Self.snapshotMilliseconds) { [weak self] in
            guard let self, !isClosed else { return }
            for name in unsaved.keys.sorted() { snapshot(name) }
            lookAgain()
        }
    }

    private func snapshot(_ name: String) {
        if !dueSnapshots.contains(name) { dueSnapshots.append(name) }
        guard !isSnapshotting else { return }
        isSnapshotting = true
        executor.after(0) { [weak self] in self?.snapshotNext() }
    }

    private func snapshotNext() {
        guard health == .ready, !isClosed, let name = dueSnapshots.popFirst() else {
            isSnapshotting = false
            return
        }
        storeSnapshot(of: name) { [weak self] _ in self?.snapshotNext() }
    }

    /// Stores several graphs; `done` receives whether all of them were.
    private func storeAll(_ names: ArraySlice<String>, _ done: @escaping (Bool) -> Void) {
        guard let name = names.first else { return done(true) }
        storeSnapshot(of: name) { [weak self] isStored in
            guard isStored else { return done(false) }
            self?.storeAll(names.dropFirst(), done)
        }
    }

    private func storeSnapshot(of name: String, _ done: @escaping (Bool) -> Void) {
        unsaved[name] = nil
        guard let snapshot = follower?.snapshot(of: name) else {
            // It has ended, or says itself why it cannot be saved.
            return executor.run({}) { done(true) }
        }
        // The clock that has stamped the commits with keys.
        let time = snapshot.stamp.time
        let keysSince = time > Self.keyLifetime ? time - Self.keyLifetime : 0
        executor.run { [store, keepRevs] in
            Result { () throws(DatabaseError) in
                try store.store(snapshot, of: name, keepRevs: keepRevs, keysSince: keysSince)
                return store.size
            }
        } then: { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let bytes):
                statistics.snapshots += 1
                statistics.bytes = bytes
                follower?.log(saved: name, at: snapshot.stamp.rev)
                done(true)
            case .failure(let error):
                // The log has all that the snapshot would have had; the next one is tried when it
                // is due.
                statistics.failures += 1
                onEvent(true, "the snapshot of graph \(name) was not stored: \(error.description)")
                unsaved[name, default: 0] += 1
                done(false)
            }
        }
    }

    // MARK: - Other work

    /// Copies the store as it is now into a new file, while it goes on.
    ///
    /// - Parameters:
    ///   - path: the file, which must not exist.
    ///   - done: receives what was wrong; nil: it is there.
    public func backup(to path: String, _ done: @escaping (StoreError?) -> Void) {
        executor.run { [store] in
            do throws(DatabaseError) {
                try store.backup(to: path)
                return StoreError?.none
            } catch {
                return StoreError("the backup was not written: \(error.description)")
            }
        } then: {
            done($0)
        }
    }

    // MARK: - The end

    public func settle() { executor.wait() }

    public func close() {
        guard !isClosed else { return }
        executor.wait()
        if health == .ready { storeAll(unsaved.keys.sorted()[...]) { _ in } }
        executor.wait()
        isClosed = true
        executor.run { [store] in
            do throws(DatabaseError) {
                try store.close()
                return DatabaseError?.none
            } catch {
                return error
            }
        } then: { [onEvent] error in
            if let error { onEvent(true, "the store was not closed in order: \(error.description)") }
        }
        executor.wait()
    }
}

extension LogPosition {
    fileprivate mutating func take(_ stamp: LogStamp) {
        rev = stamp.rev
        time = stamp.time
    }
}

extension LogEntry.Kind {
    /// Where the graph comes from after it; nil: as before, `.some(nil)`: it has ended.
    fileprivate var origin: DefinitionOrigin?? {
        switch self {
        case .define(_, let origin), .redefine(_, let origin): .some(origin)
        case .remove: .some(nil)
        case .values, .tick, .drop, .expire: nil
        }
    }
}

extension [String] {
    fileprivate mutating func popFirst() -> String? { isEmpty ? nil : removeFirst() }
}
