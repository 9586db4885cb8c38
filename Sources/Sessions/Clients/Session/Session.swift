public import Graphs
internal import Definitions
internal import ReactiveGraph
public import Support
internal import Values

/// One client's state in the protocol `sluice.v1.json`: its subscriptions, its pending requests,
/// and what must still be sent to it.
///
/// The connection makes one, passes every message to it, and ends it with ``close(_:)``, the only
/// way a session ends. Nothing that only this client needed outlives it, except chains with a
/// ticket; large releases are spread over the next turns.
public final class Session {
    // The properties that every delivery touches come first, as in ``Subscription``.
    unowned let clients: Clients
    /// For code that runs at every delivery.
    private let delivery: Delivery
    var outbox = Outbox()
    // Small ones together, because there are thousands of sessions.
    /// Whether ``close(_:)`` has been called.
    public private(set) var isClosed = false
    private var ending = CloseReason.closed
    let isBare: Bool
    /// Whether deliveries are built one by one: messages are bare values, or a subscription has
    /// facets.
    var isBuiltAlone: Bool
    /// Snapshots of an event stream are still outstanding.
    var isOpening = false
    /// Whether it is closed and on the list of those to release (``Sessions``).
    var isQueuedForRelease = false
    /// How its messages travel.
    public let kind: TransportKind
    /// Its index in the list of ``Sessions``.
    var place: Int32 = -1
    private(set) var transport: (any MessageTransport)?
    var inbox = Inbox()
    /// Its number, unique in the host and never reused.
    public let number: UInt64
    /// When it began, in milliseconds since 1970.
    public let since: UInt64

    let form: SessionForm
    /// The graph of a bare stream's node, which has no subscription yet while it opens.
    private let graph: LiveGraph?
    /// The client's rights; nil until it has sent a token: then only `hello` is answered.
    public internal(set) var access: Access?
    private var table = SubscriptionTable()
    var extras: Extras?
    /// How often this connection was refused because of limits.
    var refusals = LimitRefusals()

    /// One of `clients`, which outlive it; it holds the transport until it is closed.
    ///
    /// Unless the client has rights, only `hello` is answered. `client` is its name, as in `hello`.
    public init(
        of clients: Clients,
        transport: any MessageTransport,
        kind: TransportKind = .ws,
        access: Access? = .full,
        form: SessionForm = .messages,
        client: String? = nil
    ) {
        number = clients.sessions.number()
        self.kind = kind
        since = clients.host.clock.wall
        self.clients = clients
        delivery = clients.delivery
        self.transport = transport
        self.form = form
        graph = if case .node(let node) = form { node.graph } else { nil }
        isBare = graph != nil
        isBuiltAlone = isBare
        self.access = access
        clients.sessions.add(self)
        if let client { madeExtras.client = client }
        if access == nil { madeExtras.greeting = Greeting(self) }
        watchExpiry()
    }

    /// The host of the graphs.
    var host: Host { clients.host }

    // MARK: - Messages

    /// Handles one complete text message from the client: an object, or an array of objects that
    /// take effect in order.
    ///
    /// The bytes are valid only during the call.
    public func receive(message: BorrowedBytes) {
        guard !isClosed, reconnectAfter == nil else { return }
        switch form {
        case .messages: clients.dispatcher.receive(message, from: self, of: host)
        case .node(let node):
            clients.dispatcher.countMessage()
            BareStream(session: self, node: node).receive(message)
        case .events: preconditionFailure("nothing is received on a stream of events")
        }
    }

    /// Passes a finished message to the transport, above the soft limit but not above the hard one.
    func send(_ message: Outgoing) {
        guard let transport else { return }
        if message.kind != .noValue { delivery.countMessage() }
        transport.send(message)
        if transport.unsentBytes + outbox.queue.bytes > host.limits.hardBytes { overflow() }
    }

    // MARK: - Deliveries

    /// A `latest` subscription has a new value; it is not in the list yet.
    @inline(__always)
    func mark(_ subscription: Subscription) {
        outbox.marks.append(subscription)
        wake()
    }

    /// A subscription in mode `all` has another value.
    func queue(_ subscription: Subscription, _ content: AnyObject?, bytes: Int) {
        guard !isClosed else { return }
        outbox.queue.append(
            QueuedEmission(
                subscription: subscription,
                commit: subscription.graph.present.commit,
                content: content
            )
        )
        count(subscription, bytes: bytes)
    }

    /// Counts another queued value of a subscription.
    func count(_ subscription: Subscription, bytes: Int) {
        outbox.queue.count(subscription, bytes: bytes)
        let isOver = subscription.queued > subscription.options.queue
        if isOver || outbox.queue.bytes > host.limits.hardBytes { overflow() }
        guard outbox.isMarked else { return wake() }
        if outbox.isBlocked { transport?.heldChanged() }
    }

