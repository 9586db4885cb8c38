internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support

/// A connection on which HTTP/1.1 is spoken: bytes → requests → answers, in order.
///
/// All answers of one read leave in one write. A request whose commit the log has not answered yet stops the
/// reading of further ones; so does a peer that does not take its answers.
final class HTTPConnection: Connection {
    let parser: RequestParser
    /// Where it came in; the server holds its doors.
    unowned(unsafe) let door: Door
    /// What the peer sent after a request that is not answered yet.
    @exclusivity(unchecked) private var saved = ByteBuffer()
    /// The number of the request that is being answered later; 0: none is.
    @exclusivity(unchecked) private(set) var waitingFor: UInt64 = 0
    @exclusivity(unchecked) private var requests: UInt64 = 0
    /// When the turn began in which the request came that is being answered later; 0: how long it takes is the client's wish.
    @exclusivity(unchecked) private var arrivedAt: UInt64 = 0
    /// Whether the peer is a proxy that is trusted, and what it says about the request at hand.
    let isProxied: Bool
    @exclusivity(unchecked) var forwarding: Forwarding?
    /// What the caller of the request at hand may do.
    @exclusivity(unchecked) var access = Access(everybody: [])
    /// How the answer to the request at hand is framed.
    @exclusivity(unchecked) var framing = ResponseFraming()
    /// When the head or the body that is being read began.
    @exclusivity(unchecked) private var startedAt: UInt64 = 0
    @exclusivity(unchecked) private var isBodyTimed = false
    /// The socket is another connection's now.
    @exclusivity(unchecked) var isUpgraded = false
    @exclusivity(unchecked) private var isClosing = false
    /// What this client's requests have had of the present turn.
    @exclusivity(unchecked) private var share = TurnShare()
    /// How fast this client may set.
    @exclusivity(unchecked) var rate = RateLimit()
    /// It goes on in the next turn.
    @exclusivity(unchecked) private var isUnfinished = false
    /// The origin whose page may read the answer, where CORS is configured.
    @exclusivity(unchecked) private(set) var sharedWith: String?
    /// What is left of the body that is being sent, where that goes piece by piece.
    @exclusivity(unchecked) private var body: FileBody?
    /// What the request at hand waits for, if that is a change of a node.
    @exclusivity(unchecked) var poll: LongPoll?
    /// The same, if that is a graph as it was.
    @exclusivity(unchecked) var look: PastLook?

    init(server: Server, door: Door, number: UInt64, socket: Transport) {
        self.door = door
        parser = RequestParser(limits: server.parserLimits)
        isProxied = server.proxies.isOn && server.proxies.trusts(socket.socket.peerAddress)
        super.init(server: server, number: number, socket: socket)
        let limit = socket.isSecure ? server.times.fixed.handshake : server.times.fixed.headers
        server.deadlines.set(self, at: server.loop.now + limit)
        if case .secure(let channel) = socket {
            // Long before the socket can become another connection's.
            channel.onEstablished = { [unowned self] in
                server.deadlines.set(self, at: server.loop.now + server.times.fixed.headers)
            }
        }
        socket.resumeReading()
    }

    // MARK: - Reading

    override func receive(_ bytes: UnsafeRawBufferPointer) {
        guard !isClosing else { return }
        var input = bytes
        process(&input)
    }

    private func process(_ input: inout UnsafeRawBufferPointer) {
        while true {
            var isMore = false
            beforeFlush { isMore = step(&input) }
            if isUpgraded { return }
            if isMore, isClosing { return closeAfterWriting() }
            flush()
            if isMore { return setDeadline() }
            if socket == nil { return }
            // What the kernel took at once is no reason to wait.
            if waitingFor != 0 || isUnfinished || isBehind { break }
        }
        saved.append(input)
        if mustPause { socket?.pauseReading() }
        setDeadline()
    }

    /// Whether nothing more is read until an answer is out.
    private var mustPause: Bool {
        // A client that waits for a change, or for the past, may go away in the meantime; only reading shows that.
        if poll != nil || look != nil { return saved.count > server.pendingBytes }
        // Most send the next request when they have the answer: for them, reading need not be stopped and begun again.
        return waitingFor == 0 || !saved.isEmpty
    }

