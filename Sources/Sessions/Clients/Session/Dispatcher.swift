internal import Graphs
internal import Definitions
internal import Support
internal import Values

/// Receives the messages of all clients, and performs the requests in them: those of one client in
/// order, and within its share of a turn.
///
/// Requests that cannot be performed or answered yet wait in their session's ``Inbox``.
final class Dispatcher {
    private var builder = MessageBuilder()
    private(set) var messageCount: UInt64 = 0

    /// Builds a message other than a delivery.
    func message(
        _ kind: Outgoing.Kind,
        of graph: LiveGraph? = nil,
        rev: UInt64? = nil,
        _ build: (inout ByteBuffer) -> Void
    ) -> Outgoing {
        builder.message(kind, of: graph, rev: rev, build)
    }

    // MARK: - Messages in

    /// Handles a message of a client that speaks the protocol.
    func receive(_ message: BorrowedBytes, from session: Session, of host: Host) {
        countMessage()
        do throws(HostError) {
            var isBad = false
            try Fields.forEachObject(message) { bytes, fields in
                if session.isClosed { return }
                if let fields { return accept(bytes, fields, from: session, of: host) }
                guard isWithinRate(session, of: nil, isSet: false, host) else { return }
                isBad = true
                refuseBadJSON("a message must be an object or a list of objects", from: session)
            }
            if isBad { noteBadMessage(from: session) }
        } catch {
            refuseBadJSON(error.message, from: session)
            noteBadMessage(from: session)
        }
    }

    @inline(__always)
    func countMessage() { messageCount += 1 }

    private func refuseBadJSON(_ sentence: String, from session: Session) {
        session.answer(id: nil, bytes: 0) { Answer.error(HostError(.badJSON, sentence), id: nil, to: &$0) }
    }

    private func noteBadMessage(from session: Session) {
        guard !session.isClosed else { return }
        let host = session.host
        if session.madeExtras.badMessages.note(at: host.clock.now, host.limits) {
            session.endConnection(4400, "bad_json")
        }
    }

    /// Performs a request now, or queues it after those that wait.
    @inline(never)
    private func accept(
        _ bytes: BorrowedBytes,
        _ fields: Fields,
        from session: Session,
        of host: Host
    ) {
        let isDear = fields.operation.isDear
        let isExhausted = session.inbox.share.isSpent(of: host)
        guard !session.inbox.pending.isEmpty || isExhausted || (isDear && host.isCrowded) else {
            perform(fields, bytes, of: session, host)
            return
        }
        let id = fields.id
        let freeing = PendingRequests.Freeing(fields)
        if let id, freeing != .ownID, session.inbox.pending.contains(id) {
            let answer = Outgoing(.answer, Answer.idInUse(id))
            append(PendingRequests.Entry(id: nil, bytes: 0, state: .answered(answer)), to: session)
        } else if fields.operation == .set || fields.operation == .load,
            session.inbox.pending.allowsSet, !isExhausted
        {
            perform(fields, bytes, of: session, host)
        } else {
            let state = PendingRequests.State.deferred(Array(bytes), isDear: isDear)
            append(
                PendingRequests.Entry(id: id, bytes: bytes.count, state: state, freeing: freeing),
                to: session
            )
            if session.inbox.mustWait(of: host) { goOnLater(session) }
        }
    }

    // MARK: - Later turns

    /// Continues in the next turn; other clients are served in between.
    func goOnLater(_ session: Session) {
        guard !session.inbox.isUnfinished else { return }
        session.inbox.isUnfinished = true
        session.host.later { session.clients.dispatcher.goOn(session) }
    }

    /// The next turn has begun.
    private func goOn(_ session: Session) {
        session.inbox.isUnfinished = false
        guard !session.isClosed else { return }
        // A peer that does not read its answers gets no more of them.
        guard session.hasRoom else { return session.inbox.waitsForRoom = true }
        drain(session)
    }

    // MARK: - Performing

    /// Sends and performs everything that no longer waits, within the session's share of the turn.
    func drain(_ session: Session) {
        guard !session.inbox.isDraining, !session.outbox.holdsAnswers else { return }
        session.inbox.isDraining = true
        defer {
            session.inbox.isDraining = false
            if !session.isClosed { throttle(session) }
            session.endIfAnswered()
        }
        while !session.isClosed {
            if session.inbox.mustWait(of: session.host) {
                goOnLater(session)
                return
            }
            guard let entry = session.inbox.pending.takeReady() else { return }
            switch entry.state {
            case .answered(let message): if let message { session.send(message) }
            case .deferred(let bytes, _): perform(bytes, of: session)
            case .due(let send): send()
            case .submitted, .preparing, .awaiting: break
            }
        }
    }

