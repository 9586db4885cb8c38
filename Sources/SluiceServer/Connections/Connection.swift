internal import EventLoop
internal import Sessions
internal import Support
internal import TLS

/// One peer's socket, whatever its protocol: bytes to write, its deadline, and its end.
///
/// Invariants:
/// - The list of ``Hub`` holds every open connection. Its session holds it too, until that is
///   closed; everything else for a turn or two at most.
/// - Bytes leave in the order in which they were put into the buffer. While the kernel has not
///   taken all earlier bytes (`isBehind`), new bytes are only collected.
/// - `ended(_:)` is called exactly once, in the loop turn in which the socket is closed, by
///   whichever side.
class Connection: ConnectionDelegate {
    // The properties that every delivery touches come first and fit into one or two cache lines.

    /// What it shares with the server's other connections; outlives it.
    unowned final let hub: Hub
    final private(set) var socket: Transport?
    private final var sendBuffer: SendBuffer?
    /// Its index in the list of ``Hub``.
    final var place: Int32 = -1
    private final var isQueued = false
    /// Whether the kernel has not taken all bytes yet.
    final private(set) var isBehind = false
    /// Whether the last bytes were written and only the peer's end is awaited.
    final private(set) var isLingering = false
    /// The number of its list in `Deadlines`; 0: none.
    final var slot: UInt8 = 0

    /// Its number in the server, never reused.
    final let number: UInt64
    /// When it was accepted, milliseconds since 1970.
    final let since: Int64
    private final var details: Details?

    /// What few connections have.
    private final class Details {
        var countedAddress: String?
        var client: IPAddress?
        /// The address at the other end, once it was asked for.
        var peer: IPAddress??
        var slowPeer: SlowPeer?
        /// The client whose answers are still unread, once another client uses the connection or
        /// the session has ended.
        var formerName: String?
        /// The sizes of the buffers that the socket is writing.
        var keptBytes = 0
        /// The bytes of a message or a body that is not complete.
        var unfinishedBytes = 0
        /// The bytes that the kernel had not taken at the last check.
        var owedBytes = 0
    }

    /// The client's address for `limits.connectionsPerAddress`; nil if there is no such limit, and
    /// behind a proxy before the first request.
    final var countedAddress: String? {
        get { details?.countedAddress }
        set { if newValue != nil || details != nil { neededDetails.countedAddress = newValue } }
    }
    /// The client, if a trusted proxy names it.
    final var client: IPAddress? {
        get { details?.client }
        set { if newValue != nil || details != nil { neededDetails.client = newValue } }
    }

    private final var neededDetails: Details {
        let needed = details ?? Details()
        details = needed
        return needed
    }

    /// The address of the client, or of a proxy that does not name it; nil for Unix sockets.
    final var address: IPAddress? { client ?? peer }

    /// The same as limits of clients distinguish it.
    final var networkPlace: NetworkPlace? { address?.site }

    /// The address at the other end of the socket; nil for Unix sockets.
    final var peer: IPAddress? {
        if let known = details?.peer { return known }
        let address = socket?.socket.peerAddress.flatMap { IPAddress($0.host) }
        details?.peer = .some(address)
        return address
    }

    final var deadline: UInt64 = .max
    // Its links in `Deadlines`.
    unowned final var nextTimed: Connection?
    unowned final var previousTimed: Connection?

    /// A connection on a socket that was just accepted.
    init(hub: Hub, number: UInt64, socket: Transport) {
        self.hub = hub
        self.number = number
        since = hub.loop.wallClock
        self.socket = socket
        socket.setDelegate(self)
        hub.add(self)
    }

    /// Takes over the socket, the number and the index of another connection, which ends: the
    /// upgrade.
    init(replacing other: Connection) {
        hub = other.hub
        number = other.number
        other.forgetHeld()
        details = other.details
        since = other.since
        socket = other.socket
        sendBuffer = other.sendBuffer
        isBehind = other.isBehind
        other.sendBuffer = nil
        other.socket = nil
        hub.deadlines.remove(other)
        hub.replace(other, by: self)
        socket?.setDelegate(self)
    }

    // MARK: - Writing

    /// Bytes that the kernel has not taken yet.
    final var unsentBytes: Int {
        if sendBuffer == nil, !isBehind { return 0 }
        let waiting = sendBuffer?.buffer.count ?? 0
        return isBehind ? waiting + (socket?.queuedBytes ?? 0) : waiting
    }

