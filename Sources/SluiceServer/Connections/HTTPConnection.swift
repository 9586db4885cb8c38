internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import TLS
internal import Values

/// An HTTP/1.1 connection: bytes → requests → answers, in order.
///
/// All answers of one read are sent with one write. While a commit waits for the log, further
/// requests are not read; the same applies while a peer does not take its answers.
final class HTTPConnection: Connection {
    /// What becomes of the current request.
    enum State {
        /// There is none, or it is being answered: the next one is read.
        case reading
        /// It is answered later.
        case waiting(Wait)
        /// It is answered, but for the rest of the body, which is sent piece by piece.
        case sending(any AnswerBody)
        /// It was the last: the connection ends when all is written.
        case closing
        /// The socket belongs to another connection now.
        case upgraded
    }

    /// A request that is answered later.
    struct Wait {
        let number: UInt64
        /// The start of the turn in which it arrived; 0: the client asked to wait, so its duration
        /// does not count.
        let arrivedAt: UInt64
    }

    /// What a request waits for that ends with its client; only reading shows that it is gone.
    enum Held {
        /// The change of a node.
        case change(any HeldRequest)
        /// A past state.
        case past(PastLook)
        /// A commit that the request needs; stays until the request has been performed after it.
        case commit(CommitWait)
        /// Its token has been checked; stays while the request is performed after it.
        case checked(TokenOutcome)
    }

    /// What is read at present, and since when.
    private enum Reading {
        case nothing
        case head(since: UInt64)
        case body(since: UInt64)
    }

    private(set) var state = State.reading
    let parser: RequestParser
    /// The listener that accepted it.
    let listener: HTTPListener
    /// Bytes after a request that is not answered yet.
    private var saved = ByteBuffer()
    private var requests: UInt64 = 0
    /// What the peer says about the client of the current request if it is a trusted proxy; nil: it
    /// is none.
    var forwarding: Forwarding?
    /// The caller's rights for the current request.
    private(set) var access = Access.nobody
    /// The framing of the answer to the current request.
    var framing = ResponseFraming()
    private var reading = Reading.nothing
    /// How much of the present turn this client's requests have used.
    private var share = TurnShare()
    /// How often this client was refused because of limits.
    var refusals = LimitRefusals()
    /// This client has used its share of the turn: its next request waits for the next turn.
    private var isUnfinished = false
    /// The origin whose page may read the answer, if CORS is configured.
    private(set) var sharedWith: String?
    var held: Held?
    /// What the audit needs of the current request.
    var record: RequestRecord?

    init(hub: Hub, listener: HTTPListener, number: UInt64, socket: Transport) {
        self.listener = listener
        parser = hub.codec.parsers.take()
        let proxies = hub.codec.proxies
        if proxies.isOn, proxies.trusts(socket.socket.peerAddress) { forwarding = Forwarding() }
        super.init(hub: hub, number: number, socket: socket)
        let limit = socket.isSecure ? hub.times.fixed.handshake : hub.times.fixed.headers
        hub.deadlines.set(self, at: hub.loop.now + limit)
        if case .secure(let channel) = socket {
            // Called long before the socket can belong to another connection.
            channel.onEstablished = { [unowned self] in
                hub.deadlines.set(self, at: hub.loop.now + hub.times.fixed.headers)
            }
        }
        socket.resumeReading()
    }

    /// The number of the request that is answered later; 0: none.
    var waitingFor: UInt64 { if case .waiting(let wait) = state { wait.number } else { 0 } }

    /// Whether the peer is a trusted proxy.
    var isProxied: Bool { forwarding != nil }

    private var isClosing: Bool { if case .closing = state { true } else { false } }

    private var isUpgraded: Bool { if case .upgraded = state { true } else { false } }

    /// Whether a part of an answer is still to come.
    private var owesAnswer: Bool {
        switch state {
        case .waiting, .sending: true
        case .reading, .closing, .upgraded: false
        }
    }

    private var poll: (any HeldRequest)? { if case .change(let poll) = held { poll } else { nil } }

    // MARK: - Reading

    override func receive(_ bytes: BorrowedBytes) {
        guard !isClosing else { return }
        // TLS delivers everything it has decrypted, even while reading is paused. Later bytes must
        // not overtake those that wait.
        guard saved.isEmpty else { return keep(bytes) }
        var input = bytes
        process(&input)
    }

