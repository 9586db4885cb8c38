public import EventLoop
internal import GraphHost
internal import HTTP
public import Logging

/// A server: its socket, its connections, its graphs, on one loop.
///
/// A process may have any number of servers, on the same loop or on others. Invariants:
/// - `connections` has every open connection at the place it knows itself (`Connection.place`), and holds it.
/// - Whatever the turn brought, at its end the host has told every session what changed, and every connection
///   has given what it collected to the kernel.
/// - `drain` and `stop` may be called at any time, and again.
public final class Server {
    /// Where a server stands in its life; it goes through these in order.
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

    /// Where it stands.
    @exclusivity(unchecked) public private(set) var state = State.starting
    /// What it was told.
    public let configuration: Configuration
    /// The loop it lives on.
    public let loop: Loop
    /// Called once, when the last connection of a draining server is gone.
    public var onStop: (() -> Void)?

    let log: Logger
    let host: Host
    /// Where clients come in.
    let door: Door
    /// Where the operations side does, if that has a listener of its own.
    let adminDoor: Door?
    let originCheck: OriginCheck
    let proxies: TrustedProxies
    /// Knows tokens; nil where nobody has to show one.
    private(set) var authenticator: Authenticator?
    let cors: CORS
    let parserLimits: HTTP.Limits
    let times: Milliseconds
    let pendingBytes: Int
    let outboxes = OutboxPool()
    let sharedFrame = SharedFrame()
    let setAnswer = SetAnswer()
    let assemblers: AssemblerPool
    let compressionCounters = CompressionCounters()
    /// For connections whose compressed messages stand by themselves; nil where compression is off.
    let sharedCompression: Compression?
    private let inflaters = InflaterPool()
    let deadlines: Deadlines
    private(set) var files: StaticFiles?
    private var mounts: [Mount] = []
    private(set) var dashboards: Dashboards?
    /// Which file owns which graph; all others belong to the API.
    var fileOwners: [String: String] = [:]
    /// What was read last of those files, by their paths.
    var knownTexts: [String: KnownText] = [:]
    /// The reload that goes on, and who wants another one behind it.
    var reloading: Reloading?
    var reloadRequests: [(ReloadReport) -> Void] = []
    private var watch: FolderWatch?
    @exclusivity(unchecked) var encoder = ResponseEncoder()

    @exclusivity(unchecked) private(set) var connections: ContiguousArray<Connection> = []
    private var addresses: [String: Int] = [:]
    private var lastNumber: UInt64 = 0

    @exclusivity(unchecked) var requests: UInt64 = 0
    @exclusivity(unchecked) var refusals: UInt64 = 0
    @exclusivity(unchecked) var receivedBytes: UInt64 = 0
    @exclusivity(unchecked) var sentBytes: UInt64 = 0
    private(set) var accepted: UInt64 = 0
    private(set) var turnedAway: UInt64 = 0
    /// Mistakes of the server's own.
    private(set) var faults: UInt64 = 0
    /// Connections there is no room for that are being told so.
    var refusing = 0

    private var listener: TCPListener?
    private var adminListener: TCPListener?
    /// What tells of shortage of memory; tests put another in its place.
    var openPressure: OpenPressure = Server.kernelPressure
    private(set) var pressure: AnyObject?
    private var tls: TLSContext?
    private let plaintext = PlaintextRoom()
    private(set) var tlsFailures: UInt64 = 0
    private var turnEnd: TurnEnd?
    private var ticker: PolledTimer?
    private var hostTimer: Timer?
    private var hostDeadline: UInt64 = .max
    private var drainTimer: Timer?
    @exclusivity(unchecked) private var waiting: ContiguousArray<Connection> = []
    private var unfinished: [HTTPConnection] = []
    @exclusivity(unchecked) private var hasWork = false
    @exclusivity(unchecked) private var isFlushing = false
    /// Not retained: it is in the list of connections, and whoever leaves that is none any more.
    @exclusivity(unchecked) private var writing: Unmanaged<Connection>?
    @exclusivity(unchecked) private var encodedSecond: UInt64 = .max

