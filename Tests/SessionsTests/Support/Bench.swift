import LogTestSupport
import Testing
import Values

@testable import Definitions
@testable import Graphs
@testable import Sessions
import Support

extension SessionLimits {
    /// The default ones, with a share of a turn into which all that one test asks for fits.
    static var ample: SessionLimits {
        var limits = SessionLimits()
        limits.work = 3_000
        return limits
    }
}

/// A host in memory, or on a log, with a clock that the test moves.
final class Bench {
    let clock: ManualHostClock
    let host: Host
    let clients: Clients
    private let log: FaultyLog?
    /// Servers that started after it, kept to the end of the test: a graph does not hold its host.
    var successors: [Bench] = []

    init(
        log: FaultyLog? = nil,
        epoch: String = "e1",
        clock: ManualHostClock = ManualHostClock(now: 1_000, wall: 5_000_000),
        limits: SessionLimits = .ample,
        definitions: DefinitionOptions = DefinitionOptions()
    ) {
        self.clock = clock
        self.log = log
        host = Host(
            store: log.map { .log($0) } ?? .memory(epoch: epoch),
            clock: clock,
            limits: limits,
            definitions: definitions
        )
        clients = Clients(of: host)
        log?.collect = { [unowned host] in host.submissions.handOver() }
    }

    /// Ends the turn, and what a log that is not slow answers is the next one.
    func endTurn() {
        host.flush()
        guard let log, log.answers, log.pending > 0 else { return }
        log.settle()
        host.flush()
    }

    /// Lets all requests and stages of pipelines run that wait.
    func settle() {
        while host.nextDeadline == clock.now {
            host.advance()
            endTurn()
        }
    }

    /// Defines a graph from its JSON text.
    @discardableResult
    func define(_ json: String, named name: String? = nil) throws -> LiveGraph {
        let definition = try definition(json, named: name)
        if case .refused(let error) = host.define(definition) { throw error }
        if log?.answers == true { host.settle() }
        return try #require(host[definition.name])
    }

    func definition(_ json: String, named name: String? = nil) throws -> GraphDefinition {
        // Many of these graphs have nodes that fail, on purpose.
        var options = host.definitions
        options.refusesMismatches = false
        let (definition, problems) = GraphDefinition.read(
            try Document.parse(json: json),
            file: nil,
            named: name,
            options: options
        )
        try #require(problems.isEmpty, "\(problems)")
        return try #require(definition)
    }

    /// `tokens` are those that the server knows; nil: it has no authentication.
    func connect(
        _ access: Access? = .full,
        form: SessionForm = .messages,
        tokens: [String: Access]? = nil
    ) -> Client {
        Client(self, access, form, tokens)
    }

    /// Sets nodes by a commit of their own, and ends the turn.
    func set(_ graph: LiveGraph, _ values: [(String, String)]) throws {
        try submit(graph, values)
        endTurn()
    }

