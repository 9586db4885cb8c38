internal import EventLoop
internal import HTTP
public import Outbound
internal import ServiceClient
internal import TLS

/// A load run of clients that come and go: each connects, subscribes, gets its snapshot and
/// vanishes with a reset, and another one takes its place.
///
/// One thread; bounded in time.
public final class Churn {
    /// The settings of a run.
    public struct Settings {
        /// The server.
        public var service: ServiceURL
        /// The node that the clients subscribe to; nil: they vanish as soon as they are connected,
        /// over TLS after the handshake.
        public var graph: String, node: String?
        /// How many clients are connected at the same time.
        public var clients = 50
        /// Whether the server's WebSockets send the present value unasked.
        public var isRaw = false
        /// Measures the server's process; nil if it is unknown.
        public var gauge: ProcessGauge?
        /// How long the measured part lasts.
        public var duration: Duration = .seconds(10)

        /// A run with default sizes.
        public init(service: ServiceURL, graph: String, node: String?) {
            self.service = service
            self.graph = graph
            self.node = node
        }
    }

    /// One client's life.
    private final class Life {
        var begun: UInt64 = 0
        var connector: ServiceConnector?
        var socket: WebSocketClient?
    }

    private let settings: Settings
    private let loop: Loop
    private let trust: TLSContext?
    private let message: String
    private var lives: [Life] = []
    private var cycles = 0
    private var failures = 0
    private var isOver = false
    private var latency = LatencyHistogram()
    private var failure: Bench.Failure?

    /// Prepares a run.
    public init(_ settings: Settings) throws {
        self.settings = settings
        loop = try Loop()
        trust = settings.service.isSecure ? try .client(authorities: settings.service.authorities) : nil
        message = #"{"op":"sub","id":1,"graph":"\#(settings.graph)","node":"\#(settings.node ?? "")"}"#
    }

    /// Lets clients come and go until the time is over.
    public func run() throws -> BenchReport {
        OwnProcess.ignoreBrokenPipes()
        OwnProcess.raiseDescriptorLimit()
        let interrupted = try SignalWatcher.stopping(loop)
        let end = try LoopTimer(on: loop) { [unowned loop] in loop.stop() }
        // Setting up may have taken long: the loop's time is old.
        loop.updateTime()
        end.start(after: settings.duration)
        let before = settings.gauge?.read()
        let processorBefore = Bench.processorSeconds
        let begun = OwnProcess.nanoseconds
        for _ in 0..<settings.clients {
            let life = Life()
            lives.append(life)
            begin(life)
        }
        loop.run()
        isOver = true
        let seconds = Double(OwnProcess.nanoseconds - begun) / 1e9
        let used = Bench.processorSeconds - processorBefore
        let after = settings.gauge?.read()
        _ = (end, interrupted)
        for life in lives { drop(life) }
        loop.poll()
        if let failure { throw failure }
        return BenchReport(
            kind: "churn",
            settings: [("clients", settings.clients), ("subscribing", settings.node == nil ? 0 : 1)],
            seconds: seconds,
            posts: 0,
            deliveries: 0,
            cycles: cycles,
            failures: failures,
            latency: latency,
            ownProcessorSeconds: used,
            server: BenchReport.Server(before, before, after)
        )
    }

    private func begin(_ life: Life) {
        life.begun = OwnProcess.nanoseconds
        guard settings.node != nil else { return connect(life) }
        let socket = WebSocketClient(
            settings.service,
            "/v1/ws",
            subprotocol: settings.isRaw ? nil : "sluice.v1.json",
            on: loop,
            trust: trust
        )
        if !settings.isRaw { socket.onOpen = { [unowned self, unowned socket] in socket.send(message) } }
        socket.onText = { [unowned self, unowned life] text in
            guard settings.isRaw || text.starts(with: "{\"op\":\"snap\"".utf8) else {
                return fail("not subscribed: \(String(decoding: text.prefix(200), as: UTF8.self))")
            }
            complete(life)
        }
        socket.onEnd = { [unowned self, unowned life] result in
            switch result {
            case .failure(let reason): lost(life, reason.description)
            case .success(let (code, _)): lost(life, "closed with \(code.rawValue)")
            }
        }
        life.socket = socket
    }

    private func connect(_ life: Life) {
        life.connector = ServiceConnector(to: settings.service, on: loop, trust: trust) {
            [unowned self, unowned life] result in
            switch result {
            case .success(let connection):
                connection.reset()
                complete(life)
            case .failure(let reason): lost(life, reason.description)
            }
        }
    }

    private func complete(_ life: Life) {
        guard !isOver else { return }
        latency.record(OwnProcess.nanoseconds - life.begun)
        cycles += 1
        next(life)
    }

    private func lost(_ life: Life, _ reason: String) {
        guard !isOver else { return }
        failures += 1
        if failures > settings.clients { return fail(reason) }
        next(life)
    }

    /// Starts the next client; must not be called within a callback of the old one.
    private func next(_ life: Life) {
        life.socket?.onEnd = { _ in }
        loop.soon { [weak self, weak life] in
            guard let self, let life, !isOver else { return }
            drop(life)
            begin(life)
        }
    }

    private func drop(_ life: Life) {
        life.socket?.onEnd = { _ in }
        life.socket?.vanish()
        life.socket = nil
        life.connector = nil
    }

    private func fail(_ reason: String) {
        if failure == nil { failure = Bench.Failure(description: reason) }
        loop.stop()
    }
}