    /// Performs one request whose turn has come.
    private func perform(
        _ fields: Fields,
        _ bytes: BorrowedBytes,
        of session: Session,
        _ host: Host,
        isAgain: Bool = false,
        _ pipeline: ParsedPipeline? = nil,
        token: Result<Access?, HostError>? = nil
    ) {
        let id: UInt64?
        do throws(HostError) {
            id = try fields.checkedID()
        } catch {
            return refuse(error, id: nil, session)
        }
        guard isAgain || isWithinRate(session, of: id, isSet: fields.operation.isChange, host) else { return }
        let before = host.work
        defer { if host.work != before { session.inbox.share.spend(since: before, of: host) } }
        do throws(HostError) {
            let request = ClientRequest(
                session: session,
                host: host,
                fields: fields,
                id: id,
                bytes: bytes.count,
                pipeline: pipeline,
                token: token
            )
            if let stamp = try request.commitBefore() {
                if !isAgain, try waits(for: stamp, of: request, bytes) { return }
                try stamp.require(in: request.graph().graph)
            }
            if token == nil, try checksFirst(request, bytes) { return }
            if pipeline == nil, readsFirst(request, bytes) { return }
            try request.perform()
        } catch {
            if error.code == .forbidden {
                let graph = fields[.graph]?.string
                session.transport?.acted(SessionAct("\(fields.operation)", graph: graph, error: error))
            }
            refuse(error, id: id, session)
        }
    }

    /// Whether a request has to wait for a commit: then it is performed again later, and later
    /// requests wait.
    private func waits(
        for stamp: CommitStamp,
        of request: ClientRequest,
        _ bytes: BorrowedBytes
    ) throws(HostError) -> Bool {
        let (session, message) = (request.session, Array(bytes))
        weak var entry: PendingRequests.Entry?
        let wait = try stamp.wait(in: request.graph().graph) { [weak session] in
            guard let session else { return }
            entry?.state = .due { [weak session] in
                guard let session else { return }
                session.clients.dispatcher.perform(message, of: session, isAgain: true)
            }
            session.clients.dispatcher.goOn(session)
        }
        guard let wait else { return false }
        entry = prepare(request.id, of: session, bytes: message.count)
        entry?.state = .awaiting(wait)
        return true
    }

    /// Whether the token of a request has to be checked elsewhere: then the request is performed
    /// again with the result, and later requests wait.
    private func checksFirst(_ request: ClientRequest, _ bytes: BorrowedBytes) throws(HostError) -> Bool {
        let session = request.session
        guard request.fields.operation == .hello || request.fields.operation == .auth,
            let token = try request.fields.string(.token), let transport = session.transport
        else { return false }
        let message = Array(bytes)
        var entry: PendingRequests.Entry?
        let isLater = transport.checksFirst(token: token) { [weak session] result in
            guard let session else { return }
            entry?.state = .due { [weak session] in
                guard let session else { return }
                session.clients.dispatcher.perform(message, of: session, isAgain: true, token: result)
            }
            session.clients.dispatcher.goOn(session)
        }
        if isLater { entry = prepare(request.id, of: session, bytes: message.count) }
        return isLater
    }

    /// Whether the pipeline or the expressions of a request take long to read: then another thread
    /// reads them first, and later requests wait.
    private func readsFirst(_ request: ClientRequest, _ bytes: BorrowedBytes) -> Bool {
        let (session, host) = (request.session, request.host)
        guard session.access != nil, let text = request.text,
            host.parsesElsewhere(text), !host.knows(text)
        else { return false }
        let message = Array(bytes)
        let entry = prepare(request.id, of: session, bytes: message.count)
        host.pipelines.parseElsewhere?(text) { [weak session] pipeline in
            entry.state = .due { [weak session] in
                guard let session else { return }
                session.clients.dispatcher.perform(message, of: session, isAgain: true, pipeline)
            }
            host.later {
                if let session { session.clients.dispatcher.goOn(session) }
            }
        }
        return true
    }

    /// Performs a request that was validated when it arrived.
    private func perform(
        _ message: [UInt8],
        of session: Session,
        isAgain: Bool = false,
        _ pipeline: ParsedPipeline? = nil,
        token: Result<Access?, HostError>? = nil
    ) {
        message.withBorrowedBytes { message in
            try? Fields.forEachObject(message) { bytes, fields in
                if let fields {
                    perform(
                        fields,
                        bytes,
                        of: session,
                        session.host,
                        isAgain: isAgain,
                        pipeline,
                        token: token
                    )
                }
            }
        }
    }

    /// Checks the rate limit; a message above it is answered with an error.
    @inline(__always)
    private func isWithinRate(_ session: Session, of id: UInt64?, isSet: Bool, _ host: Host) -> Bool {
        do throws(HostError) {
            try session.clients.rates.countMessage(of: session.requester)
            if isSet { try session.clients.rates.countSet(of: session.requester) }
            return true
        } catch {
            refuse(error, id: id, session)
            return false
        }
    }

