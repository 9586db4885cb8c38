internal import CEL
internal import Definitions
internal import HTTP

/// The limits that are not configurable, because one value suits every server.
///
/// Their names are those that documentation and errors use.
/// Limits of other modules have their values there. ``FixedLimit`` has the reasons.
struct FixedLimits: Sendable {
    var session = SessionLimits()
    var requests = HTTP.Limits()
    var times = FixedTimes()
    var sinks = SinkLimits()
    var sources = SourceLimits()
    var expression = Options().cost
    var sessions = 10_000
    var tokens = 64 << 20
    var wrongTokens = 10
    var dashboards = 1000
    var contextBytes = 64 << 20
    var memoryPressure = "auto"
}

/// What a sink over a glob sends and keeps.
struct SinkLimits {
    var entries = 1_000
    var bytes = 65_536
    var queueBytes = 16 << 20
}

/// What upstreams may send and take.
struct SourceLimits {
    var body = 1 << 20
    var milliseconds: UInt64 = 30_000
    var perHost = 4
    var inAll = 64
}

/// How long peers may take, in milliseconds.
struct FixedTimes: Sendable {
    var handshake: UInt64 = 10_000
    var headers: UInt64 = 10_000
    var body: UInt64 = 30_000
    var frame: UInt64 = 30_000
    var close: UInt64 = 5_000
    var wait: UInt64 = 60_000
    var refusal: UInt64 = 1_000
    var refusedSink: UInt64 = 600_000
}

/// The documentation of a limit that cannot be configured.
struct FixedLimit {
    let name: String
    /// What it limits, and why the value is right for every server.
    private(set) var text = ""
    let show: (FixedLimits) -> String
    /// Takes another value, for tests of debug builds.
    let set: (inout FixedLimits, String) -> Bool

    private init<Value>(
        _ name: String,
        _ place: WritableKeyPath<FixedLimits, Value>,
        _ kind: ValueKind<Value>
    ) {
        self.name = name
        show = { kind.show($0[keyPath: place]) }
        set = { limits, text in
            guard let value = kind.read(.scalar(text)) else { return false }
            limits[keyPath: place] = value
            return true
        }
    }

    /// The same row with its documentation.
    private func means(_ text: String) -> FixedLimit {
        var row = self
        row.text = text
        return row
    }

    /// The hint for someone who tries to set another value.
    var hint: String {
        "\(name) is fixed at \(show(FixedLimits())); docs/configuration.md#fixed-limits says why"
    }

    static var all: [FixedLimit] { times + requests + clients + graphs }

    private static var times: [FixedLimit] {
        [
            Self("times.handshake", \.times.handshake, .time)
                .means("For a TLS handshake: as long as for a request's head."),
            Self("times.headers", \.times.headers, .time)
                .means("For the head of a request (408), which is one packet or two."),
            Self("times.body", \.times.body, .time)
                .means("For the body of a request (408), which must also arrive with at least 1 KiB/s."),
            Self("times.hello", \.session.helloMilliseconds, .time)
                .means("For the `hello` that has the token (4408)."),
            Self("times.frame", \.times.frame, .time)
                .means("From the first byte of a WebSocket message to its last (4508)."),
            Self("times.close", \.times.close, .time)
                .means("For the peer to close after the server did, unless it is still reading."),
            Self("times.wait", \.times.wait, .time)
                .means(
                    "The longest wait of a read for a change (`Prefer: wait`), shorter than the 75 s of usual proxies."
                ),
            Self("times.keep", \.session.keepMilliseconds, .time)
                .means(
                    "The longest time a pipeline runs on after its connection ended; clients ask for less."
                ),
            Self("times.load", \.session.loadMilliseconds, .time)
                .means("How long until producers are asked again for a value."),
            Self("times.behind", \.session.behindMilliseconds, .time)
                .means(
                    "How long a read waits for the commit that `after` names, at a server that is behind (503)."
                ),
            Self("times.refusal", \.times.refusal, .time)
                .means("For a refused connection to finish its handshake and close."),
            Self("times.refusedSink", \.times.refusedSink, .time)
                .means(
                    "How long until a sink in mode latest tries again what its receiver refused; a reload does so at once."
                ),
            Self("times.breaches", \.session.breachMilliseconds, .time)
                .means("The period in which `limits.breaches` refusals end a connection."),
        ]
    }

    private static var requests: [FixedLimit] {
        [
            Self("limits.target", \.requests.targetBytes, .size)
                .means("A request's target (414), as in other servers."),
            Self("limits.headers", \.requests.headerBytes, .size)
                .means("A request's header block (431), as in other servers."),
            Self("limits.fields", \.requests.headerFields, .number).means(
                "Header fields of a request (431)."
            ),
            Self("limits.dryRun", \.requests.longBodyBytes, .size).means(
                "A definition that is only tried, with `?dry_run=1` (413): a graph of 100,000 nodes. `limits.body` if that is more."
            ),
            Self("limits.answer", \.session.answerBytes, .size).means(
                "The values of one answer or message (413; slow); pages of nodes and histories end there. More would hold the loop."
            ),
            Self("limits.wrongTokens", \.wrongTokens, .number)
                .means("Wrong tokens of one address in a second (IPv6: /64); valid ones still pass."),
            Self("limits.tokens", \.tokens, .size)
                .means("The file of tokens, about 300,000 of them: some seconds to read, and 200 MB."),
            Self("limits.sessions", \.sessions, .number)
                .means(
                    "Sessions of browsers, and as many tokens of issuers that were checked. A principal with more than its share loses the one unused for longest."
                ),
            Self("limits.dashboards", \.dashboards, .number).means("Dashboards that the server keeps (413)."),
            Self("limits.idempotencyKeys", \.session.idempotencyKeys, .number)
                .means("Kept for ten minutes. A principal with more than its share loses its oldest."),
        ]
    }