    /// A server that has read nothing and listens nowhere yet; its graphs live in memory.
    public convenience init(_ configuration: Configuration, on loop: Loop, log: Logger) {
        self.init(configuration, commits: MemoryLog(epoch: Epoch.make()), on: loop, log: log)
    }

    /// The same with graphs whose commits go through `commits`.
    init(_ configuration: Configuration, commits: any CommitLog, on loop: Loop, log: Logger) {
        self.configuration = configuration
        self.loop = loop
        self.log = log
        let limits = configuration.limits
        host = Host(
            log: commits,
            clock: LoopHostClock(loop),
            limits: SessionLimits(configuration),
            definitions: DefinitionOptions(configuration)
        )
        let admin = configuration.separateAdmin
        door = Door(admin == nil ? .everything : .service, at: configuration.listen, configuration)
        adminDoor = admin.map { Door(.operations, at: $0, configuration) }
        proxies = TrustedProxies(configuration.trustedProxies, reading: configuration.proxyHeaders)
        cors = CORS(configuration.cors)
        originCheck = OriginCheck(isSecure: configuration.tls != nil, allowed: configuration.origins)
        parserLimits = HTTP.Limits(
            targetBytes: limits.target,
            headerBytes: limits.headers,
            headerFields: limits.fields,
            bodyBytes: limits.body,
            otherBody: HTTP.Limits.OtherBody(method: .put, folder: "/v1/graphs/", bytes: limits.definition)
        )
        times = Milliseconds(configuration)
        assemblers = AssemblerPool(limitBytes: limits.message)
        sharedCompression =
            configuration.compression == .off ? nil : Compression(sharedBy: compressionCounters)
        pendingBytes = limits.pendingBytes
        deadlines = Deadlines(shortest: times.shortest, now: loop.now)
        host.onLog = { [unowned self] in beginTurn() }
        host.onFault = { [unowned self] in report($0) }
    }

    /// Writes a mistake of the server's own into the log.
    ///
    /// Returns the word under which it is found there, which is what clients are told.
    private func report(_ fault: String) -> String {
        faults += 1
        let id = RandomWord.make(letters: 8)
        log.error("internal", metadata: ["id": "\(id)", "fault": "\(fault)"])
        return id
    }

    /// Where it listens; nil before ``start()`` and after the drain has begun.
    public var address: SocketAddress? { listener?.address }

    /// Where the operations side listens, if that is not the same; nil as ``address`` is.
    public var adminAddress: SocketAddress? { adminListener?.address }

    /// The address as a browser takes it; empty while nothing is listened on.
    public var url: String { url(of: address) }

    /// The same of the operations side; empty where that has no listener of its own.
    public var adminURL: String { url(of: adminAddress) }

    private func url(of address: SocketAddress?) -> String {
        guard let address else { return "" }
        if address.family == .unix { return address.description }
        let scheme = configuration.tls == nil ? "http" : "https"
        let isAny = address.host == "0.0.0.0" || address.host == "::"
        return isAny ? "\(scheme)://localhost:\(address.port)" : "\(scheme)://\(address)"
    }

    /// How many connections are open.
    public var connectionCount: Int { connections.count }

    // MARK: - Starting

