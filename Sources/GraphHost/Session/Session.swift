internal import ReactiveGraph
internal import Support

/// One client's state in the protocol `sluice.v1.json`: its subscriptions, what it waits for, what it has to
/// be told.
///
/// Whoever holds the connection makes one, hands it every message, and ends it with ``close(_:)``, the one way
/// out: whatever the reason, all that only this client needed is freed before that call returns.
public final class Session {
    // What every delivery touches comes first, as in ``Subscription``.
    unowned(unsafe) let host: Host
    private let sessions: Unmanaged<Sessions>
    // What the client still has to be told: Session+Delivery.swift.
    @exclusivity(unchecked) var nextMarked: Unmanaged<Session>?
    @exclusivity(unchecked) var firstMarked: Unmanaged<Subscription>?
    @exclusivity(unchecked) var lastMarked: Unmanaged<Subscription>?
    // One byte each: together they take the room of two words.
    @exclusivity(unchecked) var isMarked = false
    @exclusivity(unchecked) var isBlocked = false
    /// The number of the turn in which its socket took bytes again.
    @exclusivity(unchecked) var waitedUntil: UInt64 = .max
    /// Whether what is delivered in this turn has waited for the socket.
    var hasWaited: Bool { waitedUntil == host.turns }
    @exclusivity(unchecked) var isOverflowing = false
    /// Whether ``close(_:)`` has been called.
    @exclusivity(unchecked) public private(set) var isClosed = false
    /// Why it was closed.
    private var ending = CloseReason.closed
    /// Whether messages are values and nothing around them.
    let isBare: Bool
    /// Whether deliveries are made one by one: messages are bare values, or there is a subscription with facets.
    @exclusivity(unchecked) private(set) var isSpecial: Bool
    /// Snapshots of a stream of events are still to come.
    var isOpening = false
    var isDraining = false
    /// Requests go on when the socket has taken what it was given.
    @exclusivity(unchecked) var waitsForRoom = false
    /// It is on the host's list of those whose requests go on in the next turn.
    var isUnfinished = false
    var isThrottled = false
    /// An answer waits for the end of the turn, because frames that belong before it do: nothing may overtake them.
    var holdsAnswers = false
    @exclusivity(unchecked) private(set) var sink: (any MessageSink)?
    @exclusivity(unchecked) var queue: ContiguousArray<QueuedEmission> = []
    @exclusivity(unchecked) var requests = PendingRequests()

    /// Its number, unique in the host and never used again.
    public let number: UInt64
    /// How it is reached: `ws`, `sse`, or what the server calls it.
    public let transport: String
    /// When it began, in milliseconds since 1970.
    public let since: UInt64

    /// Where it stands in the host's list.
    var place = -1
    let form: SessionForm
    public internal(set) var access: SessionAccess
    /// Owns the subscriptions, and nothing else.
    private let bag = CancellableBag()
    private(set) var subscriptionCount = 0
    /// Whether it is closed and stands in the host's list of those that are released.
    var isLeaving = false
    /// What few sessions have: Session+Extras.swift.
    var extras: Extras?
    /// How fast this connection may send.
    @exclusivity(unchecked) var rate = RateLimit()
    /// What this session's requests have had of the present turn.
    var share = TurnShare()
    @exclusivity(unchecked) var queuedBytes = 0

    /// A session of `host` whose messages go to `sink`; it holds the sink until it is closed.
    ///
    /// - Parameters:
    ///   - host: whose graphs it may use; it lives longer than the session.
    ///   - sink: where messages go.
    ///   - transport: `ws`, or what pictures shall show.
    ///   - access: who the peer is known to be; unless authorised, only `hello` is answered.
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

    /// Emissions that were folded into a later one, in all subscriptions there are now.
    public var folded: UInt64 { listed.reduce(0) { $0 + $1.foldedInAll } }

    // MARK: - Messages out

    /// Hands a finished message to the sink, past the soft limit but not past the hard one.
    func send(_ message: UnsafeRawBufferPointer) {
        guard let sink else { return }
        host.sessions.messagesOut += 1
        sink.send(message: message)
        if sink.unsentBytes + queuedBytes > host.limits.hardBytes, !isOverflowing {
            isOverflowing = true
            host.sessions.overflows(self)
        }
    }

