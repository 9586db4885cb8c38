internal import Support

extension Session {
    /// Handles one complete text message from the client: an object, or an array of objects that
    /// take effect in order.
    ///
    /// The bytes are valid only during the call.
    public func receive(message: UnsafeRawBufferPointer) {
        guard !isClosed, leaving == nil else { return }
        host.sessions.messagesIn += 1
        switch form {
        case .messages: break
        case .node(let node): return receiveBare(message, for: node)
        case .events: preconditionFailure("nothing is received on a stream of events")
        }
        do throws(JSONError) {
            var isBad = false
            try Fields.forEachObject(message) { bytes, fields in
                if isClosed { return }
                if let fields { return accept(bytes, fields) }
                guard isWithinRate(of: nil, isSet: false) else { return }
                isBad = true
                refuseBadJSON("a message must be an object or a list of objects")
            }
            if isBad { noteBadMessage() }
        } catch {
            refuseBadJSON(error.message)
            noteBadMessage()
        }
    }

    private func refuseBadJSON(_ sentence: String) {
        answer(id: nil, bytes: 0) { Answer.error(HostError(.badJSON, sentence), id: nil, to: &$0) }
    }

    private func noteBadMessage() {
        if !isClosed, badMessages.note(at: host.clock.now, host.limits) { finish(4400, "bad_json") }
    }

    /// Performs a request now, or queues it after those that wait.
    private func accept(_ bytes: UnsafeRawBufferPointer, _ fields: Fields) {
        let isDear = fields.operation.isDear
        guard !requests.isEmpty || isExhausted || (isDear && host.isCrowded) else {
            perform(fields, bytes)
            return
        }
        let id = fields.id
        let freeing = PendingRequests.Freeing(fields)
        if let id, freeing != .ownID, requests.contains(id) {
            append(PendingRequests.Entry(id: nil, bytes: 0, state: .answered(Answer.idInUse(id))))
        } else if fields.operation == .set || fields.operation == .load, requests.allowsSet, !isExhausted {
            perform(fields, bytes)
        } else {
            append(
                PendingRequests.Entry(
                    id: id,
                    bytes: bytes.count,
                    state: .deferred(Array(bytes), isDear: isDear),
                    freeing: freeing
                )
            )
            if mustWait { goOnLater() }
        }
    }

    // MARK: - One session's share of a turn

    /// Whether this session's requests have used up their share of this turn.
    private var isExhausted: Bool { share.isSpent(of: host) }

    /// Whether the next request must wait for another turn, because of this session's share or that
    /// of all sessions.
    private var mustWait: Bool {
        requests.isDeferred && (isExhausted || (requests.isDear && host.isCrowded))
    }

    /// Continues in the next turn; other clients are served in between.
    func goOnLater() {
        guard !isUnfinished else { return }
        isUnfinished = true
        host.sessions.later { [self] in goOn() }
    }

    /// The next turn has begun.
    func goOn() {
        isUnfinished = false
        guard !isClosed else { return }
        // A peer that does not read its answers gets no more of them.
        guard hasRoom else { return waitsForRoom = true }
        drain()
    }

    private func append(_ entry: PendingRequests.Entry) {
        requests.append(entry)
        throttle()
    }

    /// Stops reading from a peer with too much pending, and continues when that is over.
    private func throttle() {
        let isFull =
            requests.entries.count >= host.limits.pendingRequests
            || requests.bytes >= host.limits.pendingBytes
        if isFull != isThrottled {
            isThrottled = isFull
            sink?.pauseReading(isFull)
        }
    }

    /// Sends an answer, or keeps it until those before it have been sent.
    func answer(id: UInt64?, bytes: Int, _ build: (inout ByteBuffer) -> Void) {
        guard !requests.isEmpty, !isDraining else {
            send(build)
            return
        }
        keep(bytes: bytes, id: id, build)
    }

    /// A commit of this session is pending.
    ///
    /// Its answer is sent in its place.
    func wait(for pending: PendingCommit, id: UInt64?, bytes: Int) {
        let entry = PendingRequests.Entry(id: id, bytes: bytes, state: .submitted)
        if isDraining {
            requests.prepend(entry)
        } else {
            append(entry)
        }
        pending.onAnswer { [weak self] result in
            guard let self, !isClosed else { return }
            var holds = false
            if case .success = result { holds = deliverBeforeAnswer() }
            host.answer.removeAll()
            Answer.commit(result, id: id, to: &host.answer)
            if case .success = result, id == nil { host.answer.removeAll() }
            entry.state = .answered(Array(host.answer.bytes))
            if !holds { drain() }
            if case .failure(let error) = result { endIfDue(error) }
        }
    }

    /// A request of this session waits for something to be read or computed; later requests wait
    /// for its answer.
    func waits(_ id: UInt64?) -> PendingRequests.Entry {
        let entry = PendingRequests.Entry(id: id, bytes: 0, state: .preparing, freeing: .byOwners)
        if isDraining {
            requests.prepend(entry)
        } else {
            append(entry)
        }
        return entry
    }

    /// Answers with an error, and closes the connection after too many.
    private func refuse(_ error: HostError, id: UInt64?) {
        answer(id: id, bytes: 0) { Answer.error(error, id: id, to: &$0) }
        endIfDue(error)
    }