    private func process(_ input: inout BorrowedBytes) {
        while true {
            var isMore = false
            beforeFlush { isMore = step(&input) }
            if isUpgraded { return }
            if isMore, isClosing { return closeAfterWriting() }
            flush()
            if isMore { return setDeadline() }
            if socket == nil { return }
            // Bytes that the kernel took at once are no reason to wait.
            if waitingFor != 0 || isUnfinished || isBehind { break }
        }
        keep(input)
    }

    /// Keeps bytes until the request before them is answered.
    private func keep(_ bytes: BorrowedBytes) {
        saved.append(bytes)
        if mustPause { socket?.pauseReading() }
        setDeadline()
    }

    /// Whether to stop reading until an answer is sent.
    private var mustPause: Bool {
        // A client that waits for a change, or for the past, may disconnect meanwhile; only reading
        // shows that.
        if held != nil { return saved.count > hub.codec.pendingBytes }
        // Most clients send the next request after the answer: pausing and resuming would be
        // wasted.
        return waitingFor == 0 || !saved.isEmpty
    }

    /// Handles complete requests.
    ///
    /// - Returns: false if the rest of the input must wait.
    private func step(_ input: inout BorrowedBytes) -> Bool {
        let hub = hub
        while true {
            if waitingFor != 0 || isUnfinished || unsentBytes > hub.codec.pendingBytes { return false }
            if case .sending(let body) = state, !sendPiece(of: body) { return socket == nil }
            if isClosing { return true }
            switch parser.isInflating ? .request : parser.parse(&input) {
            case .more:
                return true
            case .request:
                reading = .nothing
                let before = hub.host.work
                answer()
                if isUpgraded { return true }
                if hub.host.work != before, !isUnfinished, share.spend(since: before, of: hub.host) {
                    continueInNextTurn()
                }
            case .upgrade:
                reading = .nothing
                upgrade(input)
                if isUpgraded { return true }
            case .continueExpected:
                takeHead(hub)
                if let refusal = listener.handler.refusalBeforeBody(on: self) {
                    framing.keepsAlive = false
                    refuse(refusal)
                } else {
                    write { $0.append(ResponseEncoder.continueLine) }
                }
            case .failed(let failure):
                refuseUnread(Refusal(refusing: failure))
            }
            if isClosing || socket == nil { return true }
        }
    }

    /// Answers with a body, piece by piece; its head has been written.
    func send(_ body: any AnswerBody) {
        state = .sending(body)
    }

    /// Sends a piece of a body, and lets other clients be served before the next one.
    ///
    /// - Returns: whether all of it is written.
    private func sendPiece(of body: any AnswerBody) -> Bool {
        var isWritten = true
        write { isWritten = body.appendPiece(to: &$0) }
        guard isWritten else {
            // The head promised more bytes than there are: only a broken connection shows that.
            reset()
            return false
        }
        guard body.isOver else {
            continueInNextTurn()
            return false
        }
        state = framing.keepsAlive ? .reading : .closing
        return true
    }

    /// This client has used its share: others are served before it goes on.
    func continueInNextTurn() {
        isUnfinished = true
        hub.continueNextTurn(self)
    }

    /// The next turn has begun.
    func continueRequests() {
        isUnfinished = false
        if waitingFor == 0, !isBehind { resume() }
    }

    /// Continues with the saved bytes.
    private func resume() {
        guard socket != nil, !isClosing else { return }
        var held = ByteBuffer()
        swap(&held, &saved)
        var input = held.bytes
        socket?.resumeReading()
        process(&input)
        // TLS reports the end of the stream even while earlier requests are waiting.
        if !isClosing, socket?.isPeerClosed == true { peerEnded() }
    }

    override func drained() {
        if waitingFor == 0, !isUnfinished, socket?.isReading == false { resume() }
    }

    override func peerEnded() {
        if held != nil { return close() }
        guard saved.isEmpty else { return }
        // A request that is being answered still gets its answer.
        if owesAnswer || parser.isInflating {
            framing.keepsAlive = false
            return
        }
        guard unsentBytes > 0 else { return close() }
        state = .closing
        closeAfterWriting()
    }

    // MARK: - Answering

    /// Sets the caller of the current request.
    ///
    /// The unread answers of the caller before still count for that one.
    @inline(__always)
    func take(_ access: Access) {
        if unsentBytes > 0, self.access.principal !== access.principal { keepName(self.access.name) }
        self.access = access
    }

