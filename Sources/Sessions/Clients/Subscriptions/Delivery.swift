internal import Graphs
internal import Commits
internal import Definitions
internal import Support

/// Sends what the subscriptions of all sessions have collected in a turn (``Outbox``), at its end.
///
/// Invariant: a session is in the list, or waits for its socket (`isBlocked`), exactly when
/// `isMarked` is set in its outbox.
final class Delivery {
    private var marked: ContiguousArray<Session> = []
    private var overflowing: [Session] = []
    /// Builds messages for one session.
    private var builder = MessageBuilder()
    /// Builds those that others may get as well.
    private let cache = UpdateCache()

    private var messages: UInt64 = 0
    /// How many messages were sent, answers included.
    var messageCount: UInt64 { messages + cache.count }
    /// How many emissions were folded into a later one because of an interval or a slow client.
    var folded: UInt64 = 0

    // MARK: - During a turn

    /// Adds a session to the list; it must not be in it yet.
    func mark(_ session: Session) {
        marked.append(session)
    }

    @inline(__always)
    func countMessage() { messages += 1 }

    /// A session has too much queued or unsent; checked when the commit's turn is over.
    func overflows(_ session: Session) {
        session.outbox.isOverflowing = true
        overflowing.append(session)
    }

    /// Lets all sessions go: the host is being freed.
    func forget() {
        overflowing = []
        marked = []
    }

    // MARK: - At the end of a turn

    /// Sends everything that is due.
    ///
    /// Flushing a session may mark others; those are flushed as well.
    func flush() {
        finishCommit()
        // It may hold the commit of a message that was sent before the turn's end.
        defer { cache.envelope.forget() }
        guard !marked.isEmpty else { return }
        cache.forget()
        var place = 0
        while place < marked.count {
            flush(marked[place])
            place += 1
        }
        cache.forget()
        marked.removeAll(keepingCapacity: true)
    }

    private func flush(_ session: Session) {
        guard !session.isClosed, let transport = session.transport else {
            session.outbox.isMarked = false
            return
        }
        session.outbox.holdsAnswers = false
        guard session.hasRoom else {
            session.outbox.isBlocked = true
            answerPastTheLimit(session)
            return
        }
        session.outbox.isMarked = false
        // Answers that were kept for the messages of this turn are sent after them.
        defer {
            if !session.inbox.pending.isEmpty, !session.isClosed { session.clients.dispatcher.drain(session) }
        }
        if session.outbox.marks.isEmpty, session.subscriptionCount == 1, !session.isBuiltAlone {
            deliverLoneQueue(session, transport)
            return
        }
        guard session.outbox.queue.isEmpty, !session.isBuiltAlone, let only = session.outbox.marks.takeOnly()
        else {
            deliver(to: session)
            return
        }
        // The usual case: one subscription in mode `latest`.
        only.isMarked = false
        if only.isEnded { return }
        if !cache.fits(only) {
            if only.exceedsAnswer { return endSlow([only], of: session) }
            cache.build(only)
        }
        cache.count += 1
        only.delivered()
        if session.inbox.pending.isEmpty, !only.isComplete {
            return transport.send(cache.update(of: only.graph, isLast: true))
        }
        transport.send(cache.update(of: only.graph, isLast: false))
        if only.isComplete { session.end(only, .complete) }
    }

    /// Delivers to a session with a single subscription, in mode `all`: one message per commit.
    private func deliverLoneQueue(_ session: Session, _ transport: any MessageTransport) {
        guard let subscription = session.outbox.queue.emissions.first?.subscription else { return }
        if subscription.options.every > 0, subscription.postponed() { return }
        // Nothing is held back any more: each message may move the client's cursor.
        session.outbox.queue.uncount(subscription)
        var place = 0
        while place < session.outbox.queue.emissions.count {
            let emissions = session.outbox.queue.commit(at: place)
            let message = cache.message(of: subscription, emissions)
            cache.count += 1
            place = emissions.endIndex
            transport.send(message)
        }
        session.outbox.queue.removeSent()
        subscription.delivered()
        if subscription.isComplete { session.end(subscription, .complete) }
    }

    /// Sends everything that is due in as few messages as the protocol allows: per graph the
    /// messages of mode `all` in order of rev, with the `latest` entries in the last of them.
    ///
    /// Without `marks` only the messages of mode `all`: marks stay for the end of the turn.
    func deliver(to session: Session, marks: Bool = true) {
        let marked = marks ? session.outbox.marks.take() : []
        let emissions = session.outbox.queue.takeDue()
        var graphs: [LiveGraph] = []
        for emission in emissions where !graphs.contains(where: { $0 === emission.subscription.graph }) {
            graphs.append(emission.subscription.graph)
        }
        for subscription in marked where !graphs.contains(where: { $0 === subscription.graph }) {
            graphs.append(subscription.graph)
        }
        for graph in graphs {
            if case .node(let node) = session.form {
                BareStream(session: session, node: node).deliver(marked, emissions)
            } else {
                deliver(
                    to: session,
                    graph,
                    marked.filter { $0.graph === graph },
                    emissions.filter { $0.subscription.graph === graph }
                )
            }
        }
        for subscription in marked where subscription.isComplete { session.end(subscription, .complete) }
        for emission in emissions where emission.subscription.isComplete {
            session.end(emission.subscription, .complete)
        }
    }

