internal import ReactiveGraph
internal import Support

/// Why the server ends a subscription (docs/protocol.md, unsub and end).
public struct EndCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    /// A code of that spelling.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The right to it is gone: another token was shown, or the tokens were changed.
    public static let forbidden = Self(rawValue: "forbidden")
    /// The client asked for it.
    public static let done = Self(rawValue: "done")
    /// The node, or its graph, is gone.
    public static let nodeRemoved = Self(rawValue: "node_removed")
    /// Mode `all`: the queue overflowed.
    public static let slow = Self(rawValue: "slow")
    /// A `prefix` stage has had its last value.
    public static let complete = Self(rawValue: "complete")
    /// The server is about to stop.
    public static let shutdown = Self(rawValue: "shutdown")
}

/// One client's interest in one node or chain: a listen of the graph, which holds everything it needs.
///
/// Invariants:
/// - its session's bag owns it from ``Session/add(_:)`` to ``release()``, which is the one end of it;
/// - `folded` counts the emissions heard since the last delivery; a subscription with `folded > 0` in mode
///   `latest` is in its session's list of marked ones, or waits for its interval or for the socket;
/// - in mode `all` the emissions stand in the session's queue, `queued` of them.
class Subscription: ListenEdge<Datum> {
    // What every delivery touches comes first, and with the edge's own part fits into two cache lines: with thousands of
    // subscribers, waiting for memory is most of what the host adds to a delivery.

    /// The id that the client chose.
    @exclusivity(unchecked) private(set) final var id: UInt64
    /// The session, which ends it before it goes.
    @exclusivity(unchecked) private final var holder: Unmanaged<Session>
    final let graph: LiveGraph
    @exclusivity(unchecked) final var folded: UInt64 = 0
    @exclusivity(unchecked) final var nextMarked: Unmanaged<Subscription>?
    /// What the client believes, or will once the emissions heard so far have been delivered.
    @exclusivity(unchecked) final var heardEmpty = true
    @exclusivity(unchecked) final var isMarked = false
    /// Until ``open(_:)`` nothing that is heard is delivered; it is marked, but not in the list of marks.
    @exclusivity(unchecked) final var isMuted = false
    /// It ended while it was in the list of marks, which therefore owns a reference to it.
    @exclusivity(unchecked) final var isHeldByMarks = false
    @exclusivity(unchecked) final var isEnded = false
    /// What is known besides the value has changed since the last delivery; only where the client asked for that.
    @exclusivity(unchecked) final var hasNewState = false
    /// A `prefix` stage has had its last value: end after the next delivery.
    @exclusivity(unchecked) final var isComplete = false
    /// Changed by `mod` only.
    @exclusivity(unchecked) final var options: SubscriptionOptions

    /// Emissions folded into a later one since the beginning.
    @exclusivity(unchecked) final var foldedInAll: UInt64 = 0
    @exclusivity(unchecked) final var queued = 0
    @exclusivity(unchecked) final var queuedBytes = 0
    private final var notBefore: UInt64 = 0
    private final var interval: Timer?
    /// Its part in a chain; nil where it listens to a named node as it stands.
    final var pipeline: PipelineUse?
    /// What the rights to this subscription depend on; nil where clients need none.
    final var claim: Claim?
    /// What keeps its chain when the connection ends; nil where nothing does.
    final var ticket: KeptChain?

    init(id: UInt64, session: Session, graph: LiveGraph, options: SubscriptionOptions) {
        self.id = id
        holder = .passUnretained(session)
        self.graph = graph
        self.options = options
        super.init(name: "Subscription") { edge in
            unsafeDowncast(edge, to: Subscription.self).hear()
            return .nothing
        }
    }

    final var session: Session { holder.takeUnretainedValue() }

    /// The node it listens to; nil for several, and when it has ended.
    final var node: Node<Datum>? { from }

    /// The number of the one node whose value makes the whole message; 0 when there is more to it.
    @inline(__always)
    final var nodeNumber: UInt64 { sourceID }

    /// Starts to listen to `node`, after its session has taken it: from now on no emission is missed.
    final func begin(on node: Node<Datum>) {
        heardEmpty = node.isEmpty
        listen(to: node)
        if options.hasFacets { graph.facets.watch(node, by: self, in: graph) }
    }

    /// What is heard from now on is not delivered: its first value is still being computed, or it is about to end.
    final func mute() {
        isMuted = !isMarked
        options.isAll = false
        isMarked = true
    }

    /// The present value is about to be told: what is heard from now on is news.
    final func open(_ options: SubscriptionOptions) {
        isMuted = false
        self.options = options
        isMarked = false
        folded = 0
        hasNewState = false
        heardEmpty = node?.isEmpty ?? true
    }

    /// Its connection has ended and its chain is kept: what is heard leaves no mark.
    final func park() {
        isMuted = true
        isMarked = true
        stopInterval()
    }

    /// Another connection of its client has it from now on.
    final func move(to session: Session, as id: UInt64, _ options: SubscriptionOptions) {
        stopInterval()
        notBefore = 0
        holder = .passUnretained(session)
        self.id = id
        open(options)
    }

    /// An emission happened.
    @inline(__always)
    private final func hear() {
        if options.isAll { queue(sourceValue) } else { hear(isEmpty: isSourceEmpty) }
    }

    /// Mode `latest`: an emission happened; its value is read when it is delivered.
    @inline(__always)
    final func hear(isEmpty: Bool) {
        if isEmpty, heardEmpty { return }
        heardEmpty = isEmpty
        folded += 1 &+ graph.replacedEmissions
        if !isMarked { mark() }
    }

