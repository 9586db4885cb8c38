internal import DequeModule
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import TLS

/// Where the connections of a server meet: the list of them, and what they share.
///
/// Invariants:
/// - `connections` has every open connection at the place it knows itself (`Connection.place`), and
///   holds it.
/// - At the end of each turn every connection has passed what it collected to the kernel.
final class Hub {
    let turns: Turns
    let clients: Clients
    let times: Milliseconds
    /// What connections read and write with.
    let codec: Codec
    /// The tokens of clients.
    let credentials: Credentials
    let addresses: AddressCounts
    let deadlines: Deadlines
    let sendBuffers = SendBufferPool()
    var slowPeers: SlowPeers
    var traffic = Traffic()
    /// nil if the configuration wants none.
    var audit: Audit?
    /// Whether the server is about to stop.
    var isDraining = false
    /// Refused connections that are completing their handshake.
    var refusing = 0
    /// Called when a connection is gone.
    var onRemoval: () -> Void = {}

    var host: Host { clients.host }

    private(set) var connections: ContiguousArray<Connection> = []
    /// Those that have collected bytes in this turn.
    private var waiting: ContiguousArray<Connection> = []
    /// Those that have used their share of this turn.
    private var unfinished: Deque<HTTPConnection> = []
    private var isFlushing = false
    /// The connection that is collecting bytes while sessions are flushed.
    private var writing: Connection?
    private var ticker: PolledTimer?

    init(
        _ configuration: Configuration,
        _ clients: Clients,
        _ turns: Turns,
        _ codec: Codec,
        _ credentials: Credentials
    ) {
        (self.clients, self.turns, self.codec, self.credentials) = (clients, turns, codec, credentials)
        times = Milliseconds(configuration)
        addresses = AddressCounts(most: configuration.connectionsPerAddress)
        // Two of the largest requests always have room.
        let largest = max(codec.limits.headBytes + configuration.body, configuration.message)
        slowPeers = SlowPeers(limit: max(configuration.held, 2 * largest))
        deadlines = Deadlines(shortest: times.shortest, now: turns.loop.now)
    }

    var loop: Loop { turns.loop }

    /// Opens the handle that drives the deadlines.
    func start() throws(UVError) {
        ticker = try PolledTimer(on: loop) { [unowned self] in
            turns.begin()
            deadlines.advance(to: loop.now)
        }
        deadlines.onNext = { [unowned self] time in
            ticker?.start(after: .milliseconds(Int64(time > loop.now ? time - loop.now : 0)))
        }
    }

    func stop() {
        ticker = nil
    }

    // MARK: - The list

    func add(_ connection: Connection) {
        connection.place = Int32(connections.count)
        connections.append(connection)
    }

    /// Another connection takes over the socket.
    func replace(_ old: Connection, by new: Connection) {
        new.place = old.place
        connections[Int(old.place)] = new
        old.place = -1
    }

    func remove(_ connection: Connection) {
        guard connection.place >= 0 else { return }
        let last = connections.removeLast()
        if last !== connection {
            last.place = connection.place
            connections[Int(last.place)] = last
        }
        connection.place = -1
        if writing === connection { writing = nil }
        if let address = connection.countedAddress { addresses.forget(address) }
        onRemoval()
    }

    // MARK: - Writing

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

    /// Sends what this turn has for its clients, and ends connections of principals above their
    /// limit.
    func flush() {
        flushOnce()
        while slowPeers.isExceeded {
            while let next = slowPeers.next() { next.endAboveLimit() }
            flushOnce()
        }
        codec.compression.endTurn()
    }

    @inline(__always)
    private func flushOnce() {
        oneAtATime { host.flush() }
        // Flushing may close connections, which may write to others.
        var flushed = 0
        while flushed < waiting.count {
            waiting[flushed].flushQueued()
            flushed += 1
        }
        if flushed > 0 { waiting.removeAll(keepingCapacity: true) }
    }

    // MARK: - Shares of turns

    /// A connection has used its share of this turn, and continues in the next one.
    func continueNextTurn(_ connection: HTTPConnection) {
        unfinished.append(connection)
    }

    /// Whether a connection waits for the next turn.
    var isUnfinished: Bool { !unfinished.isEmpty }

    /// The next turn has begun.
    func continueUnfinished() {
        // A connection that must wait again goes to the end of the queue.
        var count = unfinished.count
        while count > 0, !host.isCrowded, let next = unfinished.popFirst() {
            count -= 1
            next.continueRequests()
        }
    }
}
