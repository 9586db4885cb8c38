internal import Definitions
internal import EventLoop
internal import HTTP
internal import Graphs
internal import Sessions
internal import Logging
internal import Values

/// One running sink: a session of the host that listens to one node or to all that match a glob,
/// and a client that sends their values.
///
/// - At most one request is in flight. The loop and commits never wait for it.
/// - A value is tried until it arrives, a newer one replaces it (mode `latest`), the outbox is full
///   (mode `all`), or the receiver refuses it for good. The pause between attempts grows up to a
///   minute.
/// - Mode `latest` sends changes: not a value equal to the one that arrived last, and again, after
///   a long pause, one that the receiver refused.
final class Sink {
    /// Counters of attempts and their results.
    struct Counters {
        /// Values that the receiver accepted.
        var sent: UInt64 = 0
        var failed: UInt64 = 0
        /// Attempts that repeat a failed one.
        var retried: UInt64 = 0
        /// Values that were given up.
        var dropped: UInt64 = 0
        var attempts: UInt64 = 0
        /// The total duration of all attempts, in milliseconds.
        var milliseconds: UInt64 = 0
    }

    let definition: SinkDefinition
    let graph: LiveGraph
    /// Where it sends.
    let place: RemoteURL?
    /// The broker, where it publishes at one.
    let upstream: UpstreamDefinition?
    private(set) var counters = Counters()
    /// Why the last attempt failed; nil if it succeeded.
    private(set) var failure: String?
    /// Milliseconds since 1970 of the first of the tries that have failed in a row, and of the last
    /// that arrived.
    private(set) var failingSince: Int64?
    private(set) var arrivedAt: Int64?
    /// The host has ended its session.
    private(set) var isEnded = false
    /// Waiting values are tried one last time.
    private var isDraining = false

    private unowned let sinks: Sinks
    private var session: Session?
    private var line: (any SinkLine)?
    private var pause: LoopTimer?
    private var outbox: (any SinkOutbox)?
    private var current: SinkValue?
    private var refusalPause: LoopTimer?
    private var began: UInt64 = 0
    /// How many attempts have failed in a row.
    private var failures = 0
    private var hasOverflowed = false

    init(_ definition: SinkDefinition, of graph: LiveGraph, in sinks: Sinks) {
        self.definition = definition
        self.graph = graph
        self.sinks = sinks
        place = graph.definition.place(of: definition)
        upstream = graph.definition.upstream(of: definition)
    }

    private var loop: Loop { sinks.turns.loop }
    private var waiting: Int { outbox?.waiting ?? 0 }
    var isBusy: Bool { current != nil || waiting > 0 }
    /// How many values wait, those in flight included.
    var queued: Int { waiting + (current?.count ?? 0) }
    /// How many of the nodes it does not listen to, because the graph has no room for them.
    var leftOut: Int { (outbox as? ListOutbox)?.leftOut ?? 0 }

    /// Starts listening.
    func begin() {
        outbox = definition.isOverGlob ? ListOutbox(self, in: sinks) : SingleOutbox(self)
        line = sinks.line(for: self)
        listen()
    }

    private func listen() {
        guard let outbox else { return }
        do throws(HostError) {
            let session = Session(
                of: sinks.clients,
                transport: self,
                kind: .sink,
                form: try outbox.form,
                client: "sink \(definition.name)"
            )
            self.session = session
            try outbox.listen(session)
        } catch {
            log(.warning, "a sink cannot listen", ["reason": "\(error.message)"])
            isEnded = true
        }
    }

    /// Ends it at once, and drops unsent values.
    func end() {
        isEnded = true
        let session = session
        self.session = nil
        session?.close()
        line.take()?.end()
        pause = nil
        refusalPause = nil
        current = nil
        outbox = nil
    }

    /// The server is about to stop: tries waiting values one last time.
    func drain() {
        isDraining = true
        guard pause?.isActive == true else { return }
        pause?.stop()
        next()
    }

    /// A value was dropped because too many wait.
    func noteOverflow() {
        counters.dropped += 1
        guard !hasOverflowed else { return }
        hasOverflowed = true
        log(.warning, "a sink drops values: its queue is full", ["queue": .number(definition.queue)])
    }

    /// The graph has no room for some of the nodes that match.
    func noteLeftOut() {
        log(.warning, "a sink leaves nodes out: the graph has no room for them (limits.members)")
    }

    // MARK: - Sending

    /// The outbox may have something to send.
    func goOn() {
        next()
        if !isBusy { sinks.onIdle() }
    }

