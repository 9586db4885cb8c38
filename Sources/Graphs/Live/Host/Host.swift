internal import CEL
public import Commits
public import Definitions
internal import DequeModule
package import ReactiveGraph
public import Support
public import Values

/// Where a host stores its commits.
public enum CommitStore {
    /// Nowhere: each commit is applied and answered at once, and every start has a new epoch. The
    /// epoch is a word of at most 32 characters that no other start has used.
    case memory(epoch: String)
    /// In a log.
    case log(any CommitLog)
}

/// The live graphs by name, and the only way to change a graph (``submit(_:)``).
///
/// A host belongs to one event loop, which drives it: ``advance()`` when a deadline has come, and
/// ``flush()`` at the end of each loop turn. Its ``HostFollower`` serves the clients.
public final class Host {
    /// The source of time.
    public let clock: any HostClock
    /// The limits of sessions.
    public let limits: SessionLimits
    /// The options for expressions of client pipelines.
    public let definitions: DefinitionOptions

    /// The name of this service in paths, the same at all servers that share a log; empty: the
    /// epoch of the graph.
    public var service = ""

    /// What it receives from the log; nil: there is none, each commit is applied at once.
    private let reports: LogReports?
    /// The log of commits.
    var log: (any CommitLog)? { reports?.log }
    /// Whether other servers write the log too.
    public var isShared: Bool { log?.isShared ?? false }
    /// Whether commits outlive the process.
    public var keepsCommits: Bool { log != nil }
    /// Whether this server makes the ticks of the graphs.
    public var isLeading: Bool { log?.isLeading ?? true }
    /// An identifier of this start, if other servers write the log too.
    package var instance: String { log?.instance ?? "" }
    /// The log's health, as last reported.
    public var health: LogHealth { reports?.health ?? .ready }
    /// What it calls in its server.
    public var handlers = HostHandlers()
    /// The clients that the graphs serve, which hold the host; nil: there are none.
    package unowned var follower: (any HostFollower)?
    var turn = LoopTurn()
    /// The timers of clients and of private stages, on the monotonic clock.
    package let timers: TimerQueue
    /// All graphs by name.
    let table: GraphTable
    /// Commits on their way to the graphs and to the log.
    let submissions: Submissions
    private(set) lazy var orphanCare = OrphanCare(self)
    /// What they hold and have released.
    var memory: HostMemory
    /// Clears the values that represented ended sessions.
    package private(set) lazy var presences = PresenceClearing(self)
    /// Runs the pipelines of clients.
    package let pipelines: PipelineScheduler
    /// Whether the log stores them.
    var keepsHistory: Bool { log?.keepsHistory ?? false }

    /// How many commits of this server have been applied since the start.
    public var applied: UInt64 { submissions.applied }

    /// The start times of the turns in which commits were submitted that were applied in later
    /// turns, since the last read.
    public func takeLateCommits() -> ContiguousArray<UInt64> { submissions.takeLate() }

    /// A host without graphs that stores its commits in `store`.
    public init(
        store: CommitStore,
        clock: any HostClock,
        limits: SessionLimits = SessionLimits(),
        definitions: DefinitionOptions = DefinitionOptions()
    ) {
        self.definitions = definitions
        switch store {
        case .memory(let epoch):
            precondition(epoch.utf8.count <= 32, "an epoch has at most 32 characters")
            (reports, table) = (nil, GraphTable(epoch: epoch))
        case .log(let log): (reports, table) = (LogReports(log), GraphTable(epoch: ""))
        }
        self.clock = clock
        timers = TimerQueue { .milliseconds(clock.now) }
        self.limits = limits
        memory = HostMemory(limits)
        pipelines = PipelineScheduler()
        let keys = IdempotencyKeys(limit: limits.idempotencyKeys)
        submissions = Submissions(reports?.log, clock, turn.activity, keys)
        reports?.begin(in: self)
    }

    deinit {
        dissolve()
    }

    /// The host, or its follower, is being freed: nothing that is freed from here on reports to
    /// either.
    package func dissolve() {
        follower = nil
        for graph in table.all { graph.dissolve() }
        pipelines.forget()
        turn.postponed = []
    }

    /// The name of a graph in which the server keeps what is its own; no client can find it, or
    /// give a graph this name.
    public static var ownGraph: String { ".access" }

    /// All graphs that are served, in the order in which they were added.
    public var graphs: [LiveGraph] { table.all.filter(\.isForClients) }

    /// The graph with that name, if it is served.
    public subscript(name: String) -> LiveGraph? { table[name].flatMap { $0.isForClients ? $0 : nil } }

    /// The graph with that name, given as bytes; makes no `String`.
    ///
    /// If there is none, the error is ``noGraph``.
    public func graph(named name: BorrowedBytes) -> LiveGraph? {
        guard let graph = table[name] else { return nil }
        return graph.isShown ? graph : nil
    }

    /// Rises whenever a graph is added, removed or redefined.
    public var definitionChanges: UInt64 { table.changes }
    /// The graphs that could not be rebuilt from the log and are not served, in alphabetical order.
    public var unbuilt: [String] { table.unbuilt }

    // MARK: - Changing

    /// Checks a change against what is applied and what is pending, and gives it to the log.
    ///
    /// The answer is available when this returns, or comes through the ``PendingCommit``, as the
    /// log decides.
    public func submit(_ commit: Commit) -> Submission { submissions.submit(commit) }

    /// Waits until the log has answered every commit.
    ///
    /// For the start, before there are clients.
    public func settle() { submissions.settle() }

    /// Passes the rest to the log, and closes it.
    public func close() {
        follower?.close()
        settle()
        log?.close()
    }