    /// Builds and sends one message that is no delivery.
    func send(_ build: (inout ByteBuffer) -> Void) {
        host.answer.removeAll()
        build(&host.answer)
        send(host.answer.bytes)
    }

    // MARK: - Subscriptions

    /// The subscriptions there are at this moment, oldest first.
    var subscriptions: [Subscription] { Array(listed) }

    /// The same where none of them ends meanwhile.
    private var listed: HeldListens<Subscription> { bag.listens(as: Subscription.self) }

    var newest: Subscription? {
        bag.lastListen.map { unsafeDowncast($0, to: Subscription.self) }
    }

    /// Takes a new subscription, and owns it until it ends.
    func add(_ subscription: Subscription) {
        bag.insert(subscription)
        if subscription.options.hasFacets { isSpecial = true }
        count(subscription, 1)
    }

    /// Takes a subscription that another session had, and owns it until it ends.
    func adopt(_ subscription: Subscription) {
        bag.adopt(subscription)
        if subscription.options.hasFacets { isSpecial = true }
        count(subscription, 1)
    }

    /// The session has a subscription more, or less.
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

    /// Ends one subscription and frees what only it needed: the one place where that happens.
    ///
    /// It and each node that is freed are work of this turn.
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

    /// Ends one subscription and tells the client why; nothing where it has ended already.
    func end(_ subscription: Subscription, _ code: EndCode) {
        guard !subscription.isEnded else { return }
        let released = end(subscription, because: code.rawValue)
        tellEnd(of: subscription.id, code, released: released)
    }

    /// The last word on a subscription that has ended.
    func tellEnd(of id: UInt64, _ code: EndCode, released: UInt64) {
        guard !isClosed else { return }
        if isBare {
            let close: (UInt16, String) = code == .slow ? (4580, "slow") : (1000, code.rawValue)
            finish(close.0, close.1)
            return
        }
        send { Answer.end(id: id, code, released: released, to: &$0) }
        // A stream of events has nothing to say any more, and nobody can ask it for something else.
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

        /// A reason of that spelling.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The peer said goodbye.
        public static let closed = Self(rawValue: "closed")
        /// The connection broke.
        public static let reset = Self(rawValue: "reset")
        /// The peer did not answer.
        public static let timeout = Self(rawValue: "timeout")
        /// The peer broke the protocol.
        public static let protocolError = Self(rawValue: "protocol")
        /// The peer did not read.
        public static let slow = Self(rawValue: "slow")
        /// What it listened to goes on in another epoch.
        public static let epochLost = Self(rawValue: "epoch")
        /// The server stops.
        public static let shutdown = Self(rawValue: "shutdown")
    }

    /// Ends the session: its client is told nothing more, and listeners, chains and nodes that only it needed go.
    ///
    /// Chains with a ticket stay for a while (K-1).
    ///
    /// They are gone when this returns, unless so many go in this turn that others would wait for it: what is above
    /// ``SessionLimits/work`` goes in the next turns, session by session in the order of their ends.
    ///
    /// - Returns: how many nodes were freed by this call; 0 when it was closed before.
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

    /// Ends subscriptions of a session that is closed, newest first.
    ///
    /// - Parameter room: how much ``Host/work`` that may be. The last one may exceed it.
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

    /// The server is about to stop: every subscription ends with `shutdown`, the connection with 4503 and the
    /// milliseconds after which to come back.
    ///
    /// Where sets are at the log, their answers come first; nothing new is done meanwhile.
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

    /// The connection of a server that is about to stop ends when the client knows what became of all that it set.
    func leaveIfAnswered() {
        guard let leaving, requests.isEmpty, !isClosed, let sink else { return }
        close(.shutdown)
        sink.close(code: 4503, reason: "{\"after\":\(leaving)}")
    }

    /// Asks for ``flush(_:)`` at the end of the turn.
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

/// What a session's messages look like.
public enum SessionForm {
    /// The protocol `sluice.v1.json`.
    case messages
    /// The same deliveries, as events of a stream that was asked for once.
    case events
    /// Bare values of one node, both ways.
    case node(NamedNode)
}
