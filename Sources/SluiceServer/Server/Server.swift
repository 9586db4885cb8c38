internal import Definitions
public import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
public import Logging
internal import Support
internal import TLS

/// A server: its listeners, its connections, its graphs, on one loop.
///
/// It owns the parts and wires them. A process may have any number of servers, on the same loop or
/// on others. Invariants:
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

    /// The same with what exists only then.
    enum Phase {
        case starting
        case serving(MemoryCare)
        /// The timer ends what is still open, unless the server was stopped at once.
        case draining(MemoryCare?, LoopTimer?)
        case stopped
    }

    var phase = Phase.starting
    public let configuration: Configuration
    /// Called once, when the last connection of a draining server is gone.
    public var onStop: (() -> Void)?
    /// When it was made, in milliseconds since 1970.
    let since: Int64
    let log: Logger
    let clients: Clients
    let turns: Turns
    /// Where its connections meet.
    let hub: Hub
    /// What its routes work with.
    let service: Service
    /// Its listeners.
    let acceptor: Acceptor
    /// Reads what takes long to read of requests.
    private let pipelines: PipelineQueue
    /// Tests replace it.
    lazy var pressureFiles = PressureFiles(on: loop)
    private(set) var faults: UInt64 = 0

    /// A server that does not listen yet; the configuration says where commits are stored.
    ///
    /// - Throws: ``StartFailure`` if `dataDir` cannot be used.
    public convenience init(
        _ configuration: Configuration,
        on loop: Loop,
        log: Logger
    ) throws(StartFailure) {
        let store = try OpenStore.open(configuration, on: loop, log)
        self.init(configuration, store: store, on: loop, log: log)
    }

    /// The same with another store of commits.
    init(_ configuration: Configuration, store: OpenStore, on loop: Loop, log: Logger) {
        self.configuration = configuration
        since = loop.wallClock
        self.log = log
        let system = ExpressionSystem()
        pipelines = PipelineQueue(configuration, system, on: loop)
        let host = Host(
            store: store.commits,
            clock: LoopHostClock(loop),
            limits: SessionLimits(configuration),
            definitions: DefinitionOptions(configuration, system)
        )
        clients = Clients(of: host)
        turns = Turns(on: loop, host.activity)
        let credentials = Credentials(wrongTokens: configuration.fixed.wrongTokens)
        let codec = Codec(configuration, HTTP.Limits(configuration))
        hub = Hub(configuration, clients, turns, codec, credentials)
        let definitions = DefinitionQueue(configuration, system, on: loop)
        service = Service(
            configuration,
            log,
            looks: PastLooks(at: host, configuration, on: loop),
            definitions: definitions,
            files: GraphFiles(configuration, clients, turns, definitions, credentials, log),
            kept: KeptAccess(host, log),
            sinks: Sinks(configuration, clients, turns, log),
            upstreams: Upstreams(configuration, clients, turns, log),
            backup: store.backup
        )
        acceptor = Acceptor(configuration, hub, service, log)
        wireParts()
        wireHost()
    }

    public var loop: Loop { turns.loop }

    var host: Host { clients.host }

    public var state: State {
        switch phase {
        case .starting: .starting
        case .serving: .serving
        case .draining: .draining
        case .stopped: .stopped
        }
    }

    private func wireParts() {
        turns.onSecond = { [unowned hub, loop] in hub.codec.setDate(unixSeconds: loop.wallClock / 1000) }
        turns.onEnd = { [unowned self] in endTurn() }
        turns.onAlarm = { [unowned self] in
            if let handshakes = acceptor.tls?.handshakes, handshakes.isWaiting { handshakes.beginTurn() }
            hub.continueUnfinished()
            host.advance()
        }
        hub.onRemoval = { [unowned self] in
            memory?.noteFreed()
            if hub.connections.isEmpty { finishIfDrained() }
        }
        service.sinks.onIdle = { [unowned self] in finishIfDrained() }
        service.files.onRequest = { [unowned self] isDryRun, done in reload(dryRun: isDryRun, done) }
        service.onFreed = { [unowned self] in memory?.noteFreed() }
        service.appendMetrics = { [unowned self] access, out in
            memory?.countLeaks()
            Metrics.append(of: self, for: access, to: &out)
        }
    }

    private func wireHost() {
        host.service = configuration.service
        host.handlers.onLog = { [turns] in turns.begin() }
        host.pipelines.parseElsewhere = { [pipelines, turns] text, done in
            pipelines.parse(text) { result in
                turns.begin()
                done(result)
            }
        }
        host.handlers.upstreams = service.upstreams
        host.handlers.onDemand = { [unowned service] in service.upstreams.settle() }
        host.handlers.onFault = { [unowned self] in report($0) }
        host.handlers.onOrphans = { [unowned service] in service.files.report(orphans: $0) }
        host.handlers.onExpiredOrphan = { [log] graph, values in
            log.warning(
                "an orphan was removed at the end of its time (orphanExpiry)",
                metadata: ["graph": "\(graph)", "values": "\(values)"]
            )
        }
        host.expireOrphans(after: UInt64(configuration.orphanExpiry.milliseconds))
        host.handlers.onMissed = { [log] graph, node in
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

    /// The address it listens on; nil before ``start()`` and once it is draining.
    public var address: SocketAddress? { acceptor.listener.socket?.address }

    /// The address of the operations side, if it has its own; nil like ``address``.
    public var adminAddress: SocketAddress? { acceptor.adminListener?.socket?.address }

    /// The address as a URL; empty while the server does not listen.
    public var url: String { acceptor.listener.url(usesTLS: configuration.usesTLS) }

    /// The same for the operations side; empty if it has no listener of its own.
    public var adminURL: String { acceptor.adminListener?.url(usesTLS: configuration.usesTLS) ?? "" }

    public var connectionCount: Int { hub.connections.count }

    // MARK: - Turns

    /// Sends sessions their changes, and passes all collected bytes to the kernel.
    func endTurn() {
        guard turns.isOpen else { return }
        turns.activity.note(.delivery)
        service.sinks.followChanges()
        if service.kept.follow() { service.files.reviseAccess {} }
        service.upstreams.followChanges()
        let delivered = host.applied == turns.times.commitsBefore ? 0 : OwnProcess.nanoseconds
        hub.flush()
        // Flushing may have ended the last connection of a stopping server, and with it the turn.
        guard turns.isOpen else { return }
        let began = turns.close()
        acceptor.tls?.handshakes.endTurn()
        let ended = OwnProcess.nanoseconds
        hub.deadlines.excuse((ended - began) / 1_000_000)
        turns.times.endTurn(
            from: began,
            delivering: delivered,
            to: ended,
            requests: hub.traffic.requests,
            commits: host.applied,
            lateCommits: delivered == 0 ? [] : host.takeLateCommits()
        )
        let isUnfinished = hub.isUnfinished || acceptor.tls?.handshakes.isWaiting == true
        if let next = isUnfinished ? loop.now : host.nextDeadline { turns.wake(at: next) }
    }
}