    /// Takes from the head what every answer to it needs.
    @inline(__always)
    private func takeHead(_ hub: Hub) {
        framing = parser.head.framing
        if hub.codec.cors.isOn { sharedWith = hub.codec.cors.answer(to: parser.head.value(.origin)) }
        if hub.isDraining { framing.keepsAlive = false }
    }

    /// Refuses an incomplete request: neither its sender nor the start of the next request is
    /// known.
    private func refuseUnread(_ refusal: Refusal) {
        framing = ResponseFraming(keepsAlive: false)
        sharedWith = nil
        refuse(refusal)
    }

    /// Answers the current request, now or later.
    func respond() { listener.handler.respond(on: self) }

    private func answer() {
        let hub = hub
        if !parser.isInflating {
            requests &+= 1
            hub.traffic.requests &+= 1
        }
        takeHead(hub)
        respond()
        if isUnfinished { return }
        parser.stopInflating()
        if case .reading = state, !framing.keepsAlive { state = .closing }
    }

    /// Another connection has taken over the socket.
    func wasReplaced() { state = .upgraded }

    private func upgrade(_ rest: BorrowedBytes) {
        requests &+= 1
        hub.traffic.requests &+= 1
        takeHead(hub)
        handOver(rest)
    }

    /// Answers the current request, which was put off.
    func respondAgain() {
        guard parser.head.upgradesToWebSocket else { return respond() }
        var rest = ByteBuffer()
        swap(&rest, &saved)
        socket?.resumeReading()
        handOver(rest.bytes)
    }

    private func handOver(_ rest: BorrowedBytes) {
        if let connection = listener.handler.upgrade(self) {
            wasReplaced()
            connection.begin(with: rest)
            connection.endIfPeerEnded()
            hub.codec.parsers.give(parser)
            return
        }
        if waitingFor != 0 { return }
        // Bytes after a refused upgrade may belong to the protocol that was asked for.
        framing.keepsAlive = false
        state = .closing
    }

    /// Answers with an error; the connection stays open unless the framing says otherwise.
    func refuse(_ refusal: Refusal, fields: (inout ByteBuffer) -> Void = { _ in }) {
        if hub.isDraining { framing.keepsAlive = false }
        write { out in
            refusal.append(hub.codec.encoder, framing, to: &out) { out in
                hub.codec.cors.append(sharedWith: sharedWith, to: &out)
                fields(&out)
            }
        }
        answered(refusal.status, refusal.code)
        if !framing.keepsAlive { state = .closing }
    }

    /// Marks the current request as answered later, by ``answerLater(_:_:)``.
    ///
    /// - Returns: its number.
    func wait() -> UInt64 { wait(since: hub.turns.activity.turnBegan) }

    /// The same for a request that asked to wait: its duration does not count.
    func waitAsAsked() -> UInt64 { wait(since: 0) }

    private func wait(since arrivedAt: UInt64) -> UInt64 {
        state = .waiting(Wait(number: requests, arrivedAt: arrivedAt))
        hub.turns.times.waits()
        return requests
    }

    /// Writes the answer of the request with that number, and continues with the next one.
    func answerLater(_ number: UInt64, _ respond: (HTTPConnection) throws(HostError) -> Void) {
        guard case .waiting(let wait) = state, number == wait.number, socket != nil else { return }
        // Another thread's answer is an event of its own.
        hub.turns.begin()
        state = .reading
        if hub.isDraining { framing.keepsAlive = false }
        do throws(HostError) { try respond(self) } catch { refuse(error) }
        // The answer may itself wait for the log.
        if case .waiting = state {
            state = .waiting(wait)
            return hub.turns.times.waitsOn()
        }
        if wait.arrivedAt != 0 { hub.turns.times.answered(sinceTurnAt: wait.arrivedAt) }
        guard !isUpgraded, !isUnfinished else { return }
        if case .reading = state, !framing.keepsAlive { state = .closing }
        if isClosing { closeAfterWriting() } else { resume() }
    }

    /// Answers an expensive request now, or in a later turn if such requests of all clients have
    /// used up this one.
    func whenThereIsRoom(_ respond: @escaping (HTTPConnection) -> Void) {
        guard hub.host.isCrowded else { return respond(self) }
        let number = wait()
        hub.host.later { [weak self] in self?.answerLater(number, respond) }
    }