    /// Reads the graphs and begins to listen.
    ///
    /// - Throws: ``StartFailure`` with everything that is wrong; nothing is listening then.
    public func start() throws(StartFailure) {
        precondition(state == .starting, "a server is started once")
        if let sentence = SelfTest.run() { throw StartFailure([sentence]) }
        let refusals = [door, adminDoor].compactMap { $0?.refusal(configuration) }
        guard refusals.isEmpty else { throw StartFailure(refusals) }
        try openTokens()
        try openFiles()
        try openCertificate()
        try loadGraphs()
        listener = try listen(at: door)
        if let adminDoor { adminListener = try listen(at: adminDoor) }
        do throws(UVError) {
            try setTurns()
            try watchFolder()
        } catch {
            throw StartFailure(["no timers: \(error)"])
        }
        pressure = openMemoryPressure()
        state = .serving
        log.info(
            "serving",
            metadata: [
                "listen": "\(address?.description ?? "")",
                "admin": "\((adminAddress ?? address)?.description ?? "")",
                "graphs": "\(host.graphs.count)",
            ]
        )
    }

    private func openFiles() throws(StartFailure) {
        for (path, folder) in configuration.mounts.compactMap(Mount.parse) {
            guard let files = StaticFiles(folder: folder) else {
                throw StartFailure(["mounts: there is no folder '\(folder)'"])
            }
            mounts.append(Mount(path: path, files: files))
        }
        // Of two that fit, the longer path is meant.
        mounts.sort { $0.path.utf8.count > $1.path.utf8.count }
        if !configuration.dashboards.isEmpty, let files = StaticFiles(folder: configuration.dashboards) {
            dashboards = Dashboards(configuration.dashboards)
            mounts.append(Mount(path: Dashboards.path, files: files))
        }
        guard !configuration.publicFolder.isEmpty else { return }
        files = StaticFiles(folder: configuration.publicFolder)
        if files == nil {
            throw StartFailure(["public: there is no folder '\(configuration.publicFolder)'"])
        }
    }

    /// The folder that a path lies in, and the path within it.
    func folder(of path: UnsafeRawBufferPointer) -> (files: StaticFiles, path: UnsafeRawBufferPointer)? {
        for mount in mounts {
            if let suffix = mount.suffix(of: path) { return (mount.files, suffix) }
        }
        return files.map { ($0, path) }
    }

    private func openTokens() throws(StartFailure) {
        guard !configuration.auth.isEmpty else { return }
        authenticator = try Authenticator(
            file: configuration.auth,
            sessionLife: UInt64(configuration.times.session.milliseconds),
            mostSessions: configuration.limits.sessions
        )
        guard configuration.tls == nil else { return }
        for endpoint in [door, adminDoor].compactMap({ $0?.endpoint }) where !endpoint.isLoopback {
            log.warning(
                "tokens travel unencrypted: no TLS is configured",
                metadata: ["listen": "\(endpoint)"]
            )
        }
    }

    /// The access that a token grants.
    ///
    /// - Throws: `unauthenticated`, `token_expired`.
    func access(token: String) throws(HostError) -> Access {
        guard let authenticator else { return door.openAccess }
        var token = token
        let now = UInt64(max(0, loop.wallClock))
        switch token.withUTF8({ authenticator.principal(token: UnsafeRawBufferPointer($0), at: now) }) {
        case .known(let principal): return Access(principal)
        case .expired: throw HostError(.tokenExpired, "the token has ended")
        case .unknown: throw HostError(.unauthenticated, "this token is not known")
        }
    }

    /// Reads the file of tokens again: open sessions go on with what their principal may do now, or are closed.
    ///
    /// - Returns: what is wrong with the file; the old tokens stay then.
    func reloadTokens() -> [FileProblem] {
        guard let authenticator else { return [] }
        do throws(StartFailure) {
            try authenticator.read(file: configuration.auth)
            log.info("tokens read again", metadata: ["auth": "\(configuration.auth)"])
        } catch {
            return error.problems.map { $0.with(remark: "the old tokens stay") }
        }
        beginTurn()
        host.reviseAccess { principal in authenticator.principal(like: principal).map(Access.init) }
        return []
    }

    private func openCertificate() throws(StartFailure) {
        guard configuration.certificate.isEmpty == configuration.key.isEmpty else {
            throw StartFailure(["tls.cert and tls.key belong together: one of them is missing"])
        }
        guard let files = configuration.tls else { return }
        do throws(TLSFailure) {
            tls = try TLSContext.server(certificate: files.certificate, key: files.key)
        } catch {
            throw StartFailure([error.description])
        }
    }

