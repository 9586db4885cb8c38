internal import DequeModule
public import EventLoop
public import GraphHost

/// A log in Redis or Valkey that several servers share (`docs/operations.md`, "Several servers").
///
/// Each graph has a stream, and every server applies what is in it, its own commits among it: a
/// commit is answered when it has come back. A script gives the commits their places; whatever
/// waits when the writer is idle is one call and one entry for each graph. Two threads wait for
/// Redis: one that writes, and reads what is new where it writes; one that follows all streams. The
/// loop never does.
public final class RedisLog: CommitLog {
    /// How it is set up.
    public struct Options: Sendable {
        /// Where Redis is.
        public var address: RedisAddress
        /// What the names of all keys begin with.
        public var prefix: String
        /// How many replicas must have a commit before it is answered.
        public var replicas = 0
        /// How many revs of each graph can be looked back at, at least.
        public var keepRevs: UInt64

        /// Options for a server that is alone.
        public init(_ address: RedisAddress, prefix: String, keepRevs: UInt64) {
            (self.address, self.prefix, self.keepRevs) = (address, prefix, keepRevs)
        }
    }

    /// After so many revs a graph is stored whole.
    static let snapshotRevs: UInt64 = 10_000
    /// After so many milliseconds it is, where it has changed at all.
    static let snapshotMilliseconds: UInt64 = 60_000
    /// Until Redis is tried again, in milliseconds.
    static let pause: UInt64 = 500
    /// How long a commit may wait for a Redis that does not answer, in milliseconds.
    static let patience: UInt64 = 5_000
    /// How often an instance says that it lives; how long its lease lasts; and after which silence
    /// it is lost, in milliseconds.
    static let pulse: UInt64 = 2_000
    static let lease = 8_000
    static let silence = 10_000
    /// How long a graph that cannot be built is left alone before it is read again, in
    /// milliseconds.
    static let rereading: UInt64 = 10_000
    /// How long a new epoch waits for instances that have come further, in milliseconds.
    static let claimTime: UInt64 = 300
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

    let options: Options
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
    var dueSnapshots: [String] = []
    var isSnapshotting = false

    /// Connects, and reads where the graphs stand.
    ///
    /// - Parameters:
    ///   - options: how it is set up.
    ///   - word: makes words of at most 32 characters that were never used before.
    ///   - writer: where it writes.
    ///   - listener: where it waits for what others write.
    /// - Throws: ``StoreError`` where Redis cannot be reached or used.
    public convenience init(
        _ options: Options,
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
        _ options: Options,
        _ store: any StreamStore,
        _ streams: any StreamSource,
        word: @escaping () -> String,
        writer: any StoreExecutor,
        listener: any StoreExecutor
    ) throws(StoreError) {
        self.options = options
        self.word = word
        instance = word()
        writerName = instance
        (self.store, self.streams) = (store, streams)
        reader = RedisReader(options.address, prefix: options.prefix)
        self.writer = writer
        self.listener = listener
        do throws(RedisError) {
            place = try streams.follow([:], newsAfter: "", for: 0).place
            for (name, position) in try store.positions() { add(Track(name, position, onMove: onMove)) }
            token = try store.pulse(of: instance, lease: Self.lease, silence: Self.silence).token
        } catch {
            throw StoreError("Redis at \(options.address.description) cannot be used: \(error.description)")
        }
        beatLater()
        lookAgain()
    }

    /// Begins to follow what others write: for the end of the start, when all graphs have been
    /// restored.
    ///
    /// What is new in graphs that are written comes with the writer's answer, so the follower
    /// leaves them out, and soon looks whether that is still so.
    public func follow() {
        guard !isFollowing, !isSettling, !isClosed, health == .ready, unread.isEmpty else { return }
        hear(for: readByWriter.isEmpty ? Self.wait : Self.shortWait)
    }

    public var graphs: [StoredGraph] {
        tracks.values.compactMap { track in track.position.origin.map { StoredGraph(track.graph, $0) } }
            .sorted { $0.name < $1.name }
    }

    public func open(graph: String) throws(HostError) -> LogPosition { track(graph).position.public }

    public var isLeading: Bool { token > 0 }

    /// The graph's track; an unknown graph would begin in an epoch of its own.
    func track(_ graph: String) -> Track {
        if let track = tracks[graph] { return track }
        let position = StreamPosition(epoch: word(), rev: 0, time: 0, id: "", definition: 0)
        return add(Track(graph, position, onMove: onMove))
    }

    @discardableResult
    private func add(_ track: Track) -> Track {
        tracks[track.graph] = track
        return track
    }

    private var onMove: (String) -> Void { { [weak self] in self?.moved.insert($0) } }

    // MARK: - Writing

    public func append(_ entries: [LogEntry], tickets: Range<UInt64>, wall: UInt64) {
        precondition(!isClosed, "nothing is appended to a log that is closed")
        if let refusal = health.refusal { return refuse(Array(tickets), refusal) }
        for (entry, ticket) in zip(entries, tickets) {
            let track = track(entry.graph)
            if track.isBroken {
                refuse([ticket], Self.brokenOff)
            } else {
                add(entry, ticket, to: track)
            }
        }
        write()
    }