    package func apply(_ commit: Commit, _ stamp: LogStamp) -> Applied {
        let graph = commit.graph
        apply(to: graph) { graph.apply(commit, stamp) }
        var applied = Applied(
            epoch: graph.epoch,
            rev: stamp.rev,
            time: stamp.time,
            changed: commit.changed,
            skipped: commit.skipped
        )
        if commit.transaction != nil { applied.values = commit.results }
        return applied
    }

    /// Makes one change of a graph, and settles what it causes.
    @inline(__always)
    func apply(to graph: LiveGraph, _ change: () -> Void) {
        activity.noteCommit(to: graph, named: graph.name)
        let spent = pipelines.total
        change()
        if graph.facets.isWatched, graph.isLive { graph.facets.settle(in: graph) }
        follower?.commitApplied()
        graph.course.awaited?.reached(graph.rev)
        // A commit of which much has to be recorded for pipelines is a dear request.
        if pipelines.total != spent {
            work += UInt64((pipelines.total - spent) / NodeBuilder.unitsPerNode)
        }
    }

    // MARK: - Time and turns

    /// Does everything that is due: deliveries that waited for their interval, private timed
    /// stages, and for each graph one tick commit with all emissions of its definition's stages.
    ///
    /// Of what is shared out over turns it does one kind, so that others wait for no more.
    public func advance() {
        timers.fire(until: .milliseconds(clock.now), while: pipelines.takesTimer, pipelines.perform)
        goOn()
        if makesTicks { table.ticks.submitDue(at: clock.now, to: submissions) }
    }

    /// Goes on with the next kind of work that waits.
    private func goOn() {
        let waiting =
            (follower?.isReleasing == true ? 1 : 0) | (turn.postponed.isEmpty ? 0 : 2)
            | (pipelines.slow.isWaiting ? 4 : 0)
        guard waiting != 0 else { return }
        switch turn.next(of: waiting) {
        case 0: follower?.release()
        case 1: performPostponed()
        default: pipelines.slow.goOn(in: self)
        }
    }

    /// The time of the clock that stamps commits, in milliseconds since 1970, or an earlier one.
    var stampTime: UInt64 { log?.time ?? clock.wall }

    /// Whether this server makes ticks and the log accepts them.
    private var makesTicks: Bool { health == .ready && isLeading }

    /// When ``advance()`` has something to do next, in milliseconds of the monotonic clock; nil:
    /// nothing is due.
    public var nextDeadline: UInt64? {
        if follower?.isReleasing == true || !turn.postponed.isEmpty { return clock.now }
        if pipelines.isBehind || pipelines.slow.isWaiting { return clock.now }
        if turn.demanded.contains(where: { $0.demand?.isDue == true }) { return clock.now }
        let timer = timers.nextMilliseconds
        // Ticks that are due are made when the log is ready again.
        guard makesTicks, let tick = table.ticks.next(at: clock.now, stampTime) else { return timer }
        return timer.map { min($0, tick) } ?? tick
    }

    /// Ends the loop turn: runs the pipelines of clients, then sends what the turn has made.
    public func flush() {
        pipelines.run(in: self)
        if !turn.demanded.isEmpty { settleDemand() }
        handlers.onDemand()
        follower?.turnEnds()
        submissions.endTurn()
        forgetLeftovers()
        turn.end()
    }

    /// The counters.
    public var statistics: HostStatistics {
        HostStatistics(
            graphs: graphs.count,
            pressureEvents: memory.flushes,
            pressureReleased: memory.released
        )
    }

    // MARK: - The log, and faults

    /// Whether the graphs may be older than the store.
    package var isStale: Bool { health == .catchingUp || health == .outOfReach }

    /// The error for a graph that has ended: `unknown_graph`, or `not_ready` while the log is
    /// catching up.
    public var noGraph: HostError {
        (isCatchingUp ? health.refusal : nil) ?? HostError(.unknownGraph, "the graph was removed")
    }

    /// The error for a graph that does not exist for a caller.
    ///
    /// Its hint is a similar name of a graph that the caller may see, so a graph that exists and
    /// one that does not look the same to a caller without rights.
    public func noGraph(named name: String, for access: Access) -> HostError {
        guard !isCatchingUp else { return noGraph }
        let name = String(name.prefix(64))
        if let orphan = held(name), orphan.isOrphan, access.sees(orphan) { return .orphaned(orphan) }
        var error = HostError(.unknownGraph, "there is no graph '\(name)'")
        let known = table.all.prefix(GraphView.mostGuesses).lazy
            .filter { abs($0.name.utf8.count - name.utf8.count) <= 4 && $0.isForClients && access.sees($0) }
            .map(\.name)
        work += UInt64(min(table.all.count, GraphView.mostGuesses) / 8)
        error.hint = Spelling.hint(for: name, among: known)
        return error
    }

    /// Whether the log has not read everything that is stored yet, so that the graphs and their
    /// values are not known.
    public var isCatchingUp: Bool { health == .catchingUp }

    /// Reports an internal fault to the server's log, to which the returned error refers the
    /// client.
    ///
    /// Every `internal` error is made here.
    public func fault(_ what: String) -> HostError {
        HostError(
            .internalError,
            "the server has a fault; its log has the details under \(handlers.onFault(what))"
        )
    }

    /// The log's error as clients receive it.
    func answer(for error: HostError) -> HostError {
        guard error.code != .internalError, ErrorTable.knows(error.code.rawValue) else {
            return fault("the log: \(error.code.rawValue): \(error.message)")
        }
        return error
    }
}
