internal import EventLoop
internal import HTTP
public import Outbound
internal import ServiceClient
internal import Support
internal import TLS

/// A load run against a running server: POSTs on keep-alive connections, and WebSocket subscribers
/// that receive what was posted.
///
/// Without connections that post, the subscribers are idle. One thread; the measured part begins
/// when all connections stand, and is bounded in time.
public final class Bench {
    /// The settings of a run.
    public struct Settings {
        /// The server.
        public var service: ServiceURL
        /// The mutable node to post to; numbers must be allowed.
        public var graph: String, node: String
        /// How many connections post.
        public var connections = 50
        /// How many requests each of them keeps in flight.
        public var depth = 1
        /// How many WebSockets subscribe; 0 makes it a run of posts alone.
        public var subscribers = 0
        /// Whether subscribers want every value (mode `all`) or the newest.
        public var wantsAll = true
        /// Whether each subscriber has a pipeline of its own that passes nothing on, so that the
        /// pipelines' work counts and no delivery does.
        public var hasPipelines = false
        /// Whether the server's WebSockets send bare values unasked: the present one and then each
        /// new one, as it was posted.
        public var isRaw = false
        /// The size of the body: numbers alone, or a text of about this length that begins with the
        /// number.
        public var bodyBytes = 0
        /// Whether no request has the bytes of the head before it.
        public var variesHeads = false
        /// How many posts per second all connections make together; 0: as fast as the answers come.
        public var rate = 0
        /// Measures the server's process; nil if it is unknown.
        public var gauge: ProcessGauge?
        /// How long the measured part lasts.
        public var duration: Duration = .seconds(10)

        /// A run with default sizes.
        public init(service: ServiceURL, graph: String, node: String) {
            self.service = service
            self.graph = graph
            self.node = node
        }
    }

    /// Why a run failed; one sentence.
    public struct Failure: Error, CustomStringConvertible {
        /// The sentence.
        public let description: String
    }

    private let settings: Settings
    private let loop: Loop
    private let padding: String
    private let trust: TLSContext?
    /// The most sockets that open at once: more would overflow the queue of the server's listening
    /// socket.
    private static let opening = 128
    private var connectors: [ServiceConnector] = []
    private var posters: [PostConnection] = []
    private var subscribers: [WebSocketClient] = []
    private var nextPoster = 0
    private var ready = 0
    private var isMeasuring = false
    private var begun: UInt64 = 0
    private var posts = 0
    private var deliveries = 0
    private var failures = 0
    private var latency = LatencyHistogram()
    private var failure: Failure?

    /// Prepares a run.
    public init(_ settings: Settings) throws {
        self.settings = settings
        loop = try Loop()
        trust = settings.service.isSecure ? try .client(authorities: settings.service.authorities) : nil
        padding = String(repeating: "x", count: max(0, settings.bodyBytes - 22))
    }