    /// Answers with an error, and closes the connection after too many.
    private func refuse(_ error: HostError, id: UInt64?, _ session: Session) {
        session.answer(id: id, bytes: 0) { Answer.error(error, id: id, to: &$0) }
        endIfDue(error, session)
    }

    /// A fault of the server closes the connection at once; some errors of the client do when they
    /// are repeated.
    private func endIfDue(_ error: HostError, _ session: Session) {
        guard !session.isClosed else { return }
        let host = session.host
        switch error.code {
        case .internalError: session.endConnection(1011, error.message)
        case .badOp, .badField, .badRequest:
            if session.madeExtras.misuse.note(at: host.clock.now, host.limits) {
                session.endConnection(4400, error.code.rawValue)
            }
        default:
            if session.refusals.note(error, of: host) { session.endConnection(4429, error.code.rawValue) }
        }
    }

    // MARK: - Commits

    /// A commit of the session is pending.
    ///
    /// Its answer is sent in its place.
    func wait(for pending: PendingCommit, of session: Session, id: UInt64?, bytes: Int) {
        let entry = wait(PendingRequests.Entry(id: id, bytes: bytes, state: .submitted), session)
        pending.onAnswer { [weak session] result in
            guard let session, !session.isClosed else { return }
            session.clients.dispatcher.answer(entry, result, session)
        }
    }

    private func answer(
        _ entry: PendingRequests.Entry,
        _ result: Result<Applied, HostError>,
        _ session: Session
    ) {
        var holds = false
        if case .success = result { holds = deliverBeforeAnswer(to: session) }
        if case .success = result, entry.id == nil {
            entry.state = .answered(nil)
        } else {
            let answer = message(.answer) { Answer.commit(result, id: entry.id, to: &$0) }
            entry.state = .answered(answer.kept())
        }
        if !holds { drain(session) }
        if case .failure(let error) = result { endIfDue(error, session) }
    }

    /// Mode-`all` messages of a commit are sent before its `ok`, those of pipelines too, as far as
    /// the client and the turn have units for them.
    ///
    /// - Returns: true if the answer must wait for the end of the turn as well: values of mode
    ///   `latest` go into the last of those messages, and there may be more.
    func deliverBeforeAnswer(to session: Session) -> Bool {
        runPipelines(of: session)
        guard !session.outbox.queue.isEmpty else { return false }
        if !session.outbox.marks.isEmpty, session.hasRoom, !session.inbox.isDraining {
            session.outbox.holdsAnswers = true
            return true
        }
        session.deliver(marks: false)
        return false
    }

    /// Runs the pipelines of a session in mode `all` that are behind, as far as its principal and
    /// the turn have units left.
    private func runPipelines(of session: Session) {
        let host = session.host
        guard session.outbox.awaitsRuns, host.pipelines.isBehind else { return }
        for subscription in session.subscriptions where subscription.options.isAll {
            guard host.pipelines.hasRoom else { return }
            // There may be thousands.
            host.work += 1
            guard let pipeline = subscription.pipeline else { continue }
            pipeline.chain.catchUp(paying: pipeline.account)
        }
    }

    // MARK: - Requests that wait

    /// Keeps an answer of the session until what comes before it has been sent.
    func keep(_ answer: Outgoing, of session: Session, id: UInt64?, bytes: Int) {
        append(PendingRequests.Entry(id: id, bytes: bytes, state: .answered(answer.kept())), to: session)
    }

    /// A request of the session waits for something to be read or computed; later requests wait for
    /// its answer.
    func prepare(_ id: UInt64?, of session: Session, bytes: Int = 0) -> PendingRequests.Entry {
        wait(PendingRequests.Entry(id: id, bytes: bytes, state: .preparing, freeing: .byOwners), session)
    }

    /// Adds the entry of a request that is being performed.
    private func wait(_ entry: PendingRequests.Entry, _ session: Session) -> PendingRequests.Entry {
        if session.inbox.isDraining {
            session.inbox.pending.prepend(entry)
        } else {
            append(entry, to: session)
        }
        return entry
    }

    private func append(_ entry: PendingRequests.Entry, to session: Session) {
        session.inbox.pending.append(entry)
        throttle(session)
    }

    /// Stops reading from a client with too much pending, and continues when that is over.
    private func throttle(_ session: Session) {
        let (pending, limits) = (session.inbox.pending.entries.count, session.host.limits)
        let isFull = pending >= limits.pendingRequests || session.inbox.pending.bytes >= limits.pendingBytes
        if isFull != session.inbox.isThrottled {
            session.inbox.isThrottled = isFull
            session.transport?.pauseReading(isFull)
        }
        session.transport?.heldChanged()
    }
}