    private func deliver(
        to session: Session,
        _ graph: LiveGraph,
        _ marked: ContiguousArray<Subscription>,
        _ emissions: ContiguousArray<QueuedEmission>
    ) {
        var place = 0
        while place < emissions.count {
            let commit = emissions[place].commit
            var slow: [Subscription] = []
            var isNewest = false
            let message = builder.message(.update, of: graph, rev: commit.stamp.rev) { buffer in
                UpdateEnvelope.appendHead(of: graph, commit, to: &buffer)
                let first = place
                while place < emissions.count, emissions[place].commit === commit {
                    if place > first { buffer.append(",") }
                    emissions[place].subscription.append(emissions[place].content, to: &buffer)
                    emissions[place].subscription.delivered()
                    place += 1
                }
                isNewest = place == emissions.count && commit.stamp.rev == graph.rev
                if isNewest { slow = append(marked, isFirst: false, of: session, to: &buffer) }
                UpdateEnvelope.appendTail(commit, to: &buffer)
            }
            session.send(message)
            endSlow(slow, of: session)
            if isNewest { return }
        }
        guard !marked.isEmpty else { return }
        var slow: [Subscription] = []
        let message = builder.message(.update, of: graph, rev: graph.rev) { buffer in
            cache.envelope.appendHead(of: graph, to: &buffer)
            slow = append(marked, isFirst: true, of: session, to: &buffer)
            cache.envelope.appendTail(of: graph, to: &buffer)
        }
        if slow.count < marked.count { session.send(message) }
        endSlow(slow, of: session)
    }

    /// Appends the entries of subscriptions in mode `latest`, up to the size of one answer.
    ///
    /// - Returns: the subscriptions for which there was no room. A message with the rev must not
    ///   leave them out, so they end with `slow`.
    private func append(
        _ marked: ContiguousArray<Subscription>,
        isFirst: Bool,
        of session: Session,
        to buffer: inout ByteBuffer
    ) -> [Subscription] {
        var isFirst = isFirst
        var slow: [Subscription] = []
        for subscription in marked {
            guard buffer.count < session.host.limits.answerBytes, !subscription.exceedsAnswer else {
                slow.append(subscription)
                continue
            }
            if !isFirst { buffer.append(",") }
            isFirst = false
            subscription.appendEntry(to: &buffer)
            subscription.delivered()
        }
        return slow
    }

    /// The socket is full: sends kept answers, and the messages of mode `all` before them.
    private func answerPastTheLimit(_ session: Session) {
        guard session.inbox.pending.hasAnswer else { return }
        if !session.outbox.queue.isEmpty { deliver(to: session, marks: false) }
        session.clients.dispatcher.drain(session)
    }

    // MARK: - Limits

    /// A commit's turn is over.
    @inline(__always)
    func finishCommit() {
        if !overflowing.isEmpty { relieveAll() }
    }

    private func relieveAll() {
        let sessions = overflowing
        overflowing = []
        for session in sessions { relieve(session) }
    }

    /// A queue of mode `all` is longer than allowed: sends what the socket takes; a subscription
    /// that is still above its limit ends with `slow`, and above the hard limit so does the
    /// connection.
    private func relieve(_ session: Session) {
        session.outbox.isOverflowing = false
        guard !session.isClosed, let transport = session.transport else { return }
        let limits = session.host.limits
        if session.hasRoom { deliver(to: session) }
        guard !session.isClosed else { return }
        let waiting = session.subscriptions.filter { $0.queued > 0 }
        endSlow(waiting.filter { $0.queued > $0.options.queue }, of: session)
        if let over = session.subscriptions.last(where: \.isOverHeld) { endSlow([over], of: session) }
        let room = limits.hardBytes - transport.unsentBytes
        endSlow(Array(session.outbox.queue.largest(of: waiting, over: room)), of: session)
        if !session.isClosed, transport.unsentBytes > limits.hardBytes { session.endConnection(4580, "slow") }
    }

    /// Ends subscriptions with `slow`, as many as this turn allows; the others are muted until
    /// their turn comes.
    private func endSlow(_ slow: [Subscription], of session: Session) {
        guard !slow.isEmpty else { return }
        session.outbox.queue.drop(of: slow)
        session.transport?.heldChanged()
        for subscription in slow { subscription.mute() }
        session.host.pipelines.slow.end(slow, in: session.host)
    }
}