    private static var clients: [FixedLimit] {
        [
            Self("limits.stages", \.session.stages, .number).means(
                "Stages of one client pipeline (bad_field)."
            ),
            Self("limits.expression", \.expression, .number)
                .means(
                    "Units of one evaluation, at most 20 ns each (expr_cost): 0.2 ms. docs/expressions.md has the prices."
                ),
            Self("limits.patterns", \.session.patterns, .number)
                .means(
                    "Different regular expressions of one principal's pipelines, or of a definition over HTTP (pattern_limit)."
                ),
            Self("limits.keptChains", \.session.keptChains, .number)
                .means(
                    "Tickets of one principal for pipelines that outlive a connection. `limits.held` bounds their memory."
                ),
            Self("limits.work", \.session.work, .number)
                .means(
                    "Nodes that one client's requests may build, read or release in one turn: 0.1 to 0.3 ms."
                ),
            Self("limits.unsent", \.session.softBytes, .size)
                .means("Unsent bytes above which values are folded and the client is not read from."),
            Self("limits.pending", \.session.pendingRequests, .number)
                .means("Requests of one connection that wait for the log; then it is not read from."),
            Self("limits.pendingBytes", \.session.pendingBytes, .size).means(
                "Bytes of requests of one connection that wait for the log; the same."
            ),
            Self("limits.breaches", \.session.breaches, .number)
                .means("Refusals within `times.breaches` that end a connection (4400, 4429)."),
            Self("limits.contextBytes", \.contextBytes, .size)
                .means("Memory for `compression: full`; further connections use `on`."),
        ]
    }

    private static var graphs: [FixedLimit] {
        [
            Self("limits.graphs", \.session.graphs, .number)
                .means("Graphs, from files and over HTTP (413); docs/sizing.md has what so many cost."),
            Self("limits.nodes", \.session.nodes, .number).means("Nodes of one graph (413)."),
            Self("limits.picture", \.session.pictureNodes, .number)
                .means(
                    "Nodes of one picture, or of what is observed (413): some 10 ms. Larger graphs are shown in part (`around`) and in pages."
                ),
            Self("limits.kept", \.session.kept, .number)
                .means(
                    "Nodes of one graph with `retain: untilPressure`; before another one the unused are released."
                ),
            Self("limits.historyBytes", \.session.historyBytes, .size)
                .means(
                    "Values that one node's `history` keeps, and its steps; the oldest go first. The definition says how many there are."
                ),
            Self("limits.historyMemory", \.session.historyMemory, .size)
                .means(
                    "Steps of all histories by time that are in memory; then the oldest of the node that needs more go. With `dataDir` they leave memory every minute."
                ),
            Self("limits.zipBuffer", \.session.zipBuffer, .number)
                .means("Values of one input that wait in a `zip`; then the oldest is lost (overflow)."),
            Self("limits.switchKeys", \.session.switchKeys, .number).means("Nodes that one `switch` feeds."),
            Self("limits.delayed", \.session.delayed, .number)
                .means("Values of one `delay`; then the oldest leaves early."),
            Self("limits.windowValues", \.session.windowValues, .number)
                .means("Values of one `window`; then the oldest leaves early."),
            Self("limits.sinkEntries", \.sinks.entries, .number)
                .means("Values in one request of a sink over a glob."),
            Self("limits.sinkBytes", \.sinks.bytes, .size)
                .means(
                    "The body of such a request; a single value may be longer. Usual receivers take 100 KB."
                ),
            Self("limits.sinkQueue", \.sinks.queueBytes, .size)
                .means("What waits in mode all of a sink over a glob; then the oldest is dropped."),
            Self("limits.sourceBody", \.sources.body, .size)
                .means("The body of an upstream's answer, and one event or message of a stream."),
            Self("limits.sourceRequests", \.sources.inAll, .number)
                .means("Requests to upstreams that are under way at once; others wait."),
            Self("limits.sourceRequestsPerHost", \.sources.perHost, .number)
                .means("The same to one host."),
            Self("times.source", \.sources.milliseconds, .time)
                .means("An upstream's answer, connecting included."),
            Self("memory.pressure", \.memoryPressure, .path).means(
                """
                What says when memory is short: the memory.pressure of the server's control group, else \
                /proc/pressure/memory. SIGUSR1 releases unused nodes by hand.
                """
            ),
        ]
    }
}
