internal import ReactiveGraph
internal import Support

/// One client's state in the protocol `sluice.v1.json`: its subscriptions, its pending requests,
/// and what must still be sent to it.
///
/// The connection makes one, passes every message to it, and ends it with ``close(_:)``. That is
/// the only way a session ends: everything that only this client needed is freed before that call
/// returns, whatever the reason.
public final class Session {
    // The properties that every delivery touches come first, as in ``Subscription``.
    unowned(unsafe) let host: Host
    private let sessions: Unmanaged<Sessions>
    // Deliveries that are due: Session+Delivery.swift.
    @exclusivity(unchecked) var nextMarked: Unmanaged<Session>?
    @exclusivity(unchecked) var firstMarked: Unmanaged<Subscription>?
    @exclusivity(unchecked) var lastMarked: Unmanaged<Subscription>?
    // One byte each, to keep sessions small.
    @exclusivity(unchecked) var isMarked = false
    @exclusivity(unchecked) var isBlocked = false
    /// The number of the turn in which its socket accepted bytes again.
    @exclusivity(unchecked) var waitedUntil: UInt64 = .max
    /// Whether deliveries of this turn have waited for the socket.
    var hasWaited: Bool { waitedUntil == host.turns }
    @exclusivity(unchecked) var isOverflowing = false
    /// Whether ``close(_:)`` has been called.
    @exclusivity(unchecked) public private(set) var isClosed = false
    /// Why it was closed.
    private var ending = CloseReason.closed
    /// Whether messages are bare values.
    let isBare: Bool
    /// Whether deliveries are built one by one: messages are bare values, or a subscription has
    /// facets.
    @exclusivity(unchecked) private(set) var isSpecial: Bool
    /// Snapshots of an event stream are still outstanding.
    var isOpening = false
    var isDraining = false
    /// Requests continue when the socket has accepted what it was given.
    @exclusivity(unchecked) var waitsForRoom = false
    /// It is on the host's list of sessions whose requests continue in the next turn.
    var isUnfinished = false
    var isThrottled = false
    /// An answer waits for the end of the turn, because frames must be sent before it: nothing may
    /// overtake them.
    var holdsAnswers = false
    @exclusivity(unchecked) private(set) var sink: (any MessageSink)?
    @exclusivity(unchecked) var queue: ContiguousArray<QueuedEmission> = []
    @exclusivity(unchecked) var requests = PendingRequests()

    /// Its number, unique in the host and never reused.
    public let number: UInt64
    /// The transport: `ws`, `sse`, or a name that the server gives.
    public let transport: String
    /// When it began, in milliseconds since 1970.
    public let since: UInt64

    /// Its index in the host's list.
    var place = -1
    let form: SessionForm
    public internal(set) var access: SessionAccess
    /// Owns the subscriptions, and nothing else.
    private let bag = CancellableBag()
    private(set) var subscriptionCount = 0
    /// Whether it is closed and on the host's list of sessions to release.
    var isLeaving = false
    /// State that few sessions need: Session+Extras.swift.
    var extras: Extras?
    /// Limits how fast this connection may send.
    @exclusivity(unchecked) var rate = RateLimit()
    /// How much of the present turn this session's requests have used.
    var share = TurnShare()
    @exclusivity(unchecked) var queuedBytes = 0

    /// A session of `host` whose messages go to `sink`; it holds the sink until it is closed.
    ///
    /// - Parameters:
    ///   - host: the host, which outlives the session.
    ///   - sink: receives the messages.
    ///   - transport: `ws`, or another name for pictures.
    ///   - access: the client's rights; unless it has any, only `hello` is answered.
    ///   - form: the protocol, or bare values of one node.
    public init(
        host: Host,
        sink: any MessageSink,
        transport: String = "ws",
        access: SessionAccess = .open,
        form: SessionForm = .messages
    ) {
        number = host.sessions.number()
        self.transport = transport
        since = host.clock.wall
        self.host = host
        sessions = .passUnretained(host.sessions)
        self.sink = sink
        self.form = form
        isBare = if case .node = form { true } else { false }
        isSpecial = isBare
        self.access = access
        host.sessions.add(self)
        if access.access == nil { greeting = Greeting(self) }
        watchExpiry()
    }

    /// How many emissions were folded into a later one, in all present subscriptions.
    public var folded: UInt64 { listed.reduce(0) { $0 + $1.foldedInAll } }

    // MARK: - Messages out