    private func loadGraphs() throws(StartFailure) {
        let reading = Reloading(self, ReloadReport()) { _ in }
        reading.run()
        guard reading.report.problems.isEmpty else { throw StartFailure(reading.report.problems) }
    }

    private func watchFolder() throws(UVError) {
        guard configuration.watch else { return }
        watch = try FolderWatch(configuration.graphs, on: loop) { [unowned self] in
            beginTurn()
            reload()
        }
    }

    private func listen(at door: Door) throws(StartFailure) -> TCPListener {
        let listener: TCPListener
        do throws(UVError) {
            listener = try TCPListener(door.endpoint, on: loop) { [unowned self, unowned door] in
                accept($0, at: door)
            }
        } catch {
            self.listener = nil
            throw StartFailure(["cannot listen on \(door.endpoint): \(error)"])
        }
        listener.onShortage = { [unowned self] count, error in
            turnedAway += UInt64(count)
            log.warning("cannot accept", metadata: ["turnedAway": "\(count)", "error": "\(error)"])
        }
        return listener
    }

    private func setTurns() throws(UVError) {
        turnEnd = try TurnEnd(on: loop) { [unowned self] in endTurn() }
        ticker = try PolledTimer(on: loop) { [unowned self] in
            beginTurn()
            deadlines.advance(to: loop.now)
        }
        hostTimer = try Timer(on: loop) { [unowned self] in
            hostDeadline = .max
            beginTurn()
            goOn()
            host.advance()
        }
        hostTimer?.keepsLoopAlive = false
        hasWork = true
    }

    // MARK: - Connections

    private func accept(_ socket: TCPConnection, at door: Door) {
        beginTurn()
        accepted += 1
        socket.setNoDelay(true)
        guard connections.count - refusing < door.mostConnections else { return turnAway(socket) }
        // Behind a proxy it is the client that counts, whom the first request names.
        let isCounted =
            configuration.limits.connectionsPerAddress > 0 && door.side != .operations
            && !proxies.trusts(socket.peerAddress)
        let address = isCounted ? socket.peerAddress?.host ?? "" : nil
        if let address, !hasRoom(for: address) { return turnAway(socket) }
        lastNumber += 1
        guard let transport = secured(socket) else { return }
        let connection = HTTPConnection(server: self, door: door, number: lastNumber, socket: transport)
        if let address { _ = count(connection, as: address) }
    }

    private func hasRoom(for address: String) -> Bool {
        addresses[address, default: 0] < configuration.limits.connectionsPerAddress
    }

    /// Counts a connection for an address, and no longer for another; false where there is no room for it.
    func count(_ connection: Connection, as address: String) -> Bool {
        guard configuration.limits.connectionsPerAddress > 0, connection.countedAddress != address else {
            return true
        }
        if let former = connection.countedAddress { forget(former) }
        connection.countedAddress = nil
        guard hasRoom(for: address) else { return false }
        addresses[address, default: 0] += 1
        connection.countedAddress = address
        return true
    }

    /// The socket with TLS on it where that is configured; nil where OpenSSL has no memory for it.
    private func secured(_ socket: TCPConnection) -> Transport? {
        guard let tls else { return .plain(socket) }
        do throws(TLSFailure) {
            let session = try TLSSession(tls, outboxes: outboxes)
            let channel = SecureChannel(socket, session, room: plaintext, outboxes: outboxes)
            channel.onFailure = { [unowned self, unowned channel] in report($0, on: channel) }
            return .secure(channel)
        } catch {
            log.error("no TLS for a connection", metadata: ["error": "\(error)"])
            return nil
        }
    }

