internal import Commits
internal import Definitions
internal import DequeModule
public import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
public import Logging
internal import SQLiteLog
internal import Support
internal import TLS
internal import Values

/// A server: its socket, its connections, its graphs, on one loop.
///
/// A process may have any number of servers, on the same loop or on others. Invariants:
/// - `connections` has every open connection at the place it knows itself (`Connection.place`), and
///   holds it.
/// - At the end of each turn the host has sent every session what changed, and every connection has
///   passed what it collected to the kernel.
/// - `drain` and `stop` may be called at any time, and again.
public final class Server {
    public enum State: Sendable, Equatable {
        /// Made, not listening.
        case starting
        /// Taking connections.
        case serving
        /// Taking none, ending those there are.
        case draining
        /// Nothing is left.
        case stopped
    }

    public internal(set) var state = State.starting
    public let configuration: Configuration
    public let loop: Loop
    /// Called once, when the last connection of a draining server is gone.
    public var onStop: (() -> Void)?
    /// Called when a turn begins and the watchdog may be asleep.
    var onBusy: (() -> Void)?
    /// The loop's current activity.
    var activity: Activity { host.activity }
    /// How long clients wait.
    var loopTimes = LoopTimes()
    /// How many requests were answered, by status.
    private(set) var answers = ContiguousArray<UInt64>(repeating: 0, count: 600)

    /// When it was made, in milliseconds since 1970.
    let since: Int64
    let log: Logger
    let host: Host
    let clients: Clients
    /// The database for `GET /v1/backup`; nil if commits are not stored on a disk.
    let store: SQLiteLog?
    /// Looks at graphs as they were; nil where nothing is kept.
    let looks: PastLooks
    /// Reads what takes long to read of requests.
    private let pipelines: PipelineQueue
    /// Reads the definitions of clients and files.
    let definitions: DefinitionQueue
    let listener: HTTPListener
    /// The listener of the operations, if they have one of their own.
    let adminListener: HTTPListener?
    let folders = PublicFolders()
    /// The sites that may embed pages, as a header value.
    let frameAncestors: String
    let proxies: TrustedProxies
    /// Recognises tokens; nil if clients need none.
    var authenticator: Authenticator?
    var wrongTokens: WrongTokens
    let cors: CORS
    let parserLimits: HTTP.Limits
    /// The rows of the API, by the numbers of routes.
    let operations = Operation.all
    let times: Milliseconds
    let pendingBytes: Int
    let sendBuffers = SendBufferPool()
    var slowPeers: SlowPeers
    let sharedFrame = SharedFrame()
    let setAnswer = SetAnswer()
    let parsers: ParserPool
    let assemblers: AssemblerPool
    let compressionCounters = CompressionCounters()
    /// Compression for connections without context takeover; nil if compression is off.
    let sharedCompression: Compression?
    let inflaters = InflaterPool()
    let deadlines: Deadlines
    var dashboards: Dashboards?
    /// nil if the configuration wants none.
    var audit: Audit?
    private(set) var sinks: Sinks?
    private(set) lazy var acceptor = Acceptor(for: self)
    private(set) lazy var graphFiles = GraphFiles(of: self)
    var encoder = ResponseEncoder()

    var connections: ContiguousArray<Connection> = []

    var requests: UInt64 = 0
    var receivedBytes: UInt64 = 0
    var sentBytes: UInt64 = 0
    private(set) var faults: UInt64 = 0

    /// Tests replace it.
    lazy var pressureFiles = PressureFiles(on: loop)
    var pressure: AnyObject?
    var tls: TLSContext?
    /// nil without TLS.
    var handshakes: HandshakeQueue?
    var turnEnd: TurnEnd?
    var ticker: PolledTimer?
    var hostTimer: LoopTimer?
    var memoryReturn: MemoryReturn?
    var leakRounds: LeakRounds?
    private var hostDeadline: UInt64 = .max
    var drainTimer: LoopTimer?
    private var waiting: ContiguousArray<Connection> = []
    private var unfinished: Deque<HTTPConnection> = []
    private var hasWork = false
    private var isFlushing = false
    /// The connection that is collecting bytes while sessions are flushed.
    var writing: Connection?
    private var encodedSecond: UInt64 = .max
    /// What the sinks followed last.
    private var followed: (definitions: UInt64, isLeading: Bool)?

    /// A server that does not listen yet; the configuration says where commits are stored.
    ///
    /// - Throws: ``StartFailure`` if `dataDir` cannot be used.
    public convenience init(
        _ configuration: Configuration,
        on loop: Loop,
        log: Logger
    ) throws(StartFailure) {
        let store = try CommitStore.open(configuration, on: loop, log)
        self.init(configuration, store: store, on: loop, log: log)
    }