    /// Passes a finished message to the sink, above the soft limit but not above the hard one.
    func send(_ message: UnsafeRawBufferPointer) {
        guard let sink else { return }
        host.sessions.messagesOut += 1
        sink.send(message: message)
        if sink.unsentBytes + queuedBytes > host.limits.hardBytes, !isOverflowing {
            isOverflowing = true
            host.sessions.overflows(self)
        }
    }

    /// Builds and sends one message other than a delivery.
    func send(_ build: (inout ByteBuffer) -> Void) {
        host.answer.removeAll()
        build(&host.answer)
        send(host.answer.bytes)
    }

    // MARK: - Subscriptions

    /// The present subscriptions, oldest first.
    var subscriptions: [Subscription] { Array(listed) }

    /// The same, if none of them ends meanwhile.
    private var listed: HeldListens<Subscription> { bag.listens(as: Subscription.self) }

    var newest: Subscription? {
        bag.lastListen.map { unsafeDowncast($0, to: Subscription.self) }
    }

    /// Adds a new subscription, which it owns until the subscription ends.
    func add(_ subscription: Subscription) {
        bag.insert(subscription)
        if subscription.options.hasFacets { isSpecial = true }
        count(subscription, 1)
    }

    /// Adds a subscription from another session, which it owns until the subscription ends.
    func adopt(_ subscription: Subscription) {
        bag.adopt(subscription)
        if subscription.options.hasFacets { isSpecial = true }
        count(subscription, 1)
    }

    /// Updates the number of subscriptions.
    func count(_ subscription: Subscription, _ change: Int) {
        subscriptionCount += change
        if change < 0 {
            if extras?.index?.remove(subscription) == true { index = nil }
        } else if subscriptionCount > SubscriptionIndex.mostSearched || extras?.index != nil {
            addToIndex(subscription)
        }
        subscription.graph.subscriptions += change
        if subscription.options.loads { subscription.graph.loaders += change }
        host.sessions.subscriptions += change
    }

    func subscription(_ id: UInt64) -> Subscription? {
        if let index = extras?.index { return index[id] }
        return listed.first { $0.id == id }
    }

    private func addToIndex(_ subscription: Subscription) {
        if let index = extras?.index { return index.add(subscription) }
        index = SubscriptionIndex(listed)
    }

    /// Ends one subscription and frees everything that only it needed.
    ///
    /// No other code does this.
    ///
    /// It and each freed node count as work of this turn.
    ///
    /// - Returns: how many nodes were freed.
    @discardableResult
    func end(_ subscription: Subscription, because reason: @autoclosure () -> String) -> UInt64 {
        guard !subscription.isEnded else { return 0 }
        let graph = subscription.graph
        let isKept = subscription.isKept
        tellLeaving(subscription, because: reason())
        let before = graph.chains.releasedCount
        if subscription.owners != nil { forget(subscription.namedOwners) }
        subscription.release()
        if subscription.queued > 0 { dropQueues(of: [subscription]) }
        if let ticket = subscription.ticket { forget(ticket) }
        if !isKept { count(subscription, -1) }
        graph.audit()
        let freed = graph.chains.releasedCount - before
        host.work += 1 + freed
        return freed
    }

    /// Ends one subscription and sends the client the reason; no effect if it has ended already.
    func end(_ subscription: Subscription, _ code: EndCode) {
        guard !subscription.isEnded else { return }
        let released = end(subscription, because: code.rawValue)
        tellEnd(of: subscription.id, code, released: released)
    }

    /// Sends the `end` of a subscription.
    func tellEnd(of id: UInt64, _ code: EndCode, released: UInt64) {
        guard !isClosed else { return }
        if isBare {
            let close: (UInt16, String) = code == .slow ? (4580, "slow") : (1000, code.rawValue)
            finish(close.0, close.1)
            return
        }
        send { Answer.end(id: id, code, released: released, to: &$0) }
        // An event stream without subscriptions has nothing more to send, and its client cannot ask
        // for more.
        if case .events = form, subscriptionCount == 0, !isOpening { finish(1000, code.rawValue) }
    }

    /// Whether it has subscriptions to the graph, or observes it.
    func listens(to graph: LiveGraph) -> Bool {
        everySubscription.contains { $0.graph === graph } || observers.contains { $0.graph === graph }
            || demands.contains { $0.graph === graph }
    }

