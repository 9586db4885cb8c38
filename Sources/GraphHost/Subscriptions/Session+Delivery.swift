internal import ReactiveGraph
internal import Support

// A session's outstanding deliveries: marks of `latest` subscriptions, whose values are read when
// they are encoded, and queued emissions of `all` subscriptions.
//
// Invariants: a subscription is in the list of marks exactly when `isMarked` is set and `isMuted`
// is not; the list owns a reference only to those that have ended since (`isHeldByMarks`). The
// session is in the host's list, or waits for its socket (`isBlocked`), exactly when its own
// `isMarked` is set.

/// One emission for a subscription in mode `all`.
struct QueuedEmission {
    let subscription: Subscription
    let commit: CommitInfo
    /// The emission, in the subscription's own format: a ``Datum``, nil if it was empty, or a
    /// ``WideEmission``.
    var content: AnyObject?
}

extension Session {
    // MARK: - Collecting, during a turn

    /// A `latest` subscription has a new value; it is not in the list yet.
    func mark(_ subscription: Subscription) {
        let entry = Unmanaged.passUnretained(subscription)
        if let lastMarked {
            lastMarked._withUnsafeGuaranteedRef { $0.nextMarked = entry }
        } else {
            firstMarked = entry
        }
        lastMarked = entry
        wake()
    }

    /// A subscription in mode `all` has another value.
    func queue(_ subscription: Subscription, _ value: Datum?) {
        guard !isClosed else { return }
        queue.append(
            QueuedEmission(subscription: subscription, commit: subscription.graph.frames.info, content: value)
        )
        count(subscription, bytes: value?.byteCount ?? 12)
    }

    /// Counts another queued value of a subscription.
    func count(_ subscription: Subscription, bytes: Int) {
        subscription.queued += 1
        subscription.queuedBytes += bytes
        queuedBytes += bytes
        let isOver = subscription.queued > subscription.options.queue || queuedBytes > host.limits.hardBytes
        if isOver, !isOverflowing {
            isOverflowing = true
            host.sessions.overflows(self)
        }
        wake()
    }

    // MARK: - Delivering, between turns

    /// The peer has caught up: marked subscriptions get their present values.
    ///
    /// The sink calls it when its unsent bytes have fallen below the soft limit again; the messages
    /// are sent by the next ``Host/flush()``.
    public func drained() {
        if waitsForRoom {
            waitsForRoom = false
            drain()
        }
        guard isBlocked else { return }
        isBlocked = false
        waitedUntil = host.turns
        host.sessions.mark(self)
    }

    /// The end of the loop turn.
    func flush(_ latest: LatestFrame) {
        guard !isClosed, let sink else {
            isMarked = false
            return
        }
        holdsAnswers = false
        let unsent = sink.unsentBytes
        guard unsent <= host.limits.softBytes else {
            isBlocked = true
            answerPastTheLimit()
            return
        }
        isMarked = false
        // Answers that were kept for the frames of this turn are sent after them.
        defer { if !requests.isEmpty, !isClosed { drain() } }
        if firstMarked == nil, subscriptionCount == 1, !isSpecial {
            deliverLoneQueue(latest, sink)
            return
        }
        guard queue.isEmpty, let first = firstMarked,
            first._withUnsafeGuaranteedRef({ $0.nextMarked == nil }), !isSpecial
        else {
            deliver(latest)
            return
        }
        // The usual case: one subscription in mode `latest`.
        firstMarked = nil
        lastMarked = nil
        var completes: UInt64?
        let isEnded = first._withUnsafeGuaranteedRef { subscription in
            subscription.isMarked = false
            if subscription.isEnded { return true }
            if !latest.fits(subscription) { latest.build(subscription) }
            latest.count += 1
            subscription.delivered()
            if subscription.isComplete { completes = subscription.id }
            return false
        }
        if isEnded {
            first.release()
            return
        }
        // From here on the subscription may be gone: a sink that fails closes the session.
        if requests.isEmpty, completes == nil {
            return sink.send(shared: latest.buffer.bytes, number: latest.number)
        }
        sink.send(message: latest.buffer.bytes)
        if let completes, let subscription = subscription(completes) { end(subscription, .complete) }
    }

