internal import DequeModule
internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Logging

/// One running sink: a session of the host that listens to one node, and a client that sends its
/// values.
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
        /// The total duration of all attempts, in milliseconds.
        var milliseconds: UInt64 = 0
    }

    let definition: SinkDefinition
    let graph: LiveGraph
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
    private var client: HTTPClient?
    private var pause: LoopTimer?
    private var waiting: Deque<SinkValue> = []
    private var current: SinkValue?
    private var changes = SinkChanges()
    private var refusalPause: LoopTimer?
    private var began: UInt64 = 0
    /// How many attempts have failed in a row.
    private var failures = 0
    /// The rev of the newest value, and how many values of that rev came before it.
    private var newest: (rev: Int, count: Int) = (-1, 0)
    private var hasOverflowed = false

    init(_ definition: SinkDefinition, of graph: LiveGraph, in sinks: Sinks) {
        self.definition = definition
        self.graph = graph
        self.sinks = sinks
    }

    private var server: Server { sinks.server }
    var isBusy: Bool { current != nil || !waiting.isEmpty }
    /// How many values wait, the one in flight included.
    var queued: Int { waiting.count + (current == nil ? 0 : 1) }

    /// Starts listening.
    func begin() {
        let session = Session(host: server.host, sink: self, transport: .sink)
        self.session = session
        // Names contain no quotes.
        request(#"{"op":"hello","client":"sink \#(definition.name)"}"#)
        listen()
    }

    private func listen() {
        let options = definition.mode == .all ? #","mode":"all","initial":false,"queue":10000"# : ""
        request(#"{"op":"sub","id":1,"graph":"\#(graph.name)","node":"\#(definition.from)"\#(options)}"#)
    }

    private func request(_ message: String) {
        var message = message
        message.withUTF8 { session?.receive(message: UnsafeRawBufferPointer($0)) }
    }

    /// Ends it at once, and drops unsent values.
    func end() {
        isEnded = true
        let session = session
        self.session = nil
        session?.close()
        client = nil
        pause = nil
        refusalPause = nil
        current = nil
        waiting = []
    }

    /// The server is about to stop: tries waiting values one last time.
    func drain() {
        isDraining = true
        guard pause?.isActive == true else { return }
        pause?.stop()
        next()
    }

    // MARK: - Listening

    private func take(_ entry: JSONReader, rev: Int) {
        // Only values are sent: empties and failures are not.
        guard let value = entry["v"] else { return changes.end() }
        newest = (rev, rev == newest.rev ? newest.count + 1 : 0)
        let mark = newest.count == 0 ? "\(rev)" : "\(rev).\(newest.count)"
        let item = SinkValue(
            body: Array(value.bytes),
            rev: rev,
            key: "\(graph.name)/\(definition.name)/\(graph.epochs.epoch(of: UInt64(rev)))/\(mark)"
        )
        if definition.mode == .latest {
            changes.came()
            waiting = [item]
        } else {
            if waiting.count >= definition.queue {
                waiting.removeFirst()
                counters.dropped += 1
                noteOverflow()
            }
            waiting.append(item)
        }
        next()
    }

    private func noteOverflow() {
        guard !hasOverflowed else { return }
        hasOverflowed = true
        log(.warning, "a sink drops values: its queue is full", ["queue": .number(definition.queue)])
    }

    // MARK: - Sending

    private func next() {
        guard current == nil, pause?.isActive != true, let value = waiting.popFirst() else { return }
        if definition.mode == .latest, !changes.begins(value, repeats: definition.repeats) { return }
        current = value
        if waiting.isEmpty { hasOverflowed = false }
        if failures > 0 { counters.retried += 1 }
        began = server.loop.now
        let client = client ?? sinks.client(for: definition)
        self.client = client
        var fields: [(name: StaticString, value: String)] = [
            ("Sluice-Graph", graph.name), ("Sluice-Node", definition.from), ("Sluice-Sink", definition.name),
            ("Sluice-Rev", "\(value.rev)"), ("Idempotency-Key", value.key),
        ]
        if let secret = definition.secret.flatMap({ sinks.secret($0) }) {
            fields.append(("Sluice-Signature", "sha256=\(SHA256.signature(of: value.body, by: secret))"))
        }
        client.send(.post, definition.url.target, body: value.body, fields: fields) { [weak self] result in
            self?.answered(result)
        }
    }

    private func answered(_ result: Result<HTTPClient.Answer, ClientFailure>) {
        guard let value = current else { return }
        server.beginTurn()
        current = nil
        counters.milliseconds += server.loop.now &- began
        switch SinkOutcome(result, of: definition.url, at: server.loop.wallClock) {
        case .arrived:
            changes.arrived(value)
            counters.sent += 1
            if failure != nil { log(.info, "a sink sends again") }
            failures = 0
            failure = nil
            failingSince = nil
            arrivedAt = server.loop.wallClock
        case .refused(let reason):
            note(reason)
            counters.dropped += 1
            failures = 0
            if definition.mode == .latest, waiting.isEmpty { keep(refused: value) }
        case .failed(let reason, let wait):
            changes.failed()
            note(reason)
            if isDraining { counters.dropped += 1 } else { tryAgain(value, after: wait) }
        }
        next()
        // A connection is kept only while there is something to send.
        if current == nil { client = nil }
        if !isBusy { sinks.becameIdle() }
    }

    private func keep(refused value: SinkValue) {
        changes.refused(value)
        if refusalPause == nil {
            refusalPause = try? LoopTimer(on: server.loop) { [weak self] in
                self?.server.beginTurn()
                self?.tryRefused()
            }
        }
        refusalPause?.start(after: .milliseconds(server.times.fixed.refusedSink))
    }

    /// Tries what the receiver refused, unless a newer value has come: it may take it by now.
    func tryRefused() {
        guard !isBusy, let value = changes.takeRefused() else { return }
        counters.retried += 1
        waiting = [value]
        next()
    }

    private func note(_ reason: String) {
        counters.failed += 1
        if failure == nil { log(.warning, "a sink cannot send", ["reason": "\(reason)"]) }
        failure = reason
        failingSince = failingSince ?? server.loop.wallClock
    }

    private func tryAgain(_ value: SinkValue, after wait: Int?) {
        failures += 1
        if definition.mode == .all || waiting.isEmpty { waiting.prepend(value) }
        if waiting.count > definition.queue {
            waiting.removeFirst()
            counters.dropped += 1
            noteOverflow()
        }
        if pause == nil {
            pause = try? LoopTimer(on: server.loop) { [weak self] in
                self?.server.beginTurn()
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
            "graph": "\(graph.name)", "sink": "\(definition.name)", "to": "\(definition.url.origin)",
        ]
        server.log.log(level: level, message, metadata: about.merging(more) { $1 })
    }
}

extension Sink: MessageSink {
    /// Unsent values wait here, where they are bounded, and not in the session.
    var unsentBytes: Int { 0 }

    func send(message: UnsafeRawBufferPointer) {
        let message = JSONReader(validated: message)
        switch message["op"]?.string {
        case "snap":
            take(message, rev: message["c"]?.int ?? message["rev"]?.int ?? 0)
        case "upd":
            let rev = message["rev"]?.int ?? 0
            message["d"]?.elements.forEach { take($0, rev: rev) }
        case "end" where message["code"]?.string == "slow":
            // More than a session queues in one turn: the subscription starts again.
            log(.warning, "a sink missed values: too many came at once")
            server.loop.soon { [weak self] in
                self?.server.beginTurn()
                self?.listen()
            }
        case "end", "err":
            isEnded = true
        default: break
        }
    }

    func close(code: UInt16, reason: String) {
        isEnded = true
        session?.close()
    }

    func pauseReading(_ paused: Bool) {}
}