    func endAll(of graph: LiveGraph, _ code: EndCode) {
        for subscription in everySubscription where subscription.graph === graph { end(subscription, code) }
        for observer in observers where observer.graph === graph { end(observer, code) }
        for demand in demands where demand.graph === graph { end(demand, code) }
    }

    // MARK: - The end

    /// Why a session ends.
    ///
    /// The teardown is the same for all; the reason is for logs.
    public struct CloseReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        /// A reason with that spelling.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The client closed the connection.
        public static let closed = Self(rawValue: "closed")
        /// The connection broke.
        public static let reset = Self(rawValue: "reset")
        /// The peer did not answer.
        public static let timeout = Self(rawValue: "timeout")
        /// The peer broke the protocol.
        public static let protocolError = Self(rawValue: "protocol")
        /// The peer did not read.
        public static let slow = Self(rawValue: "slow")
        /// The graph it listened to continues in another epoch.
        public static let epochLost = Self(rawValue: "epoch")
        /// The server is stopping.
        public static let shutdown = Self(rawValue: "shutdown")
    }

    /// Ends the session: sends nothing more to its client, and frees the listeners, chains and
    /// nodes that only it needed.
    ///
    /// Chains with a ticket are kept for a while (K-1).
    ///
    /// They are freed when this returns, unless so many sessions end in this turn that others would
    /// have to wait: work above ``SessionLimits/work`` is done in the next turns, session by
    /// session in the order in which they ended.
    ///
    /// - Returns: how many nodes this call freed; 0 if the session was already closed.
    @discardableResult
    public func close(_ reason: CloseReason = .closed) -> UInt64 {
        guard !isClosed else { return 0 }
        isClosed = true
        ending = reason
        greeting?.cancel()
        greeting = nil
        expiry?.cancel()
        expiry = nil
        dropObservers()
        dropDemands()
        dropMarks()
        requests.clear()
        sink = nil
        keepChains(reason)
        let released = host.sessions.end(self)
        let claims = presence.values.sorted { $0.node.name < $1.node.name }
        presence = [:]
        if !claims.isEmpty { host.presences.clear(claims, by: access.name) }
        return released
    }

    /// Ends subscriptions of a closed session, newest first.
    ///
    /// - Parameter room: the limit, in units of ``Host/work``. The last one may exceed it.
    /// - Returns: how many nodes were freed.
    func release(within room: UInt64) -> UInt64 {
        var freed: UInt64 = 0
        let before = host.work
        while host.work - before < room, let next = nextToRelease {
            freed += end(next, because: next.isKept ? "expired" : ending.rawValue)
        }
        if isReleased { dropMarks() }
        return freed
    }

    /// Closes the connection with a close code (docs/protocol.md, Errors), and the session with it.
    func finish(_ code: UInt16, _ reason: String) {
        guard let sink else { return }
        switch code {
        case 4510: close(.epochLost)
        case 4580: close(.slow)
        default: close(.protocolError)
        }
        sink.close(code: code, reason: reason)
    }

    /// The server is about to stop: every subscription ends with `shutdown`, the connection with
    /// 4503 and the milliseconds after which to reconnect.
    ///
    /// Answers to pending sets are sent first; new requests are not performed.
    public func shutDown(after milliseconds: Int) {
        guard !isClosed else { return }
        deliver(host.sessions.latest)
        if !isBare {
            while let newest { end(newest, .shutdown) }
            while let last = observers.last { end(last, .shutdown) }
            while let last = demands.last { end(last, .shutdown) }
        }
        guard !isClosed else { return }
        leaving = milliseconds
        requests.dropUnperformed()
        leaveIfAnswered()
    }

    /// Closes the connection of a stopping server once all pending sets are answered.
    func leaveIfAnswered() {
        guard let leaving, requests.isEmpty, !isClosed, let sink else { return }
        close(.shutdown)
        sink.close(code: 4503, reason: "{\"after\":\(leaving)}")
    }

    /// Requests a call of ``flush(_:)`` at the end of the turn.
    @inline(__always)
    func wake() {
        guard !isMarked else { return }
        isMarked = true
        sessions._withUnsafeGuaranteedRef { $0.mark(self) }
    }

    func greeted() {
        greeting?.cancel()
        greeting = nil
    }
}

/// The form of a session's messages.
public enum SessionForm {
    /// The protocol `sluice.v1.json`.
    case messages
    /// The same deliveries, as server-sent events of one request.
    case events
    /// Bare values of one node, in both directions.
    case node(NamedNode)
}