    /// Connects, measures, and closes everything again.
    public func run() throws -> BenchReport {
        OwnProcess.ignoreBrokenPipes()
        OwnProcess.raiseDescriptorLimit()
        let interrupted = try SignalWatcher.stopping(loop)
        let before = settings.gauge?.read()
        let setUp = try LoopTimer(on: loop) { [weak self] in
            self?.fail("not all connections were open after 30 s")
        }
        setUp.start(after: .seconds(30))
        for _ in 0..<min(Self.opening, settings.subscribers) { subscribe() }
        if settings.subscribers == 0 { connect() }
        if settings.subscribers > 0 || settings.connections > 0 { loop.run() }
        setUp.stop()
        if let failure { throw failure }

        let end = try LoopTimer(on: loop) { [unowned loop] in loop.stop() }
        // Setting up may have taken long: the loop's time is old.
        loop.updateTime()
        end.start(after: settings.duration)
        let pace = try LoopTimer(on: loop) { [unowned self] in postNext() }
        let connected = settings.gauge?.read()
        let processorBefore = Self.processorSeconds
        begun = OwnProcess.nanoseconds
        isMeasuring = true
        if settings.rate > 0 {
            pace.start(after: .zero, every: .seconds(1) / settings.rate)
        } else {
            for poster in posters { poster.start() }
        }
        if failure == nil { loop.run() }
        isMeasuring = false
        pace.stop()
        let seconds = Double(OwnProcess.nanoseconds - begun) / 1e9
        let used = Self.processorSeconds - processorBefore
        let after = settings.gauge?.read()
        _ = (end, interrupted)
        close()
        if let failure { throw failure }
        return BenchReport(
            kind: settings.subscribers == 0 ? "post" : settings.connections == 0 ? "idle" : "fanout",
            settings: [
                ("connections", settings.connections), ("pipeline", settings.depth),
                ("subscribers", settings.subscribers), ("body_bytes", settings.bodyBytes),
                ("rate", settings.rate),
            ],
            seconds: seconds,
            posts: posts,
            deliveries: deliveries,
            cycles: 0,
            failures: failures,
            latency: latency,
            ownProcessorSeconds: used,
            server: BenchReport.Server(before, connected, after)
        )
    }

    /// Lets the next connection post, if there is a rate.
    private func postNext() {
        posters[nextPoster].start()
        nextPoster = (nextPoster + 1) % posters.count
    }

    static var processorSeconds: Double {
        let time = OwnProcess.processorTime
        return (time.user + time.system) / .seconds(1)
    }

    // MARK: Setting up

    private func subscribe() {
        let mode = settings.wantsAll ? "all" : "latest"
        // What is posted is greater than any number of subscribers.
        let pipe = settings.hasPipelines ? #","pipe":[{"filter":"value < \#(subscribers.count)"}]"# : ""
        let message =
            #"{"op":"sub","id":1,"graph":"\#(settings.graph)","node":"\#(settings.node)","mode":"\#(mode)","initial":false,"queue":65536\#(pipe)}"#
        let socket = WebSocketClient(
            settings.service,
            "/v1/ws",
            subprotocol: settings.isRaw ? nil : "sluice.v1.json",
            on: loop,
            trust: trust
        )
        if !settings.isRaw { socket.onOpen = { [unowned socket] in socket.send(message) } }
        socket.onText = { [unowned self] text in received(text) }
        socket.onEnd = { [unowned self] result in
            switch result {
            case .failure(let reason): lost("a subscriber: \(reason)")
            case .success(let (code, reason)): lost("a subscriber was closed with \(code.rawValue) \(reason)")
            }
        }
        subscribers.append(socket)
    }

    private func connect() {
        if settings.connections == 0 { return loop.stop() }
        for _ in 0..<settings.connections {
            let connector = ServiceConnector(to: settings.service, on: loop, trust: trust) { [unowned self] in
                switch $0 {
                case .success(let connection): adopt(connection)
                case .failure(let failure): fail(failure.description)
                }
            }
            connectors.append(connector)
        }
    }

    private func adopt(_ connection: Transport) {
        let poster = PostConnection(
            connection,
            depth: settings.depth,
            isPaced: settings.rate > 0,
            fill: request()
        )
        poster.onAnswer = { [unowned self] refusal, sent in answered(refusal, sent) }
        poster.onLost = { [unowned self] reason in lost(reason) }
        posters.append(poster)
        if posters.count == settings.connections { loop.stop() }
    }