    /// A fault of the server closes the connection at once; some errors of the client do when they
    /// are repeated.
    private func endIfDue(_ error: HostError) {
        guard !isClosed else { return }
        switch error.code {
        case .internalError: finish(1011, error.message)
        case .badOp, .badField, .badRequest:
            if misuse.note(at: host.clock.now, host.limits) { finish(4400, error.code.rawValue) }
        default:
            if rate.note(error, of: host) { finish(4429, error.code.rawValue) }
        }
    }

    /// Mode-`all` frames of a commit are sent before its `ok`.
    ///
    /// - Returns: true if the answer must wait for the end of the turn as well: values of mode
    ///   `latest` go into the last of those frames, and there may be more frames.
    func deliverBeforeAnswer() -> Bool {
        guard !queue.isEmpty else { return false }
        if firstMarked != nil, hasRoom, !isDraining {
            holdsAnswers = true
            return true
        }
        deliver(host.sessions.latest, marks: false)
        return false
    }

    /// Keeps an answer until the end of the turn, when the frames before it have been sent.
    func keep(bytes: Int, id: UInt64?, _ build: (inout ByteBuffer) -> Void) {
        host.answer.removeAll()
        build(&host.answer)
        append(PendingRequests.Entry(id: id, bytes: bytes, state: .answered(Array(host.answer.bytes))))
    }

    /// Sends and performs everything that no longer waits, within this session's share of the turn.
    func drain() {
        guard !isDraining, !holdsAnswers else { return }
        isDraining = true
        defer {
            isDraining = false
            if !isClosed { throttle() }
            leaveIfAnswered()
        }
        while !isClosed {
            if mustWait {
                goOnLater()
                return
            }
            guard let entry = requests.takeReady() else { return }
            switch entry.state {
            case .answered(let bytes): if !bytes.isEmpty { bytes.withUnsafeBytes(send(_:)) }
            case .deferred(let bytes, _):
                perform(bytes)
            case .due(let tell): tell()
            case .submitted, .preparing: break
            }
        }
    }

    /// Performs one request whose turn has come.
    private func perform(_ fields: Fields, _ bytes: UnsafeRawBufferPointer, isAgain: Bool = false) {
        let id: UInt64?
        do throws(HostError) {
            id = try fields.checkedID()
        } catch {
            return refuse(error, id: nil)
        }
        guard isAgain || isWithinRate(of: id, isSet: fields.operation.isChange) else { return }
        let before = host.work
        defer { if host.work != before { share.spend(since: before, of: host) } }
        do throws(HostError) {
            let operation = fields.operation
            guard access.access != nil || operation == .hello || operation == .auth else {
                throw HostError(.unauthenticated, "send hello with a token first")
            }
            if let id, operation != .unsub, isTaken(id) {
                throw HostError(.idInUse, "id \(id) is in use")
            }
            switch operation {
            case .hello: try hello(fields, id: id)
            case .sub: try subscribe(fields, id: Self.required(id))
            case .unsub: try unsubscribe(id: Self.required(id))
            case .release: try release(fields, id: Self.required(id))
            case .observe: try observe(fields, id: Self.required(id))
            case .demand: try demand(fields, id: Self.required(id))
            case .mod: try modify(fields, id: Self.required(id))
            case .set: try set(fields, id: id, bytes: bytes.count)
            case .drop: try drop(fields, id: id, bytes: bytes.count)
            case .load: try load(fields, id: id, bytes: bytes.count)
            case .get: try get(fields, id: Self.required(id))
            case .list: try list(fields, id: Self.required(id))
            case .auth: try authenticate(fields, id: id)
            case .ping: answer(id: id, bytes: 0) { Answer.ok(id: id, to: &$0) }
            case .unknown: throw HostError(.badOp, "unknown op")
            }
        } catch {
            if performsAgain(bytes, id: id) { return }
            refuse(error, id: id)
        }
    }

    private func isTaken(_ id: UInt64) -> Bool {
        subscription(id) != nil || observer(id) != nil || demand(id) != nil
    }

    /// Whether a request takes long to read: then it is performed again later, and later requests
    /// wait.
    private func performsAgain(_ bytes: UnsafeRawBufferPointer, id: UInt64?) -> Bool {
        var entry: PendingRequests.Entry?
        let message = Array(bytes)
        let isLong = host.performsAgain { [weak self] in
            entry?.state = .due { [weak self] in self?.perform(message, isAgain: true) }
            self?.goOn()
        }
        if isLong { entry = waits(id) }
        return isLong
    }

    /// Performs a request that was validated when it arrived.
    private func perform(_ message: [UInt8], isAgain: Bool = false) {
        message.withUnsafeBytes { message in
            try? Fields.forEachObject(message) { bytes, fields in
                if let fields { perform(fields, bytes, isAgain: isAgain) }
            }
        }
    }

    /// Checks the rate limit; a message above it is answered with an error.
    @inline(__always)
    private func isWithinRate(of id: UInt64?, isSet: Bool) -> Bool {
        do throws(HostError) {
            try rate.message(host)
            if isSet { try rate.set(host) }
            return true
        } catch {
            refuse(error, id: id)
            return false
        }
    }

    private static func required(_ id: UInt64?) throws(HostError) -> UInt64 {
        guard let id else { throw HostError(.badField, "id: a number from 1 to 2^53-1 is needed") }
        return id
    }
}