    /// The bytes of values that wait until the transport takes messages again, in mode `all`.
    public var queuedBytes: Int { outbox.queue.bytes }

    /// The bytes of requests that cannot be answered yet.
    public var pendingBytes: Int { inbox.pending.bytes }

    func overflow() {
        if !outbox.isOverflowing { delivery.overflows(self) }
    }

    /// Requests a delivery at the end of the turn.
    @inline(__always)
    func wake() {
        guard !outbox.isMarked else { return }
        outbox.isMarked = true
        outbox.hasWaited = false
        delivery.mark(self)
    }

    /// Sends what is due now; without `marks` only what is in mode `all`.
    func deliver(marks: Bool = true) {
        delivery.deliver(to: self, marks: marks)
    }

    /// Whether the peer is fast enough to get more messages.
    ///
    /// Without room the session waits for ``drained()``, which only comes if the kernel has not
    /// taken something. So messages that were merely collected do not count.
    var hasRoom: Bool {
        guard let transport else { return false }
        let most = host.limits.softBytes
        if transport.unsentBytes <= most { return true }
        transport.flush()
        return transport.unsentBytes <= most
    }

    /// The peer has caught up: marked subscriptions get their present values.
    ///
    /// The transport calls it when its unsent bytes have fallen below the soft limit again; the
    /// messages are sent by the next ``Host/flush()``.
    public func drained() {
        if inbox.waitsForRoom {
            inbox.waitsForRoom = false
            clients.dispatcher.drain(self)
        }
        guard outbox.isBlocked else { return }
        outbox.isBlocked = false
        outbox.hasWaited = true
        delivery.mark(self)
    }

    // MARK: - Subscriptions

    /// The present subscriptions, oldest first.
    var subscriptions: [Subscription] { Array(table.listed) }

    var subscriptionCount: Int { table.count }

    var newest: Subscription? { table.newest }

    func subscription(_ id: UInt64) -> Subscription? { table.find(id) }

    func add(_ subscription: Subscription) {
        table.insert(subscription)
        noteChange(of: subscription, by: 1)
    }

    /// Adds a subscription from another session, which it owns until the subscription ends.
    func adopt(_ subscription: Subscription) {
        table.adopt(subscription)
        noteChange(of: subscription, by: 1)
    }

    /// A subscription has ended, or another holder has it.
    func remove(_ subscription: Subscription) {
        table.remove(subscription)
        noteChange(of: subscription, by: -1)
    }

    private func noteChange(of subscription: Subscription, by change: Int) {
        if subscription.options.isWide { isBuiltAlone = true }
        subscription.graph.clients.subscriptions += change
        if subscription.options.loads { subscription.graph.clients.loaders += change }
        if subscription.way != nil { host.noteWays() }
        clients.sessions.subscriptions += change
    }

    /// Ends one subscription and frees everything that only it needed.
    ///
    /// The only caller of ``Subscription/release()``. The subscription and each freed node count as
    /// work of this turn.
    ///
    /// - Returns: how many nodes were freed.
    @discardableResult
    func end(_ subscription: Subscription, because reason: @autoclosure () -> String) -> UInt64 {
        guard !subscription.isEnded else { return 0 }
        let graph = subscription.graph
        let isKept = subscription.isKept
        reportEnd(of: subscription, because: reason())
        let before = graph.releases.count
        if subscription.owners != nil { owners?.forget(subscription.namedOwners) }
        subscription.release()
        if subscription.queued > 0 { outbox.queue.drop(of: [subscription]) }
        if let ticket = subscription.ticket { clients.sessions.kept.forget(ticket) }
        if !isKept { remove(subscription) }
        graph.audit()
        let freed = graph.releases.count - before
        host.work += 1 + Self.workPerRelease * freed
        return freed
    }

    /// Ends one subscription and sends the client the reason; no effect if it has ended already.
    ///
    /// Of a `sync` both directions end, under the id that its client knows.
    func end(_ subscription: Subscription, _ code: EndCode) {
        let subscription = subscription.whole
        guard !subscription.isEnded else { return }
        let released = end(subscription, because: code.rawValue)
        sendEnd(of: subscription.id, code, released: released)
    }

    func sendEnd(of id: UInt64, _ code: EndCode, released: UInt64) {
        guard !isClosed else { return }
        if isBare {
            let close: (UInt16, String) = code == .slow ? (4580, "slow") : (1000, code.rawValue)
            endConnection(close.0, close.1)
            return
        }
        let dispatcher = clients.dispatcher
        send(dispatcher.message(.end(code)) { Answer.end(id: id, code, released: released, to: &$0) })
        // An event stream without subscriptions has nothing more to send, and its client cannot ask
        // for more.
        if case .events = form, subscriptionCount == 0, !isOpening { endConnection(1000, code.rawValue) }
    }

