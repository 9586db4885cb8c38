internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// One client's subscription to one node or chain: a listen edge of the graph, which holds
/// everything it needs.
///
/// Invariants:
/// - its session's bag, or that of a ``KeptChain``, owns it from ``Session/add(_:)`` to
///   ``release()``, which is the only way it ends;
/// - `folded` counts the emissions received since the last delivery; a subscription with
///   `folded > 0` in mode `latest` is in its session's list of marks, or waits for its interval or
///   for the socket;
/// - in mode `all` the emissions are in the session's queue, `queued` of them.
class Subscription: ClientListen {
    // The properties that every delivery touches come first and fit, with the edge's own, into two
    // cache lines: with thousands of subscribers, waiting for memory is most of the host's part of
    // a delivery.

    /// The id that the client chose.
    private(set) final var id: UInt64
    /// The session, which ends it before it is freed.
    private(set) final unowned var session: Session
    final let graph: LiveGraph
    final var folded: UInt64 = 0
    final var nextMarked: Subscription?
    /// Only `mod` changes them.
    final var options: SubscriptionOptions {
        didSet { if options.hasPath != oldValue.hasPath { watchPaths(options.hasPath) } }
    }
    /// Whether the client's last value is empty, or will be once the emissions received so far have
    /// been delivered.
    final var lastIsEmpty = true
    final var isMarked = false
    /// Until ``open(_:)`` nothing is delivered; it is marked, but not in the list of marks.
    final var isMuted = false
    final var isEnded = false
    /// The facets have changed since the last delivery; only if the client asked for them.
    final var hasNewState = false
    /// A `prefix` stage has received its last value: end after the next delivery.
    final var isComplete = false
    /// How many emissions are in the session's queue.
    final var queued: Int32 = 0
    /// How many emissions were folded into a later one in all.
    final var foldedInAll: UInt64 = 0
    private final var details: Details?
    /// Its use of a chain; nil if it listens to a named node itself.
    final var pipeline: PipelineUse?
    /// The rights that this subscription depends on; nil without authentication.
    final var requiredRights: RequiredRights?

    /// What few subscriptions have.
    private final class Details {
        var ticket: KeptChain?
        var claim: WantedClaim?
        var way: Way?
        var paths: PathWatch?
        /// When the next delivery may be made, and the timer for what waits until then.
        var notBefore: UInt64 = 0
        var timer: Timer?
    }

    private final var neededDetails: Details {
        let needed = details ?? Details()
        details = needed
        return needed
    }

    /// Keeps its chain after the connection ends; nil: the chain is not kept.
    final var ticket: KeptChain? {
        get { details?.ticket }
        set { if newValue != nil || details != nil { neededDetails.ticket = newValue } }
    }

    /// What it keeps wanted of source families, counted for its principal; nil: nothing.
    final var claim: WantedClaim? {
        get { details?.claim }
        set { if newValue != nil || details != nil { neededDetails.claim = newValue } }
    }

    /// How its values go on, if a server listens for a source node of its own (S-9).
    override final var way: Way? {
        get { details?.way }
        set { if newValue != nil || details != nil { neededDetails.way = newValue } }
    }

    /// What is known of paths, if its client asks for them.
    final var paths: PathWatch? { details?.paths }

    private final func watchPaths(_ isWatching: Bool) {
        guard isWatching != (paths != nil) else { return }
        neededDetails.paths = isWatching ? PathWatch() : nil
        if isWatching { session.isBuiltAlone = true }
        Provenance.ask(isWatching ? 1 : -1, in: graph)
    }

    override final var isKept: Bool { ticket?.stay != nil }
    override final var loads: Bool { options.loads }

    init(id: UInt64, session: Session, graph: LiveGraph, options: SubscriptionOptions) {
        self.id = id
        self.session = session
        self.graph = graph
        self.options = options
        super.init(name: "Subscription") { edge in
            (edge as! Subscription).emitted()
            return .nothing
        }
        if options.hasPath { watchPaths(true) }
    }

    /// The number of the node whose value is the whole message; 0 if there is more to send.
    @inline(__always)
    final var nodeNumber: UInt64 { sourceID }

    /// Starts listening to `node`, after its session has taken it: from now on no emission is
    /// missed.
    final func begin(on node: Node<Datum>) {
        listen(to: node)
        lastIsEmpty = isSourceEmpty
        if options.hasFacets { graph.facets.watch(node, by: self, in: graph) }
    }