    /// Answers what is complete.
    ///
    /// Returns false when the rest of the input has to wait.
    private func step(_ input: inout UnsafeRawBufferPointer) -> Bool {
        while true {
            if waitingFor != 0 || isUnfinished || unsentBytes > server.pendingBytes { return false }
            if let body, !sendPiece(of: body) { return socket == nil }
            if isClosing { return true }
            switch parser.parse(&input) {
            case .more:
                return true
            case .request:
                startedAt = 0
                let before = workDone
                answer()
                if isUpgraded { return true }
                if workDone != before, share.spend(since: before, of: server.host) {
                    // This client has had its share; others are served before the next turn.
                    isUnfinished = true
                    server.goesOn(self)
                }
            case .upgrade:
                startedAt = 0
                upgrade(input)
                if isUpgraded { return true }
            case .continueExpected:
                takeHead(server)
                if let problem = refusalBeforeBody() {
                    framing.keepsAlive = false
                    refuse(problem)
                } else {
                    write { $0.append(ResponseEncoder.continueLine) }
                }
            case .roomNeeded:
                framing = parser.head.framing
                // Else the rest of what the client sends would be taken for its next request.
                framing.keepsAlive = false
                guard hasRoom() else { break }
                framing = parser.head.framing
                if parser.head.expectsContinue { write { $0.append(ResponseEncoder.continueLine) } }
            case .failed(let failure):
                refuseUnread(refusal(failure))
            }
            if isClosing || socket == nil { return true }
        }
    }

    /// Answers with a body, piece by piece; its head has been written.
    func send(_ body: FileBody) {
        self.body = body
    }

    /// Sends a piece of a body, and lets others have their say before the next one.
    ///
    /// Returns whether all of it is written.
    private func sendPiece(of body: FileBody) -> Bool {
        var isWritten = true
        write { isWritten = body.appendPiece(to: &$0) }
        guard isWritten else {
            // More was promised than there is: only a broken connection says so.
            reset()
            return false
        }
        guard body.isOver else {
            isUnfinished = true
            server.goesOn(self)
            return false
        }
        self.body = nil
        isClosing = !framing.keepsAlive
        return true
    }

    /// What requests have cost the host so far.
    private var workDone: UInt64 { hub._withUnsafeGuaranteedRef { $0.host.workDone } }

    /// The next turn has begun.
    func goOn() {
        isUnfinished = false
        if waitingFor == 0, !isBehind { resume() }
    }

    /// Goes on with what was saved.
    private func resume() {
        guard socket != nil, !isClosing else { return }
        var held = ByteBuffer()
        swap(&held, &saved)
        var input = held.bytes
        socket?.resumeReading()
        process(&input)
    }

    override func drained() {
        if waitingFor == 0, !isUnfinished, socket?.isReading == false { resume() }
    }

    override func peerEnded() {
        if poll != nil || look != nil { return close() }
        if body != nil {
            framing.keepsAlive = false
            return
        }
        // A request that is being answered still gets its answer.
        if waitingFor != 0 || unsentBytes > 0 {
            isClosing = true
            if waitingFor == 0 { closeAfterWriting() }
            return
        }
        close()
    }

    // MARK: - Answering

    /// Takes from the head what every answer to it needs.
    @inline(__always)
    private func takeHead(_ server: Server) {
        framing = parser.head.framing
        if server.cors.isOn { sharedWith = server.cors.answer(to: parser.head.value(.origin)) }
        if server.isDraining { framing.keepsAlive = false }
    }

    /// Refuses a request that did not arrive whole: neither its sender nor the start of the next request is known.
    private func refuseUnread(_ refusal: Refusal) {
        framing = ResponseFraming(omitsBody: false, keepsAlive: false)
        sharedWith = nil
        refuse(refusal)
    }

    private func answer() {
        requests &+= 1
        hub._withUnsafeGuaranteedRef { server in
            server.requests &+= 1
            takeHead(server)
            respond(server)
        }
        if waitingFor == 0, body == nil, !framing.keepsAlive { isClosing = true }
    }

    private func upgrade(_ rest: UnsafeRawBufferPointer) {
        requests &+= 1
        server.requests &+= 1
        takeHead(server)
        if let connection = respondToUpgrade() {
            isUpgraded = true
            connection.begin(with: rest)
            return
        }
        // Bytes after a refused upgrade may belong to the protocol that was asked for.
        framing.keepsAlive = false
        isClosing = true
    }

    /// Answers with an error; the connection goes on unless the framing says otherwise.
    func refuse(_ problem: Refusal, fields: (inout ByteBuffer) -> Void = { _ in }) {
        if server.isDraining { framing.keepsAlive = false }
        write { out in
            problem.append(server.encoder, framing, to: &out) { out in
                appendSharing(to: &out)
                fields(&out)
            }
        }
        server.count(problem.status)
        if !framing.keepsAlive { isClosing = true }
    }