    /// Asks for a delivery: at the end of this turn, or when the interval is over.
    final func mark() {
        if options.every > 0, !isEnded, postponed() { return }
        isMarked = true
        holder._withUnsafeGuaranteedRef { $0.mark(self) }
    }

    /// Mode `all`: an emission happened.
    private final func queue(_ value: Datum?) {
        if value == nil, heardEmpty { return }
        heardEmpty = value == nil
        ticket?.note(value)
        session.queue(self, value)
    }

    /// Whether the interval since the last delivery is still running; the alarm then marks.
    final func postponed() -> Bool {
        let now = session.host.clock.now
        guard now < notBefore else { return false }
        let interval = interval ?? Timer { [unowned self] in ring() }
        self.interval = interval
        if !interval.isRunning { session.host.timers.set(interval, due: notBefore) }
        return true
    }

    /// The interval is over: what waits is sent with the next delivery.
    final func hurry() {
        notBefore = 0
        if folded > 0 || hasNewState, !isMarked { mark() }
    }

    final func ring() {
        guard !isEnded else { return }
        if options.isAll {
            session.wake()
        } else if folded > 0 || hasNewState, !isMarked {
            mark()
        }
    }

    /// A delivery has just been made.
    final func delivered() {
        if folded > 1 {
            foldedInAll += folded - 1
            // What is folded within one turn is no sign of a slow listener.
            if options.every > 0 || session.hasWaited { session.host.sessions.folded += folded - 1 }
        }
        folded = 0
        if options.every > 0 { notBefore = session.host.clock.now + options.every }
    }

    /// How many subscriptions and longer chains its chain has, this one included.
    final var sharers: Int { pipeline?.chain.owners ?? 0 }

    /// The nodes it listens to.
    var listenedNodes: [Node<Datum>] { node.map { [$0] } ?? [] }

    /// The listens by which it does.
    var listens: [Edge] { [self] }

    /// Appends what this subscription has to say now: `{"id":…,"v":…,"n":…}`.
    func appendEntry(to buffer: inout ByteBuffer) {
        guard options.hasFacets else { return Self.append(id: id, node?.value, folded: folded, to: &buffer) }
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",")
        appendNews(to: &buffer)
        if folded > 1 {
            buffer.append(",\"n\":")
            buffer.append(decimal: folded)
        }
        buffer.append("}")
    }

    /// The value of a queued emission of one node that is no more than that.
    static func value(_ content: AnyObject?) -> Datum? {
        content.map { unsafeDowncast($0, to: Datum.self) }
    }

    /// How much a queued emission takes of its bounds.
    func size(of content: AnyObject?) -> (count: Int, bytes: Int) {
        if options.hasFacets, let state = content as? StateEmission { return state.size }
        return (1, Self.value(content)?.byteCount ?? 12)
    }

    /// Appends a queued emission: `{"id":…,"v":…}`.
    func append(_ content: AnyObject?, to buffer: inout ByteBuffer) {
        if options.hasFacets, let state = content as? StateEmission {
            return state.append(id: id, to: &buffer)
        }
        Self.append(id: id, Self.value(content), folded: 1, to: &buffer)
    }

    /// Appends the fields of the present state, as a `snap` shows it.
    func appendState(to buffer: inout ByteBuffer) {
        Self.append(node?.value, to: &buffer)
        guard options.hasFacets else { return }
        buffer.append(",")
        appendFacets(to: &buffer)
    }

    /// The interval changed: deliveries keep to the new one from now on.
    final func reschedule() {
        notBefore = min(notBefore, session.host.clock.now + options.every)
        guard let interval, interval.isRunning else { return }
        session.host.timers.set(interval, due: notBefore)
    }

    /// Ends: lets go of alarm, node and chain.
    ///
    /// The one place where that happens.
    func release() {
        isEnded = true
        if isMarked, !isMuted {
            isHeldByMarks = true
            _ = Unmanaged.passRetained(self)
        }
        stopInterval()
        if options.hasFacets, let node { graph.facets.unwatch(node.id, by: self) }
        owners?.end()
        disconnect()
        pipeline?.end(session.host)
        pipeline = nil
    }

    private final func stopInterval() {
        if let interval { session.host.timers.cancel(interval) }
        interval = nil
    }

    static func append(id: UInt64, _ value: Datum?, folded: UInt64, to buffer: inout ByteBuffer) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",")
        append(value, to: &buffer)
        if folded > 1 {
            buffer.append(",\"n\":")
            buffer.append(decimal: folded)
        }
        buffer.append("}")
    }

    /// Exactly one of `"v":…`, `"empty":true`, `"fail":{…}`.
    static func append(_ value: Datum?, to buffer: inout ByteBuffer) {
        if let value {
            value.withFragment { buffer.append($0) }
        } else {
            buffer.append("\"empty\":true")
        }
    }
}

/// How a subscription wants to be served (docs/protocol.md, sub).
struct SubscriptionOptions {
    /// Milliseconds between deliveries at most; 0: none.
    var every: UInt64 = 0
    /// Mode `all`: how many emissions may be queued.
    var queue: Int32 = 256
    /// How many values of the node's history `snap` carries.
    var history: Int32 = 0
    /// Whether `snap` carries the value.
    var initial = true
    /// Every value is delivered, none folded.
    var isAll = false
    /// What is known besides the value is told, too.
    var hasFacets = false
    /// Producers are asked for what is empty or stale (D-2).
    var loads = false
}