    private func report(_ failure: TLSFailure, on channel: SecureChannel) {
        tlsFailures += 1
        log.debug(
            "TLS ended a connection",
            metadata: ["peer": "\(channel.socket.peerAddress?.description ?? "")", "error": "\(failure)"]
        )
        guard failure.isPlainHTTP else { return }
        var out = ByteBuffer()
        Refusal(.badRequest, "this port speaks https, not http")
            .append(encoder, ResponseFraming(omitsBody: false, keepsAlive: false), to: &out)
        _ = channel.socket.tryWrite(out.bytes)
    }

    /// Reads certificate and key again: connections made from now on show the new ones.
    ///
    /// - Returns: what is wrong with them; the old ones stay then.
    func reloadCertificate() -> [FileProblem] {
        guard let files = configuration.tls else { return [] }
        do throws(TLSFailure) {
            tls = try TLSContext.server(certificate: files.certificate, key: files.key)
            log.info("certificate read again", metadata: ["certificate": "\(files.certificate)"])
        } catch {
            return [FileProblem("\(error); the old certificate stays")]
        }
        return []
    }

    /// There is no room for a connection.
    ///
    /// A few at a time are told so in the protocol they speak (``RefusedConnection``); the others at once, as far as the socket takes
    /// that, before they have said a word.
    private func turnAway(_ socket: TCPConnection) {
        turnedAway += 1
        if refusing < configuration.limits.refusals, let transport = secured(socket) {
            lastNumber += 1
            _ = RefusedConnection(server: self, number: lastNumber, socket: transport)
            return
        }
        if tls == nil {
            var out = ByteBuffer()
            RefusedConnection.problem.append(
                encoder,
                ResponseFraming(omitsBody: false, keepsAlive: false),
                to: &out
            )
            _ = socket.tryWrite(out.bytes)
        }
        socket.close()
    }

    /// Puts a new connection into the list.
    func add(_ connection: Connection) {
        connection.place = connections.count
        connections.append(connection)
        if connections.count == 1 {
            ticker?.start(every: .milliseconds(Int64(deadlines.tick)))
        }
    }

    /// The socket goes on as another connection.
    func replace(_ old: Connection, by new: Connection) {
        new.place = old.place
        connections[old.place] = new
        old.place = -1
    }

    /// Takes a connection whose socket is closed off the list.
    func remove(_ connection: Connection) {
        guard connection.place >= 0 else { return }
        let last = connections.removeLast()
        if last !== connection {
            last.place = connection.place
            connections[last.place] = last
        }
        connection.place = -1
        if let writing, writing.toOpaque() == Unmanaged.passUnretained(connection).toOpaque() {
            self.writing = nil
        }
        if let address = connection.countedAddress { forget(address) }
        if connections.isEmpty {
            ticker?.stop()
            if state == .draining { finish() }
        }
    }

    private func forget(_ address: String) {
        let count = addresses[address, default: 1] - 1
        addresses[address] = count > 0 ? count : nil
    }

    /// What compresses the messages of a connection that has agreed on it.
    func compression(_ agreement: DeflateAgreement) -> Compression? {
        if !agreement.serverKeepsContext, !agreement.clientKeepsContext,
            agreement.serverWindowBits ?? 15 == 15
        {
            return sharedCompression
        }
        return Compression(agreement, inflaters: inflaters, counters: compressionCounters)
    }

    /// Whether there is memory for a connection with contexts of its own.
    var hasRoomForContexts: Bool {
        compressionCounters.contextBytes + Compression.contextBytes(DeflateAgreement())
            <= configuration.limits.contextBytes
    }

    // MARK: - Turns

    /// Something happens: the clock of the answers is set, and the end of the turn has something to do.
    @inline(__always)
    func beginTurn() {
        guard !hasWork else { return }
        hasWork = true
        let second = loop.now / 1000
        if second != encodedSecond {
            encodedSecond = second
            encoder.date = HTTPDate(unixSeconds: loop.wallClock / 1000)
            setAnswer.forget()
        }
    }