    /// Emissions from now on are not delivered: its first value is still being computed, or it is
    /// about to end.
    final func mute() {
        isMuted = !isMarked
        options.isAll = false
        isMarked = true
    }

    /// The present value is about to be sent: emissions from now on are updates.
    final func open(_ options: SubscriptionOptions) {
        isMuted = false
        self.options = options
        isMarked = false
        folded = 0
        hasNewState = false
        paths?.newest = nil
        lastIsEmpty = node?.isEmpty ?? true
    }

    /// Its connection has ended and its chain is kept: emissions leave no mark.
    final func park() {
        isMuted = true
        isMarked = true
        claim = nil
        options.hasPath = false
        stopInterval()
    }

    /// Another connection of its client takes it over.
    final func move(to session: Session, as id: UInt64, _ options: SubscriptionOptions) {
        stopInterval()
        self.session = session
        self.id = id
        if let node, options.hasFacets != self.options.hasFacets {
            if options.hasFacets {
                graph.facets.watch(node, by: self, in: graph)
            } else {
                graph.facets.unwatch(node.id, by: self)
            }
        }
        open(options)
    }

    @inline(__always)
    private final func emitted() {
        if options.isAll { queue(sourceValue) } else { emitted(isEmpty: isSourceEmpty) }
    }

    /// Mode `latest`: the value is read when it is delivered.
    @inline(__always)
    final func emitted(isEmpty: Bool) {
        let replaced = graph.present.replaced
        if isEmpty, lastIsEmpty, replaced == 0 { return }
        lastIsEmpty = isEmpty
        if options.hasPath { paths?.newest = Provenance(ofDeliveredBy: sourceID, in: graph) }
        folded += 1 &+ replaced
        if !isMarked { mark() }
    }

    /// Requests a delivery: at the end of this turn, or when the interval is over.
    final func mark() {
        if options.every > 0, !isEnded, postponed() { return }
        isMarked = true
        session.mark(self)
    }

    /// Takes an emission, in mode `all`.
    @inline(never)
    func queue(_ value: Datum?) {
        if value == nil, lastIsEmpty { return }
        lastIsEmpty = value == nil
        ticket?.note(value)
        guard options.hasPath else { return session.queue(self, value, bytes: value?.byteCount ?? 12) }
        let emission = NodeEmission(value, Provenance(ofDeliveredBy: sourceID, in: graph), session.access)
        session.queue(self, emission, bytes: emission.size.bytes)
    }

    /// Whether the interval since the last delivery is still running; then the timer marks it.
    final func postponed() -> Bool {
        let now = session.host.clock.now
        guard let details, now < details.notBefore else { return false }
        let timer = details.timer ?? Timer { [unowned self] in timerFired() }
        details.timer = timer
        if !timer.isRunning { session.host.timers.set(timer, due: details.notBefore) }
        return true
    }

    /// Ends the interval: what waits is sent with the next delivery.
    final func hurry() {
        details?.notBefore = 0
        if folded > 0 || hasNewState, !isMarked { mark() }
    }

    final func timerFired() {
        guard !isEnded else { return }
        if options.isAll {
            session.wake()
        } else if folded > 0 || hasNewState, !isMarked {
            mark()
        }
    }

    final func delivered() {
        if folded > 1 {
            foldedInAll += folded - 1
            // Folding within one turn is not a sign of a slow listener.
            if options.every > 0 || session.outbox.hasWaited { session.clients.delivery.folded += folded - 1 }
        }
        folded = 0
        details?.ticket?.noteDelivery()
        if options.every > 0 { wait() }
    }

    /// The interval begins.
    @inline(never)
    private final func wait() {
        neededDetails.notBefore = session.host.clock.now + UInt64(options.every)
    }

    /// The subscription that the client knows: the other direction, for the second one of a `sync`.
    var whole: Subscription { self }

    /// A `prefix` stage has received its last value.
    func completed() {}

    /// Whether it cannot go on without one of these nodes, which are about to be removed: by the
    /// numbers of nodes that clients made from them too, and by their names.
    func leave(_ names: Set<String>, _ nodes: Set<UInt64>) -> Bool { nodes.contains(sourceID) }