    /// Delivers to a session with a single subscription, in mode `all`: one message per commit.
    private func deliverLoneQueue(_ latest: LatestFrame, _ sink: any MessageSink) {
        guard let subscription = queue.first?.subscription else { return }
        if subscription.options.every > 0, subscription.postponed() { return }
        // Nothing is held back any more: each message may move the client's cursor.
        queuedBytes = 0
        subscription.queued = 0
        subscription.queuedBytes = 0
        var place = 0
        while place < queue.count {
            var next = place + 1
            while next < queue.count, queue[next].commit === queue[place].commit { next += 1 }
            let message = latest.message(of: subscription, queue[place..<next])
            latest.count += 1
            sink.send(message: message)
            place = next
        }
        queue.removeAll(keepingCapacity: queue.count <= 64)
        subscription.delivered()
        if subscription.isComplete { end(subscription, .complete) }
    }

    /// Sends everything that is due in as few messages as the protocol allows: per graph the frames
    /// of mode `all` in order of rev, with the `latest` entries in the last of them.
    ///
    /// Without `marks` only the frames of mode `all`: marks stay for the end of the turn.
    func deliver(_ latest: LatestFrame, marks: Bool = true) {
        let marked = marks ? takeMarks() : []
        let emissions = takeQueue()
        var graphs: [LiveGraph] = []
        for emission in emissions where !graphs.contains(where: { $0 === emission.subscription.graph }) {
            graphs.append(emission.subscription.graph)
        }
        for subscription in marked where !graphs.contains(where: { $0 === subscription.graph }) {
            graphs.append(subscription.graph)
        }
        latest.forget()
        for graph in graphs {
            if isBare {
                deliverBare(marked, emissions)
            } else {
                deliver(
                    graph,
                    marked.filter { $0.graph === graph },
                    emissions.filter { $0.subscription.graph === graph },
                    &latest.buffer
                )
            }
        }
        latest.forget()
        for subscription in marked where subscription.isComplete { end(subscription, .complete) }
        for emission in emissions where emission.subscription.isComplete {
            end(emission.subscription, .complete)
        }
    }

    private func deliver(
        _ graph: LiveGraph,
        _ marked: ContiguousArray<Subscription>,
        _ emissions: ContiguousArray<QueuedEmission>,
        _ buffer: inout ByteBuffer
    ) {
        var place = 0
        while place < emissions.count {
            let commit = emissions[place].commit
            buffer.removeAll()
            graph.frames.appendHead(to: &buffer, commit)
            var isFirst = true
            while place < emissions.count, emissions[place].commit === commit {
                if !isFirst { buffer.append(",") }
                isFirst = false
                emissions[place].subscription.append(emissions[place].content, to: &buffer)
                emissions[place].subscription.delivered()
                place += 1
            }
            let isNewest = place == emissions.count && commit.stamp.rev == graph.rev
            if isNewest { append(marked, isFirst: false, to: &buffer) }
            graph.frames.appendTail(to: &buffer, commit)
            send(buffer.bytes)
            if isNewest { return }
        }
        guard !marked.isEmpty else { return }
        buffer.removeAll()
        graph.frames.appendHead(to: &buffer)
        append(marked, isFirst: true, to: &buffer)
        graph.frames.appendTail(to: &buffer)
        send(buffer.bytes)
    }

    private func append(_ marked: ContiguousArray<Subscription>, isFirst: Bool, to buffer: inout ByteBuffer) {
        var isFirst = isFirst
        for subscription in marked {
            if !isFirst { buffer.append(",") }
            isFirst = false
            subscription.appendEntry(to: &buffer)
            subscription.delivered()
        }
    }

    /// The bare stream: sends each value alone and skips empties and failures; with facets, it
    /// sends entries like those of `upd`.
    private func deliverBare(
        _ marked: ContiguousArray<Subscription>,
        _ emissions: ContiguousArray<QueuedEmission>
    ) {
        for emission in emissions {
            if emission.subscription.options.hasFacets {
                sendBare(emission)
            } else if let value = Subscription.value(emission.content), !value.isFail {
                value.withBytes(send(_:))
            }
            emission.subscription.delivered()
        }
        for subscription in marked {
            if subscription.options.hasFacets {
                sendObject { subscription.appendNews(to: &$0) }
            } else if let value = subscription.node?.value, !value.isFail {
                value.withBytes(send(_:))
            }
            subscription.delivered()
        }
    }