    // MARK: - The end

    /// Ends the session: sends nothing more to its client, and frees the listeners, chains and
    /// nodes that only it needed.
    ///
    /// Chains with a ticket are kept for a while (K-1).
    ///
    /// They are freed when this returns, unless so many sessions end in this turn that others would
    /// have to wait: what needs more than a quarter of ``SessionLimits/work`` is done in the next
    /// turns, session by session in the order in which they ended.
    ///
    /// - Returns: how many nodes this call freed; 0 if the session was already closed.
    @discardableResult
    public func close(_ reason: CloseReason = .closed) -> UInt64 {
        guard !isClosed else { return 0 }
        isClosed = true
        ending = reason
        extras?.close()
        extras?.links?.close(in: host)
        table.close()
        outbox.clear()
        inbox.pending.clear()
        transport = nil
        if reason != .shutdown { clients.sessions.kept.keepChains(of: self, reason) }
        let released = clients.sessions.closed(self)
        let claims = extras?.presence.takeAll() ?? []
        if !claims.isEmpty { host.presences.clear(claims, by: access?.name) }
        return released
    }

    /// How many times longer than a plain node it takes to free one with its stage.
    private static let workPerRelease: UInt64 = 3

    /// Ends subscriptions of a closed session, newest first, until they exceed `room` units of
    /// ``Host/work``.
    ///
    /// - Returns: how many nodes were freed.
    func releaseSubscriptions(within room: UInt64) -> UInt64 {
        var freed: UInt64 = 0
        let before = host.work
        while host.work - before < room, let next = nextToRelease {
            guard next.shed(atMost: room - (host.work - before)) else { break }
            freed += end(next, because: next.isKept ? "expired" : ending.rawValue)
        }
        if isReleased { outbox.clear() }
        return freed
    }

    /// The subscription to release next: those without a kept chain first, newest first, then
    /// expired chains.
    private var nextToRelease: Subscription? {
        newest ?? keptChains.last { $0.isExpired }?.subscription
    }

    /// Whether everything that is not kept has been released.
    var isReleased: Bool { nextToRelease == nil }

    /// Closes the connection with a close code (docs/protocol.md, Errors), and the session with it.
    func endConnection(_ code: UInt16, _ reason: String) {
        guard let transport else { return }
        switch code {
        case 4510: close(.epochLost)
        case 4580: close(.slow)
        default: close(.protocolError)
        }
        transport.close(code: code, reason: reason)
    }

    /// The server is about to stop: every subscription ends with `shutdown`, the connection with
    /// 4503 and the milliseconds after which to reconnect.
    ///
    /// Answers to pending sets are sent first, if they come within that time; new requests are not
    /// performed.
    public func shutDown(after milliseconds: Int) {
        guard !isClosed else { return }
        deliver()
        if !isBare {
            while let newest { end(newest, .shutdown) }
            while let last = observers.last { end(last, .shutdown) }
            while let last = demands.last { end(last, .shutdown) }
        }
        guard !isClosed else { return }
        madeExtras.reconnectAfter = milliseconds
        inbox.pending.dropUnperformed()
        endIfAnswered()
        if !isClosed { madeExtras.leaving = Leaving(self, within: milliseconds) }
    }

    /// The log has not answered in time: the client does not wait here any longer, and learns that
    /// the outcome is unknown.
    func endUnanswered() {
        guard !isClosed, let transport else { return }
        close(.shutdown)
        transport.close(code: 4503, reason: "{\"after\":0}")
    }

    /// Closes the connection of a stopping server once all pending sets are answered.
    func endIfAnswered() {
        guard let reconnectAfter, inbox.pending.isEmpty, !isClosed, let transport else { return }
        close(.shutdown)
        transport.close(code: 4503, reason: "{\"after\":\(reconnectAfter)}")
    }

    func greeted() {
        extras?.greeting?.cancel()
        extras?.greeting = nil
    }
}

/// How a session's messages travel, as pictures name it.
public enum TransportKind: String {
    /// WebSockets, with the protocol, and with bare values.
    case ws, plain
    /// Server-sent events.
    case sse
    /// A request that waits for one change.
    case poll
    /// Requests of this server to another one.
    case sink
}

public enum SessionForm {
    /// The protocol `sluice.v1.json`.
    case messages
    /// The same deliveries, as server-sent events of one request.
    case events
    /// Bare values of one node, in both directions.
    case node(NamedNode)
}