    func next() {
        guard current == nil, pause?.isActive != true, let value = outbox?.next() else { return }
        current = value
        if waiting == 0 { hasOverflowed = false }
        if failures > 0 { counters.retried += 1 }
        began = loop.now
        line?.send(value) { [weak self] in self?.answered($0) }
    }

    /// The receiver can be reached again: what waits is tried now.
    func receiverIsBack() {
        pause?.stop()
        next()
    }

    /// The definition does not have it any more, and it is about to end.
    func retire() { line?.retire() }

    private func answered(_ outcome: SinkOutcome) {
        guard let value = current else { return }
        sinks.turns.begin()
        current = nil
        counters.attempts += 1
        counters.milliseconds += loop.now &- began
        switch outcome {
        case .arrived:
            outbox?.settle(.arrived)
            counters.sent += UInt64(value.count)
            if failure != nil { log(.info, "a sink sends again") }
            failures = 0
            failure = nil
            failingSince = nil
            arrivedAt = loop.wallClock
        case .refused(let reason):
            note(reason)
            giveUp(value)
            failures = 0
        case .failed(let reason, let wait):
            note(reason)
            if isDraining { giveUp(value) } else { tryAgain(after: wait) }
        }
        next()
        if current == nil { line?.rest() }
        if !isBusy { sinks.onIdle() }
    }

    private func giveUp(_ value: SinkValue) {
        counters.dropped += UInt64(value.count)
        outbox?.settle(.refused)
        guard definition.mode == .latest else { return }
        // Lists may be refused all the time.
        if definition.isOverGlob, refusalPause?.isActive == true { return }
        if refusalPause == nil {
            refusalPause = try? LoopTimer(on: loop) { [weak self] in
                self?.sinks.turns.begin()
                self?.tryRefused()
            }
        }
        refusalPause?.start(after: .milliseconds(sinks.configuration.fixed.times.refusedSink))
    }

    /// Tries what the receiver refused, unless newer values have come: it may take it by now.
    func tryRefused() {
        guard outbox?.tryRefused() == true else { return }
        counters.retried += 1
        next()
    }

    private func note(_ reason: String) {
        counters.failed += 1
        if failure == nil { log(.warning, "a sink cannot send", ["reason": "\(reason)"]) }
        failure = reason
        failingSince = failingSince ?? loop.wallClock
    }

    private func tryAgain(after wait: Int?) {
        failures += 1
        outbox?.settle(.failed)
        if pause == nil {
            pause = try? LoopTimer(on: loop) { [weak self] in
                self?.sinks.turns.begin()
                self?.next()
            }
        }
        pause?.start(after: .milliseconds(Self.pause(after: failures, atLeast: wait ?? 0)))
    }

    /// The longest pause that a receiver may ask for (`Retry-After`), in milliseconds.
    static var longestWait: Int { 600_000 }

    /// Milliseconds until the next try: one second, doubled with each failure up to a minute, and
    /// of that a random part from a half on, so that sinks do not all come at once; or longer,
    /// where the receiver has asked for it.
    static func pause(after failures: Int, atLeast wait: Int = 0) -> Int {
        let longest = min(60_000, 1_000 << min(max(failures, 1) - 1, 6))
        return max(Int.random(in: longest / 2...longest), min(wait, longestWait))
    }

    private func log(_ level: Logger.Level, _ message: Logger.Message, _ more: Logger.Metadata = [:]) {
        let about: Logger.Metadata = [
            "graph": "\(graph.name)", "sink": "\(definition.name)", "to": "\(sinks.origin(of: self))",
        ]
        sinks.log.log(level: level, message, metadata: about.merging(more) { $1 })
    }
}

extension Sink: MessageTransport {
    /// Unsent values wait here, where they are bounded, and not in the session.
    var unsentBytes: Int { 0 }

    func send(_ message: Outgoing) {
        switch message.kind {
        case .end(.slow): listenAgain()
        case .end: isEnded = true
        default: outbox?.receive(message)
        }
    }

    func close(code: UInt16, reason: String) {
        guard code != CloseCode.slow.rawValue else { return listenAgain() }
        isEnded = true
        session?.close()
    }

    /// More came in one turn than a session queues: it listens again, with another session.
    private func listenAgain() {
        log(.warning, "a sink missed values: too many came at once")
        loop.soon { [weak self] in
            guard let self, let session else { return }
            sinks.turns.begin()
            session.close()
            listen()
        }
    }

    func pauseReading(_ paused: Bool) {}
}