    private func sendBare(_ emission: QueuedEmission) {
        sendObject { buffer in
            if let state = emission.content as? StateEmission { return state.appendContent(to: &buffer) }
            Subscription.append(Subscription.value(emission.content), to: &buffer)
        }
    }

    /// Sends an object with these members.
    func sendObject(_ members: (inout ByteBuffer) -> Void) {
        send { buffer in
            buffer.append("{")
            members(&buffer)
            buffer.append("}")
        }
    }

    /// The socket is full: sends kept answers, and the frames of mode `all` before them.
    private func answerPastTheLimit() {
        guard requests.hasAnswer else { return }
        if !queue.isEmpty { deliver(host.sessions.latest, marks: false) }
        drain()
    }

    /// Removes a subscription from the list of marks, if it is in it.
    func unmark(_ subscription: Subscription) {
        guard subscription.isMarked, !subscription.isMuted else { return }
        for other in takeMarks() where other !== subscription {
            other.isMarked = true
            mark(other)
        }
    }

    private func takeMarks() -> ContiguousArray<Subscription> {
        var marked: ContiguousArray<Subscription> = []
        while let entry = firstMarked {
            let subscription = entry.takeUnretainedValue()
            firstMarked = subscription.nextMarked
            subscription.nextMarked = nil
            subscription.isMarked = false
            if !subscription.isEnded { marked.append(subscription) }
            if subscription.isHeldByMarks {
                subscription.isHeldByMarks = false
                entry.release()
            }
        }
        lastMarked = nil
        return marked
    }

    /// Removes and returns the queued emissions whose interval is over.
    private func takeQueue() -> ContiguousArray<QueuedEmission> {
        guard !queue.isEmpty else { return [] }
        var taken: ContiguousArray<QueuedEmission> = []
        var rest: ContiguousArray<QueuedEmission> = []
        for emission in queue {
            let subscription = emission.subscription
            if subscription.options.every > 0, subscription.postponed() {
                rest.append(emission)
                continue
            }
            let size = subscription.size(of: emission.content)
            subscription.queued -= size.count
            subscription.queuedBytes -= size.bytes
            queuedBytes -= size.bytes
            taken.append(emission)
        }
        queue = rest
        return taken
    }

    // MARK: - Limits

    /// A queue of mode `all` is longer than allowed: sends what the socket takes; a subscription
    /// that is still above its limit ends with `slow`, and above the hard limit so does the
    /// connection.
    func relieve() {
        isOverflowing = false
        guard !isClosed, let sink else { return }
        if sink.unsentBytes <= host.limits.softBytes { deliver(host.sessions.latest) }
        guard !isClosed else { return }
        let waiting = subscriptions.filter { $0.queued > 0 }
        endSlow(waiting.filter { $0.queued > $0.options.queue })
        endSlow(Array(largest(of: waiting, over: host.limits.hardBytes - sink.unsentBytes)))
        if !isClosed, sink.unsentBytes > host.limits.hardBytes { finish(4580, "slow") }
    }

    /// The largest queues that must go to keep `limit`.
    private func largest(of waiting: [Subscription], over limit: Int) -> ArraySlice<Subscription> {
        guard queuedBytes > limit else { return [] }
        var left = queuedBytes
        return waiting.sorted { $0.queuedBytes > $1.queuedBytes }.prefix { subscription in
            defer { left -= subscription.queuedBytes }
            return left > limit && subscription.queuedBytes > 0
        }
    }

    /// Ends subscriptions with `slow`, as many as this turn allows; the others are muted until
    /// their turn comes.
    private func endSlow(_ slow: [Subscription]) {
        guard !slow.isEmpty else { return }
        dropQueues(of: slow)
        for subscription in slow { subscription.mute() }
        host.lanes.overflow(slow, in: host)
    }

    /// Drops the queued emissions of these subscriptions, in one pass over the queue.
    func dropQueues(of subscriptions: [Subscription]) {
        guard subscriptions.contains(where: { $0.queued > 0 }) else { return }
        let dropped = Set(subscriptions.lazy.map { ObjectIdentifier($0) })
        queue.removeAll { dropped.contains(ObjectIdentifier($0.subscription)) }
        for subscription in subscriptions {
            queuedBytes -= subscription.queuedBytes
            subscription.queued = 0
            subscription.queuedBytes = 0
        }
    }

    func dropMarks() {
        _ = takeMarks()
        queue = []
        queuedBytes = 0
    }
}