    /// The same with another store of commits.
    init(_ configuration: Configuration, store: CommitStore, on loop: Loop, log: Logger) {
        self.configuration = configuration
        self.loop = loop
        since = loop.wallClock
        self.log = log
        if case .log(let log) = store { self.store = log as? SQLiteLog } else { self.store = nil }
        let system = ExpressionSystem()
        pipelines = PipelineQueue(configuration, system, on: loop)
        host = Host(
            store: store,
            clock: LoopHostClock(loop),
            limits: SessionLimits(configuration),
            definitions: DefinitionOptions(configuration, system)
        )
        clients = Clients(of: host)
        looks = PastLooks(at: host, configuration, on: loop)
        definitions = DefinitionQueue(configuration, system, on: loop)
        let admin = configuration.separateAdmin
        let side = admin == nil ? HTTPListener.Side.everything : .service
        listener = HTTPListener(side, at: configuration.listen, configuration, folders)
        adminListener = admin.map { [folders] in HTTPListener(.operations, at: $0, configuration, folders) }
        proxies = TrustedProxies(configuration.trustedProxies, reading: configuration.proxyHeaders)
        cors = CORS(configuration.cors)
        frameAncestors = ContentPolicy.ancestors(configuration.frameAncestors)
        wrongTokens = WrongTokens(rate: configuration.fixed.wrongTokens)
        parserLimits = HTTP.Limits(configuration)
        times = Milliseconds(configuration)
        parsers = ParserPool(limits: parserLimits)
        assemblers = AssemblerPool(limitBytes: configuration.message)
        sharedCompression =
            configuration.compression == .off ? nil : Compression(sharedBy: compressionCounters)
        pendingBytes = configuration.fixed.session.pendingBytes
        // Two of the largest requests always have room.
        let largest = max(parserLimits.headBytes + configuration.body, configuration.message)
        slowPeers = SlowPeers(limit: max(configuration.held, 2 * largest))
        deadlines = Deadlines(shortest: times.shortest, now: loop.now)
        sinks = Sinks(self)
        host.onLog = { [unowned self] in beginTurn() }
        host.readElsewhere = { [unowned self] text, done in
            pipelines.read(text) { [unowned self] result in
                beginTurn()
                done(result)
            }
        }
        host.onFault = { [unowned self] in report($0) }
        host.onOrphans = { [unowned self] in graphFiles.report(orphans: $0) }
        host.onExpiredOrphan = { [log] graph, values in
            log.warning(
                "an orphan was removed at the end of its time (orphanExpiry)",
                metadata: ["graph": "\(graph)", "values": "\(values)"]
            )
        }
        host.expireOrphans(after: UInt64(configuration.orphanExpiry.milliseconds))
        host.onMissed = { [log] graph, node in
            log.warning(
                "clients still set a node that the definition does not have any more",
                metadata: ["graph": "\(graph)", "node": "\(node)"]
            )
        }
    }

    /// Writes an internal fault to the log, and returns the reference to the entry for the client.
    private func report(_ fault: String) -> String {
        faults += 1
        let id = RandomBytes.word(letters: 8)
        log.error("internal", metadata: ["id": "\(id)", "fault": "\(fault)"])
        return id
    }

    var listeners: [HTTPListener] { [listener] + (adminListener.map { [$0] } ?? []) }

    /// The address it listens on; nil before ``start()`` and once it is draining.
    public var address: SocketAddress? { listener.socket?.address }

    /// The address of the operations side, if it has its own; nil like ``address``.
    public var adminAddress: SocketAddress? { adminListener?.socket?.address }

    /// The address as a URL; empty while the server does not listen.
    public var url: String { listener.url(usesTLS: configuration.usesTLS) }

    /// The same for the operations side; empty if it has no listener of its own.
    public var adminURL: String { adminListener?.url(usesTLS: configuration.usesTLS) ?? "" }

    public var connectionCount: Int { connections.count }

    // MARK: - Turns

    /// Opens the handles that drive the turns: their end, the ticks of the deadlines, the host's
    /// next alarm.
    func setTurns() throws(UVError) {
        turnEnd = try TurnEnd(on: loop) { [unowned self] in endTurn() }
        ticker = try PolledTimer(on: loop) { [unowned self] in
            beginTurn()
            deadlines.advance(to: loop.now)
        }
        deadlines.onNext = { [unowned self] time in
            ticker?.start(after: .milliseconds(Int64(time > loop.now ? time - loop.now : 0)))
        }
        hostTimer = try LoopTimer(on: loop) { [unowned self] in
            hostDeadline = .max
            beginTurn()
            activity.note(.timers)
            continueUnfinished()
            host.advance()
        }
        hostTimer?.keepsLoopAlive = false
        memoryReturn = try MemoryReturn(on: loop)
        leakRounds = LeakRounds(of: self)
        beginTurn()
    }

