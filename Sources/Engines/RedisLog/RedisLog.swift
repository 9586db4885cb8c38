internal import DequeModule
public import EventLoop
public import Commits
public import Values

/// A log in Redis or Valkey that several servers share (`docs/operations.md`, "Several servers").
///
/// Each graph has a stream, and every server applies what is in it, its own commits among it: a
/// commit is answered when it has come back. A script gives the commits their places; whatever
/// waits when the writer is idle is one call and one entry for each graph. Two threads wait for
/// Redis: one that writes, and reads what is new where it writes; one that follows all streams. The
/// loop never does.
public final class RedisLog: CommitLog {
    /// Until Redis is tried again, in milliseconds.
    static let pause: UInt64 = 500
    /// How long a commit may wait for Redis to come back, in milliseconds.
    static let patience: UInt64 = 1_000
    /// How often an instance says that it lives, and how long its lease lasts, in milliseconds.
    static let pulse: UInt64 = 2_000
    static let lease = 8_000
    /// How many commits of others are taken up in one turn of the loop, unless one entry has more.
    static let turnCommits = 256
    /// How long the follower waits for news at a time, in milliseconds.
    static let wait = 500
    /// How long it waits while the writer reads some of the graphs, in milliseconds.
    static let shortWait = 5

    public weak var follower: (any CommitLogFollower)?
    public internal(set) var health = LogHealth.ready
    public internal(set) var statistics = LogStatistics()
    public let reader: any LogReader
    /// Receives failures and recoveries, for the server's log.
    public var onEvent: (_ isProblem: Bool, _ what: String) -> Void = { _, _ in }

    let options: RedisLogOptions
    /// The word for this start of this server.
    public let instance: String
    /// The word under which it writes: a new one after batches with an unknown outcome were given
    /// up.
    var writerName: String
    var formerNames: [String] = []
    /// Makes words that were never used.
    let word: () -> String
    let store: any StreamStore
    let streams: any StreamSource
    let writer: any StoreExecutor
    let listener: any StoreExecutor
    var tracks: [String: Track] = [:]
    /// Those that have something for the writer, in the order in which that came.
    var due: [Track] = []
    var isWriting = false
    /// The graphs of which the writer's answer will say what is new.
    var readByWriter: Set<String> = [] {
        didSet { moved.formUnion(oldValue.symmetricDifference(readByWriter)) }
    }
    /// The graphs of which the follower does not know from where it has to read them.
    var moved: Set<String> = []
    var isFollowing = false
    var isSettling = false
    var isClosed = false
    /// Where the stream of the graphs that begin has come to.
    var place = ""
    /// What was read and is to be applied: entries, and graphs that have begun.
    var unread: Deque<StreamEntry> = []
    var begun: [String] = []
    /// The token of the holder of the lease; 0: another instance has it.
    var token: UInt64 = 0
    var pulses: UInt64 = 0
    /// What is known of Redis' clock.
    var clock = StampClock()
    /// Which of the servers live.
    var signs = SignsOfLife()
    private(set) lazy var filed = FiledGraphs(of: self)
    private(set) lazy var snapshots = SnapshotQueue(of: self)
    private(set) lazy var sharedDemand = RedisDemand(of: self)

    /// Connects, and reads where the graphs stand.
    ///
    /// - Parameters:
    ///   - options: how it is set up.
    ///   - word: makes words of at most 32 characters that were never used before.
    ///   - writer: where it writes.
    ///   - listener: where it waits for what others write.
    /// - Throws: ``StoreError`` where Redis cannot be reached or used.
    public convenience init(
        _ options: RedisLogOptions,
        word: @escaping () -> String,
        writer: any StoreExecutor,
        listener: any StoreExecutor
    ) throws(StoreError) {
        try self.init(
            options,
            RedisStore(options.address, prefix: options.prefix),
            Follower(options.address, prefix: options.prefix),
            word: word,
            writer: writer,
            listener: listener
        )
    }

    init(
        _ options: RedisLogOptions,
        _ store: any StreamStore,
        _ streams: any StreamSource,
        word: @escaping () -> String,
        writer: any StoreExecutor,
        listener: any StoreExecutor,
        pause: @escaping (_ milliseconds: Int) -> Void = EpochStart.sleep
    ) throws(StoreError) {
        (self.options, self.word) = (options, word)
        instance = word()
        writerName = instance
        (self.store, self.streams) = (store, streams)
        reader = RedisReader(options.address, prefix: options.prefix)
        (self.writer, self.listener) = (writer, listener)
        do throws(RedisError) {
            try EpochStart(store, pause).begin(word())
            place = try streams.follow([:], newsAfter: "", for: 0).place
            for (name, position) in try store.positions() { add(Track(name, position, onMove: onMove)) }
            let asked = writer.now
            let pulse = try store.pulse(of: instance, lease: Self.lease, files: nil)
            token = pulse.token
            filed.note(pulse, at: instance)
            clock.note(pulse.time, asked: asked, now: writer.now)
            sharedDemand.take(living: Set(pulse.signs.keys).subtracting([instance]))
        } catch {
            throw StoreError("Redis at \(options.address.description) cannot be used: \(error.description)")
        }
        beatLater()
        snapshots.lookLater()
    }

    public var graphs: [StoredGraph] {
        tracks.values.compactMap { track in track.position.origin.map { StoredGraph(track.graph, $0) } }
            .sorted { $0.name < $1.name }
    }

    public func open(graph: String) throws(HostError) -> LogPosition { track(graph).position.public }

    public var files: Set<String> {
        get { filed.own ?? [] }
        set { filed.own = newValue }
    }

    public var demand: (any SharedDemand)? { sharedDemand }

    public func isFiledElsewhere(_ graph: String) -> Bool { filed.elsewhere?.contains(graph) ?? true }

    public func askForFiles(_ done: @escaping () -> Void) { filed.ask(done) }

    public var isLeading: Bool { token > 0 }

    public var time: UInt64? { clock.time(at: writer.now) }

    /// The graph's track; an unknown graph would begin in an epoch of its own.
    func track(_ graph: String) -> Track {
        if let track = tracks[graph] { return track }
        let position = StreamPosition(epochs: Epochs(word()), rev: 0, time: 0, id: "", definition: 0)
        return add(Track(graph, position, onMove: onMove))
    }

    @discardableResult
    private func add(_ track: Track) -> Track {
        tracks[track.graph] = track
        return track
    }

    private var onMove: (String) -> Void { { [weak self] in self?.moved.insert($0) } }

    // MARK: - The end

    public func settle() {
        drain()
        follow()
    }

    /// Waits until what was written has come back, which takes a moment, or until Redis is lost.
    func drain() {
        isSettling = true
        writer.wait()
        listener.wait()
        for _ in 0..<50
        where health == .ready && tracks.values.contains(where: { !$0.isIdle && !$0.isBroken }) {
            write()
            if unread.isEmpty { poll(for: 100) }
            listener.wait()
            writer.wait()
        }
        isSettling = false
    }

    public func close() {
        guard !isClosed else { return }
        drain()
        isClosed = true
        let graphs = Array(tracks.keys)
        let names = formerNames + [writerName, instance]
        writer.run { [store, instance] in
            try? store.leave(instance, names, graphs)
        } then: { _ in
        }
        writer.wait()
    }
}

extension StreamPosition {
    var `public`: LogPosition { LogPosition(epochs, rev: rev, time: time) }
}