    func add(_ entry: LogEntry, _ ticket: UInt64, isQuestion: Bool = false, to track: Track) {
        if track.waiting.isEmpty { due.append(track) }
        track.add(entry, ticket, isQuestion: isQuestion)
    }

    public func confirm(_ entry: LogEntry, ticket: UInt64) {
        if let refusal = health.refusal { return refuse([ticket], refusal) }
        let track = track(entry.graph)
        if track.isBroken { return refuse([ticket], Self.brokenOff) }
        add(entry, ticket, isQuestion: true, to: track)
        write()
    }

    /// Refuses commits, in their place among the answers.
    func refuse(_ tickets: [UInt64], _ refusal: HostError) {
        writer.run({}) { [weak self] in
            for ticket in tickets { self?.follower?.log(refused: ticket, because: refusal) }
        }
    }

    static let brokenOff = HostError(
        .engineDown,
        "the history of the graph has broken off",
        after: 1000
    )

    /// Gives the writer what waits, unless it is busy.
    func write(again flights: [Track.Flight] = []) {
        guard !isWriting, health == .ready else { return }
        let flights = flights + due.compactMap { $0.takeOff(id: word(), writer: writerName) }
        due = due.filter { !$0.waiting.isEmpty }
        guard !flights.isEmpty else { return }
        isWriting = true
        let batches = flights.map(\.batch)
        // What was read and not yet applied would only come again.
        let isReading = unread.isEmpty
        readByWriter = isReading ? Set(batches.map(\.graph)) : []
        let start = ContinuousClock.now
        ask { [token, replicas = options.replicas] (store) throws(RedisError) in
            try store.append(batches, fence: token, replicas: replicas, isReading: isReading)
        } then: { [weak self] result in
            self?.statistics.writeTime += start.duration(to: .now)
            self?.finish(flights, result)
        }
    }

    func finish(
        _ flights: [Track.Flight],
        _ result: Result<Appended, RedisError>
    ) {
        isWriting = false
        readByWriter = []
        statistics.writes += 1
        switch result {
        case .failure(let error): lose(error)
        case .success(let appended):
            for (flight, outcome) in zip(flights, appended.outcomes) {
                guard let track = tracks[flight.batch.graph] else { continue }
                switch outcome {
                case .success(let outcome):
                    flight.outcome = outcome
                    conclude(track)
                case .failure(let error):
                    lose(error)
                    // A script that is refused has done nothing.
                    refuse([flight], of: track)
                }
            }
            unread.append(contentsOf: appended.entries)
            takeUp()
            // What comes later in this turn goes along.
            writer.after(0) { [weak self] in
                self?.write()
                self?.follow()
            }
        }
    }

    /// Answers what nothing is missing for.
    func conclude(_ track: Track) {
        while let flight = track.flights.first, let outcome = flight.outcome {
            var unheard: [Outcome.Item]
            switch outcome {
            case .answered(let items, let rev):
                guard flight.left != nil || (!items.contains(.taken) && track.position.rev >= rev) else {
                    return
                }
                unheard = items
            case .seen(let rev):
                guard track.position.rev >= rev else { return }
                unheard = flight.tickets.indices.map { flight.left?.contains($0) ?? true ? .moved : .taken }
            case .otherEpoch(let rev):
                // Another instance was first to begin the graph.
                guard track.position.epoch != flight.batch.base.epoch, track.position.rev >= rev else {
                    if flight.batch.base.rev > 0 { mend(track) }
                    return
                }
                unheard = flight.tickets.map { _ in .moved }
            }
            track.flights.removeFirst()
            for (tickets, item) in zip(flight.tickets, unheard) {
                for ticket in tickets {
                    switch item {
                    case .taken: break
                    case .confirmed: follower?.log(confirmed: ticket)
                    case .moved: follower?.log(moved: ticket)
                    case .known(let stamp, let changed, let digest):
                        let key = StoredKey(
                            LogEntry.Key("", digest: digest),
                            by: nil,
                            stamp,
                            changed: changed
                        )
                        follower?.log(repeated: ticket, of: key)
                    }
                }
            }
            track.note(concluded: flight.batch)
        }
    }

    /// No caller waits for these any more.
    func refuse(_ flights: [Track.Flight], of track: Track) {
        guard !flights.isEmpty else { return }
        track.flights.removeAll { flight in flights.contains { $0 === flight } }
        let refusal =
            health.refusal ?? (track.isBroken ? Self.brokenOff : LogHealth.outOfReach.refusal)
            ?? Self.brokenOff
        // Should they be taken after all, they are another's.
        formerNames.append(writerName)
        writerName = word()
        for flight in flights {
            // What has come back was answered then.
            for (place, tickets) in flight.tickets.enumerated() where flight.left?.contains(place) ?? true {
                for ticket in tickets { follower?.log(refused: ticket, because: refusal) }
            }
        }
    }