    /// Called at the start of every event: sets the clock of answers, and makes the end of the turn
    /// do its work.
    @inline(__always)
    func beginTurn() {
        if !hasWork { openTurn() }
    }

    @inline(never)
    private func openTurn() {
        hasWork = true
        turnEnd?.isDue = true
        if activity.beginTurn(at: OwnProcess.nanoseconds) { onBusy?() }
        let second = loop.now / 1000
        if second != encodedSecond {
            encodedSecond = second
            encoder.date = HTTPDate(unixSeconds: loop.wallClock / 1000)
            setAnswer.forget()
        }
    }

    /// Runs `body`, in which each connection's bytes are written before the next connection
    /// starts, so one buffer, warm in the caches, serves them all.
    @inline(__always)
    func oneAtATime(_ body: () -> Void) {
        isFlushing = true
        body()
        writing?.flush()
        writing = nil
        isFlushing = false
    }

    /// A connection starts collecting bytes.
    ///
    /// - Returns: whether it was put on the list for the end of the turn.
    @inline(__always)
    func willWrite(_ connection: Connection) -> Bool {
        if isFlushing {
            writing?.flush()
            writing = connection
            return false
        }
        waiting.append(connection)
        return true
    }

    @inline(__always)
    func count(_ status: Status) {
        answers[min(Int(status.rawValue), 599)] &+= 1
    }

    /// Sends sessions their changes, and passes all collected bytes to the kernel.
    func endTurn() {
        guard hasWork else { return }
        activity.note(.delivery)
        leadSinks()
        let delivered = host.applied == loopTimes.commitsBefore ? 0 : OwnProcess.nanoseconds
        flush()
        if slowPeers.isExceeded { endSlowPeers() }
        sharedCompression?.endTurn()
        // Flushing may have ended the last connection of a stopping server, and with it the turn.
        guard hasWork else { return }
        hasWork = false
        handshakes?.endTurn()
        let began = activity.endTurn()
        loopTimes.endTurn(
            from: began,
            delivering: delivered,
            to: OwnProcess.nanoseconds,
            requests: requests,
            commits: host.applied,
            lateCommits: delivered == 0 ? [] : host.takeLateCommits()
        )
        setHostTimer()
    }

    /// Sends what this turn has for its clients.
    @inline(__always)
    private func flush() {
        oneAtATime { host.flush() }
        // Flushing may close connections, which may write to others.
        var flushed = 0
        while flushed < waiting.count {
            waiting[flushed].flushQueued()
            flushed += 1
        }
        if flushed > 0 { waiting.removeAll(keepingCapacity: true) }
    }

    /// Ends connections of principals above their limit, and sends what others get because of that.
    @inline(never)
    private func endSlowPeers() {
        while slowPeers.isExceeded {
            while let next = slowPeers.next() { next.endAboveLimit() }
            flush()
        }
    }

    /// Lets the sinks follow changes of the definitions, and of which server makes the ticks.
    @inline(__always)
    private func leadSinks() {
        let present = (definitions: host.definitionChanges, isLeading: host.isLeading)
        if let followed, followed == present { return }
        followed = present
        sinks?.follow()
    }

    /// A connection has used its share of this turn, and continues in the next one.
    func continueNextTurn(_ connection: HTTPConnection) {
        unfinished.append(connection)
    }

    private func continueUnfinished() {
        if let handshakes, handshakes.isWaiting { handshakes.beginTurn() }
        // A connection that must wait again goes to the end of the queue.
        var count = unfinished.count
        while count > 0, !host.isCrowded, let next = unfinished.popFirst() {
            count -= 1
            next.continueRequests()
        }
    }

    private func setHostTimer() {
        let isUnfinished = !unfinished.isEmpty || handshakes?.isWaiting == true
        guard let next = isUnfinished ? loop.now : host.nextDeadline else { return }
        guard next < hostDeadline else { return }
        hostDeadline = next
        hostTimer?.start(after: .milliseconds(Int64(next > loop.now ? next - loop.now : 0)))
    }

    /// Why the server should get no requests, or no changes; nil if it should.
    ///
    /// While the store takes no commits, reads go on, here as well as elsewhere. A graph that is
    /// not served here is a reason to send clients elsewhere: other servers may have it.
    func unreadiness(forWrites: Bool) -> HostError? {
        if isDraining { return .draining }
        if host.isCatchingUp || forWrites, let refusal = host.health.refusal { return refusal }
        let names = host.unbuilt
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
        let sentence = "not served here, because what is stored cannot be read: \(shown)"
        return HostError(.notReady, sentence, after: 10_000)
    }
}