    /// Goes on with the current request when its pipeline has been read: now, if that is short.
    func whenParsed(
        _ text: PipelineText?,
        _ goOn: @escaping (HTTPConnection, ParsedPipeline?) -> Void
    ) {
        guard let text, hub.host.parsesElsewhere(text) else { return goOn(self, nil) }
        let number = wait()
        hub.host.pipelines.parseElsewhere?(text) { [weak self] pipeline in
            self?.hub.host.later {
                self?.answerLater(number) { goOn($0, pipeline) }
            }
        }
    }

    // MARK: - Time

    private func setDeadline() {
        guard socket != nil, !isLingering else { return }
        // The parser keeps no copy of a body that came in one piece, but the request does.
        let waiting = waitingFor == 0 ? 0 : parser.bodyBytes
        noteUnfinished(max(parser.heldBytes, waiting) &+ saved.count)
        if let poll { return hub.deadlines.set(self, at: poll.deadline) }
        setDeadline(of: hub)
    }

    @inline(__always)
    private func setDeadline(of hub: Hub) {
        let now = hub.loop.now
        let deadline: UInt64
        if parser.isReadingHead {
            var start = now
            if case .head(let since) = reading { start = since }
            reading = .head(since: start)
            deadline = start + hub.times.fixed.headers
        } else if parser.isReadingBody {
            var start = now
            if case .body(let since) = reading { start = since }
            reading = .body(since: start)
            deadline = min(start + hub.times.fixed.body, now + 1000)
        } else {
            reading = .nothing
            deadline = now + hub.times.idle
        }
        hub.deadlines.set(self, at: deadline)
    }

    override func expire(now: UInt64) {
        if isLingering { return endLingering() }
        if let poll {
            return now >= poll.deadline ? poll.finish() : hub.deadlines.set(self, at: poll.deadline)
        }
        if waitingFor != 0 {
            // The log owes the answer, not the peer.
            return hub.deadlines.set(self, at: now + hub.times.idle)
        }
        if isBehind {
            // The peer had an idle connection's time to take some of its answers.
            guard isTaking() else { return reset() }
            return hub.deadlines.set(self, at: now + hub.times.idle)
        }
        switch reading {
        case .nothing: return close()
        case .body(let since) where parser.isReadingBody:
            let elapsed = now - since
            let isSlow = elapsed >= 5000 && UInt64(parser.bodyBytes) * 1000 < elapsed * 1024
            if elapsed < hub.times.fixed.body, !isSlow {
                return hub.deadlines.set(self, at: min(since + hub.times.fixed.body, now + 1000))
            }
        case .head, .body: break
        }
        refuseUnread(Refusal(.timeout, "the request did not arrive in time"))
        closeAfterWriting()
    }

    /// Whether the client uses TLS, with this server or with a trusted proxy.
    var isSecure: Bool { forwarding?.isSecure ?? socket?.isSecure ?? false }

    override var name: String { poll?.name ?? super.name }

    /// The client of the request that is being answered, or of the next one once its head has come.
    ///
    /// Before that, the address; a trusted proxy's clients are not known then.
    override var holder: SlowPeers.Owner? {
        if waitingFor != 0 || isUnfinished || isBehind { return .of(access.name, at: address) }
        if parser.isReadingBody { return listener.handler.sender(on: self) }
        return isProxied ? nil : .address(peer)
    }

    override func endSlow() {
        // The rest of a body, or bytes that it has not read, are in the way of an answer.
        guard !isBehind, !owesAnswer else { return reset() }
        refuseUnread(
            Refusal(
                HostError(.rateLimited, "too many requests are not sent to the end (limits.held)")
            )
        )
        closeAfterWriting()
    }

    override func forgetRequests() {
        saved.removeAll(keepingCapacity: false)
        parser.reset()
    }

    override func drain(after milliseconds: Int) {
        if let poll { return poll.finish() }
        switch state {
        case .waiting, .closing, .upgraded: break
        case .sending: framing.keepsAlive = false
        // Otherwise the current answer says `Connection: close`.
        case .reading: if parser.isIdle, unsentBytes == 0 { close() }
        }
    }

    override func ended(_ error: UVError?) {
        record.take()?.end(nil, by: access.name, at: address)
        switch held {
        case .change(let poll): poll.cancel()
        case .past(let look): look.cancel()
        case .commit, .checked, nil: break
        }
        held = nil
        state = .closing
        saved.removeAll(keepingCapacity: false)
        hub.codec.parsers.give(parser)
    }
}