    /// The request at hand will be answered by ``answerLater(_:_:)``.
    ///
    /// Returns its number.
    func wait() -> UInt64 {
        waitingFor = requests
        arrivedAt = server.activity.turnBegan
        server.loopTimes.waits()
        return requests
    }

    /// The same, for a request that asks to wait: how long that takes is no measure of the server.
    func waitAsAsked() -> UInt64 {
        defer { arrivedAt = 0 }
        return wait()
    }

    /// Writes the answer of the request of that number, and goes on with the next.
    func answerLater(_ number: UInt64, _ respond: (HTTPConnection) -> Void) {
        guard number == waitingFor, socket != nil else { return }
        waitingFor = 0
        if server.isDraining { framing.keepsAlive = false }
        let arrived = arrivedAt
        respond(self)
        if waitingFor != 0 {
            arrivedAt = arrived
        } else if arrived != 0 {
            server.loopTimes.answered(sinceTurnAt: arrived)
        }
        // What was found may have become a commit, which is answered when the log has it.
        guard waitingFor == 0, !isUpgraded else { return }
        if !framing.keepsAlive || isClosing {
            isClosing = true
            return closeAfterWriting()
        }
        resume()
    }

    /// Answers an expensive request now, or in a later turn if such requests of all clients have used up this one.
    func whenThereIsRoom(_ respond: @escaping (HTTPConnection) -> Void) {
        guard server.host.isCrowded else { return respond(self) }
        let number = wait()
        server.host.later { [weak self] in self?.answerLater(number, respond) }
    }

    /// Refuses the request at hand; or, where it was only refused because a part of it takes long to read, performs it again later.
    func refuse(_ error: HostError, orPerform again: @escaping (HTTPConnection) -> Void) {
        var number: UInt64 = 0
        let isLong = server.host.performsAgain { [weak self] in self?.answerLater(number, again) }
        if isLong { number = wait() } else { refuse(error) }
    }

    // MARK: - Time

    private func setDeadline() {
        guard socket != nil, !isLingering else { return }
        if let poll { return server.deadlines.set(self, at: poll.deadline) }
        hub._withUnsafeGuaranteedRef { setDeadline(of: $0) }
    }

    @inline(__always)
    private func setDeadline(of server: Server) {
        let now = server.loop.now
        let deadline: UInt64
        if parser.isReadingHead {
            if startedAt == 0 || isBodyTimed { startedAt = now }
            isBodyTimed = false
            deadline = startedAt + server.times.fixed.headers
        } else if parser.isReadingBody {
            if startedAt == 0 || !isBodyTimed { startedAt = now }
            isBodyTimed = true
            deadline = min(startedAt + server.times.fixed.body, now + 1000)
        } else {
            startedAt = 0
            deadline = now + server.times.idle
        }
        server.deadlines.set(self, at: deadline)
    }

    override func expire(now: UInt64) {
        if isLingering { return endLingering() }
        if let poll {
            return now >= poll.deadline ? poll.finish() : server.deadlines.set(self, at: poll.deadline)
        }
        if waitingFor != 0 {
            // The log owes the answer, not the peer.
            return server.deadlines.set(self, at: now + server.times.idle)
        }
        if isBehind {
            // It has had the time of an idle connection to take something of its answers.
            guard isTaking() else { return reset() }
            return server.deadlines.set(self, at: now + server.times.idle)
        }
        guard startedAt != 0 else { return close() }
        if isBodyTimed, parser.isReadingBody {
            let elapsed = now - startedAt
            let isSlow = elapsed >= 5000 && UInt64(parser.bodyBytes) * 1000 < elapsed * 1024
            if elapsed < server.times.fixed.body, !isSlow {
                return server.deadlines.set(self, at: min(startedAt + server.times.fixed.body, now + 1000))
            }
        }
        refuseUnread(Refusal(.timeout, "the request did not arrive in time"))
        closeAfterWriting()
    }

    override var name: String { poll?.name ?? super.name }

    override func drain(after milliseconds: Int) {
        if let poll { return poll.finish() }
        guard waitingFor == 0, !isClosing else { return }
        guard body == nil else { return framing.keepsAlive = false }
        if parser.isIdle, unsentBytes == 0 { close() }
        // Otherwise the answer that is under way says `Connection: close`.
    }

    override func ended(_ error: UVError?) {
        poll?.cancel()
        look?.cancel()
        body = nil
        waitingFor = 0
        isClosing = true
        saved.removeAll(keepingCapacity: false)
    }
}