    /// Collects bytes for the peer; they are sent by the next ``flush()``, at the latest at the end
    /// of the loop turn.
    @inline(__always)
    final func write(_ build: (inout ByteBuffer) -> Void) {
        guard socket != nil, !isLingering else { return }
        let sendBuffer = self.sendBuffer ?? open()
        build(&sendBuffer.buffer)
        if isBehind { noteHeld() }
    }

    private final func open() -> SendBuffer {
        let hub = hub
        // First: it may flush this very connection, which would give an empty buffer back, and
        // what is then written into it would go to the connection that takes it next.
        if !isQueued, hub.willWrite(self) { isQueued = true }
        let sendBuffer = hub.sendBuffers.take()
        self.sendBuffer = sendBuffer
        return sendBuffer
    }

    /// Writes bytes directly to the kernel, without a buffer: for messages that many clients get
    /// alike.
    ///
    /// - Returns: false, with nothing written, if other bytes wait or the connection uses TLS.
    @inline(__always)
    final func writeAtOnce(_ bytes: BorrowedBytes) -> Bool {
        guard sendBuffer == nil, !isBehind, !isLingering, let plain = socket?.plain else { return false }
        let taken = plain.tryWrite(bytes)
        hub.traffic.sentBytes &+= UInt64(bytes.count)
        if taken < bytes.count { keep(bytes.part(taken...)) }
        return true
    }

    /// Queues a copy of the bytes that the kernel did not take.
    @inline(never)
    private final func keep(_ rest: BorrowedBytes) {
        let sendBuffer = hub.sendBuffers.take()
        sendBuffer.buffer.append(rest)
        isBehind = true
        socket?.write(sendBuffer.buffer.bytes, keptBy: sendBuffer)
        fellBehind(keeping: rest.count)
    }

    /// Called by ``Hub`` when it removes the connection from its list.
    final func flushQueued() {
        isQueued = false
        flush()
    }

    /// Passes the collected bytes to the kernel.
    final func flush() {
        guard !isBehind, let socket, let bytes = sendBuffer?.buffer.bytes else { return }
        let hub = hub
        let taken = socket.tryWrite(bytes)
        hub.traffic.sentBytes &+= UInt64(bytes.count)
        if taken == bytes.count {
            isBehind = socket.holdsBytes
            if let sent = sendBuffer.take() { hub.sendBuffers.give(sent) }
            if isBehind { fellBehind(keeping: 0) } else { details?.formerName = nil }
        } else if let sendBuffer = sendBuffer.take() {
            isBehind = true
            socket.write(bytes.part(taken...), keptBy: sendBuffer)
            fellBehind(keeping: bytes.count)
        }
    }

    /// The kernel has not taken all bytes; a buffer of so many is kept until it has.
    private final func fellBehind(keeping bytes: Int) {
        let details = neededDetails
        details.owedBytes = socket?.queuedBytes ?? 0
        details.keptBytes += bytes
        noteHeld()
    }

    /// So many bytes wait for the end of a message or of a body.
    ///
    /// Less than a connection takes anyway is not counted.
    @inline(__always)
    final func noteUnfinished(_ bytes: Int) {
        guard bytes >= Self.leastNoted || (details?.unfinishedBytes ?? 0) != 0 else { return }
        neededDetails.unfinishedBytes = bytes
        noteHeld()
    }

    private static var leastNoted: Int { 1024 }

    /// What it holds because of its peer counts for its principal; for the address of a client
    /// without a name only what that client sends, because each such client has its own share of
    /// what it does not read.
    @inline(never)
    final func noteHeld() {
        guard let socket else { return }
        var bytes = isLingering ? 0 : (details?.unfinishedBytes ?? 0) + pendingBytes
        if bytes < Self.leastNoted { bytes = 0 }
        let former = details?.formerName.map(SlowPeers.Owner.principal)
        let owner = bytes == 0 && !isBehind ? nil : former ?? holder
        if isBehind, case .principal = owner {
            bytes += max(details?.keptBytes ?? 0, socket.queuedBytes) + waitingBytes
        }
        if bytes > 0, let owner {
            let details = neededDetails
            details.slowPeer = hub.slowPeers.note(details.slowPeer, of: self, for: owner, bytes: bytes)
        } else if let peer = details?.slowPeer.take() {
            hub.slowPeers.remove(peer)
        }
    }

    /// Remembers a client whose session ends, or whose connection another client uses next: its
    /// unread answers still count for it.
    final func keepName(_ name: String?) {
        if let name { neededDetails.formerName = name }
    }

    /// The connection ends, or another one takes its place.
    private final func forgetHeld() {
        guard let details else { return }
        details.unfinishedBytes = 0
        if let peer = details.slowPeer.take() { hub.slowPeers.remove(peer) }
    }