    func refuseAll(of track: Track) {
        refuse(Array(track.flights), of: track)
        let waiting = track.waiting
        track.waiting = []
        for next in waiting { follower?.log(refused: next.ticket, because: health.refusal ?? Self.brokenOff) }
    }

    /// Asks Redis something on the writer's thread; the answer comes on the loop.
    func ask<Value: Sendable>(
        _ work: @escaping @Sendable (any StreamStore) throws(RedisError) -> Value,
        then answer: @escaping (Result<Value, RedisError>) -> Void
    ) {
        writer.run { [store] in
            do throws(RedisError) {
                return Result<Value, RedisError>.success(try work(store))
            } catch {
                return .failure(error)
            }
        } then: {
            answer($0)
        }
    }

    // MARK: - Following

    /// Passes to the follower from where it reads which streams, as far as that has changed; nil:
    /// it does not read that one.
    private func takeMoves() -> [String: UInt64?] {
        var moves: [String: UInt64?] = [:]
        for name in moved {
            let track = readByWriter.contains(name) ? nil : tracks[name]
            moves.updateValue(track.flatMap { $0.isBroken ? nil : $0.position.rev }, forKey: name)
        }
        moved = []
        return moves
    }

    /// Waits for what is new, takes it up, and waits again.
    func hear(for milliseconds: Int) {
        isFollowing = true
        let moves = takeMoves()
        listener.run { [streams, place] in
            do throws(RedisError) {
                return Result<_, RedisError>.success(
                    try streams.follow(moves, newsAfter: place, for: milliseconds)
                )
            } catch {
                return .failure(error)
            }
        } then: { [weak self] result in
            guard let self else { return }
            isFollowing = false
            switch result {
            case .failure(let error): lose(error)
            case .success(let news):
                place = news.place
                unread.append(contentsOf: news.entries)
                begun += news.graphs
                read()
            }
        }
    }

    /// Applies what was read, and then waits for more.
    func read() {
        takeUp()
        follow()
    }

    /// Applies what was read, some of it in each turn of the loop.
    func takeUp() {
        var count = 0
        while let entry = unread.first, isSettling || count < Self.turnCommits {
            // With replicas it is answered once they have it.
            guard options.replicas == 0 || tracks[entry.graph]?.isUnconfirmed(entry) != true else { return }
            unread.removeFirst()
            count += entry.commits.count
            take(entry)
        }
        guard unread.isEmpty else { return listener.after(0) { [weak self] in self?.read() } }
        let graphs = begun
        begun = []
        for graph in graphs where tracks[graph] == nil {
            let track = track(graph)
            track.isBroken = true
            load(track)
        }
    }

    func take(_ entry: StreamEntry) {
        guard let track = tracks[entry.graph], !track.isBroken, entry.revs.upperBound > track.position.rev
        else {
            return
        }
        let follows =
            entry.revs.lowerBound == track.position.rev + 1 && entry.predecessor == track.position.id
        // Another instance may have been first to begin the graph.
        guard follows, entry.epoch == track.position.epoch || track.position.rev == 0 else {
            return mend(track)
        }
        track.position = entry.position(after: track.position)
        track.unsaved += UInt64(entry.commits.count)
        statistics.commits += UInt64(entry.commits.count)
        let own = track.flight(of: entry)
        var stamps = zip(entry.revs, entry.commits).makeIterator()
        if let own {
            own.left = entry.left
            for (place, tickets) in own.tickets.enumerated() where !entry.left.contains(place) {
                for ticket in tickets {
                    guard let (rev, _) = stamps.next() else { break }
                    follower?.log(committed: ticket, at: LogStamp(rev: rev, time: entry.time))
                }
            }
        } else {
            while let (rev, commit) = stamps.next() {
                guard follower?.log(received: commit, at: LogStamp(rev: rev, time: entry.time)) != false
                else {
                    return readAgain(track, "has a commit that cannot be applied here, rev \(rev)")
                }
            }
        }
        if let digest = follower?.digest(of: track.graph, passing: entry.revs) {
            track.note(digest, at: entry.revs.upperBound)
        }
        conclude(track)
        if track.unsaved >= Self.snapshotRevs { snapshot(track.graph) }
    }

    // MARK: - The end

    public func settle() {
        hearEverything()
        follow()
    }

    /// Waits until what was written has come back, which takes a moment, or until Redis is lost.
    func hearEverything() {
        isSettling = true
        writer.wait()
        listener.wait()
        for _ in 0..<50
        where health == .ready && tracks.values.contains(where: { !$0.isIdle && !$0.isBroken }) {
            write()
            if unread.isEmpty { hear(for: 100) }
            listener.wait()
            writer.wait()
        }
        isSettling = false
    }

    public func close() {
        guard !isClosed else { return }
        hearEverything()
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
    var `public`: LogPosition { LogPosition(epoch: epoch, rev: rev, time: time) }
}