    /// The same without the end of the turn.
    @discardableResult
    func submit(
        _ graph: LiveGraph,
        _ values: [(String, String)],
        clear: [String] = [],
        context: String? = nil,
        by: String? = nil
    ) throws -> Applied? {
        var commit = Commit(graph: graph)
        for (name, json) in values {
            commit.set.append(Assignment(try #require(graph.node(name)), try Datum.parse(json)))
        }
        commit.clear = try clear.map { try #require(graph.node($0)) }
        commit.context = try context.map { try Datum.parse($0) }
        commit.by = by
        switch host.submit(commit) {
        case .applied(let applied): return applied
        case .refused(let error): throw error
        case .pending(let pending):
            var result: Result<Applied, HostError>?
            pending.onAnswer { result = $0 }
            if log?.answers == true { host.settle() }
            return try result?.get()
        }
    }

    /// Lets time pass, with everything that is due on the way, millisecond by millisecond.
    func pass(_ milliseconds: UInt64) {
        for _ in 0..<milliseconds {
            clock.advance(by: 1)
            host.advance()
            endTurn()
        }
    }

    /// What a node holds, as JSON text, `empty`, or `fail:code`.
    func read(_ graph: LiveGraph, _ name: String) throws -> String {
        switch graph.read(try #require(graph.node(name))).held {
        case .empty: "empty"
        case .value(let datum): datum.text
        case .fail(let datum): "fail:" + (datum.fail?.code ?? "?")
        }
    }
}

/// A client in memory.
final class Client {
    let sink: RecordingSink
    let session: Session
    private let bench: Bench

    init(_ bench: Bench, _ access: Access?, _ form: SessionForm, _ tokens: [String: Access]?) {
        self.bench = bench
        sink = RecordingSink(tokens: tokens)
        session = Session(of: bench.clients, transport: sink, access: access, form: form)
        sink.session = session
    }

    /// Sends one message, without the end of the turn.
    func send(_ message: String) {
        message.withBorrowedBytes { session.receive(message: $0) }
    }

    /// Sends one message, ends the turn, and takes what came back since the last look.
    @discardableResult
    func ask(_ message: String) -> [String] {
        send(message)
        bench.endTurn()
        return sink.take()
    }

    /// What has come since the last look.
    func take() -> [String] {
        sink.take()
    }
}

/// Keeps everything a session says.
final class RecordingSink: MessageTransport {
    weak var session: Session?
    private var messages: [String] = []
    private(set) var closes: [String] = []
    private(set) var pauses: [Bool] = []
    /// The messages that others get as well, with their numbers.
    private(set) var shared: [(number: UInt64, message: String)] = []
    /// What the kernel has not taken; grows by what is sent while `isStuck` or `isCollecting`.
    var unsentBytes = 0
    var isStuck = false
    /// The kernel takes everything, but only once it is flushed.
    var isCollecting = false
    var networkPlace: NetworkPlace?
    /// The next send finds the connection broken.
    var failsNext = false
    private let tokens: [String: Access]?

    init(tokens: [String: Access]? = nil) {
        self.tokens = tokens
    }

    func access(token: String) throws(HostError) -> Access? {
        guard let tokens else { return nil }
        guard let access = tokens[token] else { throw HostError(.unauthenticated, "unknown") }
        return access
    }

    func send(_ message: Outgoing) {
        guard message.kind != .noValue else { return }
        let text = message.withBytes { String(decoding: $0, as: UTF8.self) }
        check(message, text)
        if message.number != 0 { shared.append((message.number, text)) }
        if failsNext {
            session?.close(.reset)
            return
        }
        messages.append(text)
        if isStuck || isCollecting { unsentBytes += text.utf8.count }
    }

    /// What a message says of itself is what its bytes say.
    private func check(_ message: Outgoing, _ text: String) {
        let word: String? =
            switch message.kind {
            case .snapshot: "snap"
            case .update: "upd"
            case .heartbeat: "hb"
            case .end: "end"
            case .answer: nil
            case .value, .noValue: "-"
            }
        guard word != "-" else { return }
        for other in ["snap", "upd", "hb", "end"] {
            let isOne = text.hasPrefix("{\"op\":\"\(other)\"")
            if isOne != (other == word) { Issue.record("\(message.kind): \(text)") }
        }
        if let rev = message.rev, word != "hb", !text.contains("\"rev\":\(rev),") {
            Issue.record("not rev \(rev): \(text)")
        }
    }

    func flush() {
        if isCollecting { unsentBytes = 0 }
    }

    func close(code: UInt16, reason: String) {
        closes.append("\(code) \(reason)")
        session?.close()
    }

    func pauseReading(_ paused: Bool) {
        pauses.append(paused)
    }

    func take() -> [String] {
        defer { messages = [] }
        return messages
    }
}

extension GraphView {
    /// The answer to a question that its principal has room for.
    func evaluate(_ request: BorrowedBytes) throws(HostError) -> [UInt8] {
        var result: Result<[UInt8], HostError>?
        try evaluate(request) { result = $0 }
        guard let result else { preconditionFailure("it is answered in a later turn") }
        return try result.get()
    }
}

extension Host {
    /// Whether pipelines, or ends of slow subscriptions, are left for later turns.
    var isBehind: Bool { pipelines.isBehind || pipelines.slow.isWaiting }
}