    /// A connection begins to collect bytes.
    ///
    /// Returns whether it was put on the list for the end of the turn.
    ///
    /// While the host tells its sessions what changed, each gets its bytes out before the next one's turn
    /// comes: one outbox, warm in the caches, serves them all.
    @inline(__always)
    func willWrite(_ connection: Connection) -> Bool {
        if isFlushing {
            writing?.takeUnretainedValue().flush()
            writing = .passUnretained(connection)
            return false
        }
        waiting.append(connection)
        return true
    }

    private func endTurn() {
        guard hasWork else { return }
        isFlushing = true
        host.flush()
        writing?.takeUnretainedValue().flush()
        writing = nil
        isFlushing = false
        // Flushing may close connections, which may write to others.
        while !waiting.isEmpty {
            let connections = waiting
            waiting.removeAll(keepingCapacity: true)
            for connection in connections { connection.flushQueued() }
        }
        sharedCompression?.endTurn()
        hasWork = false
        setHostTimer()
    }

    /// A connection has had its share of this turn, and goes on in the next one.
    func goesOn(_ connection: HTTPConnection) {
        unfinished.append(connection)
    }

    private func goOn() {
        let connections = unfinished
        unfinished = []
        for connection in connections { connection.goOn() }
    }

    private func setHostTimer() {
        guard let next = unfinished.isEmpty ? host.nextDeadline : loop.now else { return }
        guard next < hostDeadline else { return }
        hostDeadline = next
        hostTimer?.start(after: .milliseconds(Int64(next > loop.now ? next - loop.now : 0)))
    }

    /// Why the log makes requests unwelcome; nil: it does not.
    ///
    /// A store that takes no commits for a moment is no reason to send the clients elsewhere.
    var unreadiness: HostError? {
        let lasts = loop.now - host.healthChangedAt >= times.outage
        return host.isCatchingUp || lasts ? host.health.refusal : nil
    }

    // MARK: - Ending

    /// Whether the server is about to stop.
    var isDraining: Bool { state == .draining || state == .stopped }

    /// Stops taking connections, tells sessions to come back later, lets requests finish; what is still open
    /// after the configured time is closed.
    public func drain() {
        guard state == .serving else { return }
        log.info("draining", metadata: ["connections": "\(connections.count)"])
        state = .draining
        listener = nil
        adminListener = nil
        beginTurn()
        var random = SystemRandomNumberGenerator()
        for connection in Array(connections) {
            // Spread out, so that all clients of a big server do not come back in the same second.
            connection.drain(after: Int.random(in: 200...3000, using: &random))
        }
        guard !connections.isEmpty else { return finish() }
        drainTimer = try? Timer(on: loop) { [unowned self] in stop() }
        drainTimer?.start(after: configuration.drain)
    }

    /// Ends politely the first time it is called, at once the second time: what a signal does.
    public func stopSoon() {
        if state == .draining { stop() } else { drain() }
    }

    /// Closes everything at once.
    public func stop() {
        guard state != .stopped else { return }
        listener = nil
        adminListener = nil
        state = .draining
        for connection in Array(connections) { connection.close() }
        finish()
    }

    private func finish() {
        guard state != .stopped, connections.isEmpty else { return }
        state = .stopped
        ticker = nil
        pressure = nil
        watch = nil
        reloading = nil
        reloadRequests = []
        hostTimer = nil
        drainTimer = nil
        // What the end of the turn still has to do, it does now.
        endTurn()
        turnEnd = nil
        log.info("stopped")
        onStop?()
    }
}

/// Why a server did not start: all problems.
public struct StartFailure: Error, CustomStringConvertible {
    /// The problems.
    public let problems: [FileProblem]

    init(_ problems: [FileProblem]) {
        self.problems = problems
    }

    init(_ sentences: [String]) {
        problems = sentences.map { FileProblem($0) }
    }

    public var description: String { problems.map(\.description).joined(separator: "\n") }
}