    /// The function that writes one request; its head is constant, its body is the time of sending,
    /// in microseconds.
    private func request() -> (inout ByteBuffer, UInt64) -> Void {
        let target = "\(settings.service.path)/v1/graphs/\(settings.graph)/nodes/\(settings.node)"
        let authorization = settings.service.token.map { "Authorization: Bearer \($0.text)\r\n" } ?? ""
        let heads = ["Content-Length", settings.variesHeads ? "content-length" : "Content-Length"].map {
            length in
            Array(
                "POST \(target) HTTP/1.1\r\nHost: \(settings.service.authority)\r\n\(authorization)Content-Type: application/json\r\n\(length): "
                    .utf8
            )
        }
        var turn = 0
        let tail = Array((padding.isEmpty ? "" : " " + padding + "\"").utf8)
        return { buffer, now in
            let microseconds = now / 1000
            let length = Self.digits(microseconds) + (tail.isEmpty ? 0 : 1 + tail.count)
            buffer.append(heads[turn])
            turn ^= 1
            buffer.append(decimal: length)
            buffer.append("\r\n\r\n")
            if !tail.isEmpty { buffer.append(UInt8(ascii: "\"")) }
            buffer.append(decimal: microseconds)
            buffer.append(tail)
        }
    }

    private static func digits(_ number: UInt64) -> Int {
        var (rest, count) = (number, 1)
        while rest >= 10 { (rest, count) = (rest / 10, count + 1) }
        return count
    }

    // MARK: Measuring

    private func answered(_ refusal: String?, _ sent: UInt64) {
        guard isMeasuring else { return }
        if let refusal {
            failures += 1
            if failures == 1, posts == 0 {
                fail("the server refuses to set \(settings.graph)/\(settings.node): \(refusal)")
            }
            return
        }
        posts += 1
        if settings.subscribers == 0 { latency.record(OwnProcess.nanoseconds - sent) }
    }

    private func received(_ text: BorrowedBytes) {
        guard isMeasuring else {
            // The snapshot; anything else refuses the subscription.
            guard begun == 0, settings.isRaw || text.starts(with: "{\"op\":\"snap\"".utf8) else {
                if begun == 0 { fail("not subscribed: \(String(decoding: text.prefix(200), as: UTF8.self))") }
                return
            }
            ready += 1
            if ready == settings.subscribers {
                connect()
            } else if subscribers.count < settings.subscribers {
                subscribe()
            }
            return
        }
        let now = OwnProcess.nanoseconds
        func delivered(_ sent: UInt64) {
            deliveries += 1
            let time = sent &* 1000
            if time >= begun, time <= now { latency.record(now - time) }
        }
        if settings.isRaw {
            delivered(Self.number(in: text, at: 0))
        } else if text.starts(with: "{\"op\":\"upd\"".utf8) {
            Self.forEachValue(in: text, delivered)
        }
    }

    /// The number after each `"v":`, with or without a quotation mark before it.
    static func forEachValue(in text: BorrowedBytes, _ body: (UInt64) -> Void) {
        let (quote, v, colon) = (UInt8(ascii: "\""), UInt8(ascii: "v"), UInt8(ascii: ":"))
        var index = 0
        while index + 4 <= text.count {
            guard text[index] == quote, text[index + 1] == v, text[index + 2] == quote,
                text[index + 3] == colon
            else {
                index += 1
                continue
            }
            index += 4
            body(number(in: text, at: index))
        }
    }

    private static func number(in text: BorrowedBytes, at place: Int) -> UInt64 {
        var index = place
        if index < text.count, text[index] == UInt8(ascii: "\"") { index += 1 }
        var number: UInt64 = 0
        while index < text.count, (0x30...0x39).contains(text[index]) {
            number = number &* 10 &+ UInt64(text[index] &- 0x30)
            index += 1
        }
        return number
    }

    private func lost(_ reason: String) {
        guard isMeasuring else { return fail(reason) }
        failures += 1
        if failures >= settings.connections + settings.subscribers { fail(reason) }
    }

    private func fail(_ reason: String) {
        if failure == nil { failure = Failure(description: reason) }
        loop.stop()
    }

    private func close() {
        for socket in subscribers {
            socket.onEnd = { _ in }
            socket.onText = { _ in }
        }
        for poster in posters {
            poster.onLost = { _ in }
            poster.stop()
        }
        subscribers = []
        posters = []
        loop.poll()
    }
}