    /// Whether the peer has taken bytes since the last call, or since they were written.
    ///
    /// A peer that reads slowly is not gone.
    final func isTaking() -> Bool {
        guard isBehind, let socket else { return false }
        let (before, now) = (neededDetails.owedBytes, socket.queuedBytes)
        neededDetails.owedBytes = now
        return now < before
    }

    /// Runs `body`, after which the caller calls ``flush()``: its writes need not be noted for the
    /// end of the turn.
    @inline(__always)
    final func beforeFlush(_ body: () -> Void) {
        let was = isQueued
        isQueued = true
        body()
        isQueued = was
    }

    /// The kernel has taken all queued bytes: continues sending.
    final func wroteAll() {
        hub.turns.begin()
        isBehind = false
        if let details {
            details.keptBytes = 0
            if sendBuffer == nil { details.formerName = nil }
            if details.slowPeer != nil { noteHeld() }
        }
        flush()
        guard !isBehind else { return }
        if isLingering, socket?.isPeerClosed == true { return close() }
        drained()
    }

    // MARK: - Ending

    /// Closes gracefully: sends what was written, then ends the stream and discards what the peer
    /// still sends.
    ///
    /// The socket is closed when the peer ends it too, or when the peer has taken nothing for the
    /// close timeout.
    final func closeAfterWriting() {
        guard let socket, !isLingering else { return }
        if let sendBuffer {
            flush()
            if self.sendBuffer != nil {
                self.sendBuffer = nil
                socket.write(sendBuffer.buffer.bytes, keptBy: sendBuffer)
                fellBehind(keeping: sendBuffer.buffer.count)
            }
        }
        isLingering = true
        forgetRequests()
        if details?.slowPeer != nil { noteHeld() }
        socket.shutdown()
        if socket.isPeerClosed, !isBehind { return close() }
        socket.resumeReading()
        hub.deadlines.set(self, at: hub.loop.now + hub.times.fixed.close)
    }

    /// The close timeout has passed.
    final func endLingering() {
        guard isTaking() else { return close() }
        hub.deadlines.set(self, at: hub.loop.now + hub.times.fixed.close)
    }

    final func close() {
        socket?.close()
    }

    /// Closes at once, with a reset: for peers that do not read.
    final func reset() {
        forgetHeld()
        socket?.reset()
    }

    final func received(_ bytes: BorrowedBytes) {
        let hub = hub
        hub.turns.begin()
        hub.turns.activity.note(.request, connection: number)
        hub.traffic.receivedBytes &+= UInt64(bytes.count)
        guard !isLingering else { return }
        receive(bytes)
    }

    final func peerClosed() {
        hub.turns.begin()
        guard isLingering else { return peerEnded() }
        // A peer that has ended its side may still read.
        if !isBehind { close() }
    }

    final func closed(error: UVError?) {
        hub.turns.begin()
        hub.turns.activity.note(.release, connection: number)
        hub.deadlines.remove(self)
        // Kept alive by its own socket's call until this returns.
        hub.remove(self)
        forgetHeld()
        socket = nil
        sendBuffer = nil
        ended(error)
    }

    // MARK: - What the protocols decide

    var transport: SpokenTransport { .http }

    /// Its name there; sessions have names of their own.
    var name: String { "h:\(number)" }

    /// Bytes from the peer have arrived.
    func receive(_ bytes: BorrowedBytes) {}

    func peerEnded() { close() }

    /// The kernel has taken everything.
    func drained() {}

    /// The deadline has come.
    func expire(now: UInt64) {
        if isLingering { endLingering() }
    }

    func endByOperator() { close() }

    /// Whose share of memory it uses; nil: it is not known yet.
    var holder: SlowPeers.Owner? { .address(address) }

    /// The bytes of its peer's requests that wait to be performed or answered.
    var pendingBytes: Int { 0 }

    /// The bytes for its peer that the socket does not have yet.
    var waitingBytes: Int { sendBuffer?.buffer.count ?? 0 }

    /// No request is read or performed any more.
    func forgetRequests() {}

    /// Its peer does not read, or send to the end, and its owner's together hold too much.
    func endSlow() { reset() }

    /// The same, called by ``Hub``; it holds nothing any more.
    final func endAboveLimit() {
        forgetHeld()
        endSlow()
    }

    /// The server is about to stop: end as soon as possible without losing an answer.
    func drain(after milliseconds: Int) {}

    /// The socket is closed.
    func ended(_ error: UVError?) {}
}