    var listenedNodes: [Node<Datum>] { node.map { [$0] } ?? [] }

    var listens: [Edge] { [self] }

    /// Whether it holds names for which its principal has no room (`limits.held`).
    var isOverHeld: Bool { false }

    /// The families of which it listens to so many members that they are not listed.
    var listenedFamilies: [NodeFamily] { [] }

    /// The session has ended: ends some of its listens, so that the rest can end at once.
    ///
    /// - Returns: whether it can.
    func shed(atMost room: UInt64) -> Bool { true }

    /// Whether the values to deliver now have more bytes than an answer may
    /// (``SessionLimits/answerBytes``); a single value may be of any length.
    final var exceedsAnswer: Bool {
        nodeNumber == 0 && entryBytes > session.host.limits.answerBytes
    }

    /// The bytes of the values of several nodes to deliver now.
    var entryBytes: Int { 0 }

    /// Appends the entry to deliver now: `{"id":…,"v":…,"n":…}`.
    func appendEntry(to buffer: inout ByteBuffer) {
        guard options.isWide else { return Self.append(id: id, node?.value, folded: folded, to: &buffer) }
        Self.append(id: id, folded: folded, to: &buffer) { appendNews(to: &$0) }
    }

    /// The value of a queued emission that is a plain value of one node.
    static func value(_ content: AnyObject?) -> Datum? {
        content.map { $0 as! Datum }
    }

    /// How much of its limits a queued emission uses.
    func size(of content: AnyObject?) -> (count: Int, bytes: Int) {
        if options.isWide, let emission = content as? NodeEmission { return emission.size }
        return (1, Self.value(content)?.byteCount ?? 12)
    }

    /// Appends a queued emission: `{"id":…,"v":…}`.
    func append(_ content: AnyObject?, to buffer: inout ByteBuffer) {
        if options.isWide, let emission = content as? NodeEmission {
            return emission.append(id: id, to: &buffer)
        }
        Self.append(id: id, Self.value(content), folded: 1, to: &buffer)
    }

    /// Appends the fields of the present state, as in a `snap`.
    func appendState(to buffer: inout ByteBuffer) {
        Self.append(node?.value, to: &buffer)
        guard options.hasFacets else { return }
        buffer.append(",")
        appendFacets(to: &buffer)
    }

    /// The interval has changed: applies the new one from now on.
    final func reschedule() {
        guard let details else { return }
        details.notBefore = min(details.notBefore, session.host.clock.now + UInt64(options.every))
        guard let timer = details.timer, timer.isRunning else { return }
        session.host.timers.set(timer, due: details.notBefore)
    }

    /// Ends it: releases timer, node and chain.
    ///
    /// Called only by ``Session/end(_:because:)``.
    func release() {
        isEnded = true
        stopInterval()
        if options.hasFacets, let node { graph.facets.unwatch(node.id, by: self) }
        owners?.end()
        claim = nil
        watchPaths(false)
        disconnect()
        pipeline?.end(session.host)
        pipeline = nil
    }

    private final func stopInterval() {
        guard let details else { return }
        if let timer = details.timer.take() { session.host.timers.cancel(timer) }
        details.notBefore = 0
    }

    static func append(id: UInt64, _ value: Datum?, folded: UInt64, to buffer: inout ByteBuffer) {
        append(id: id, folded: folded, to: &buffer) { append(value, to: &$0) }
    }

    /// Appends an entry with this content.
    @inline(__always)
    static func append(
        id: UInt64,
        folded: UInt64 = 1,
        to buffer: inout ByteBuffer,
        _ content: (inout ByteBuffer) -> Void
    ) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",")
        content(&buffer)
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

/// The options of a subscription (docs/protocol.md, sub).
struct SubscriptionOptions {
    /// The shortest time between deliveries, in milliseconds; 0: no limit.
    var every: UInt32 = 0
    /// Mode `all`: the most emissions that may be queued.
    var queue: Int32 = 256
    /// Whether every value is delivered, none folded.
    var isAll = false
    var hasFacets = false
    /// Whether producers are asked for missing and stale values (D-2).
    var loads = false
    /// Whether each value comes with its path, and who or what has caused it.
    var hasPath = false

    /// Whether an entry of a node may have more than its value.
    var isWide: Bool { hasFacets || hasPath }
}
