public import EventLoop
internal import HTTP
public import Outbound

/// Sends figures to a graph, one atomic batch per interval, until it is interrupted.
///
/// On demand it sends only those that clients listen to, and at once those that a client starts to
/// listen to.
///
/// It keeps one connection. While the server is away it retries with growing pauses; it reports
/// that once, and again when the server is back.
public final class GraphFeed {
    /// Called with messages for the person at the terminal, one line each.
    public var onNote: (String) -> Void = { _ in }

    private let service: ServiceURL
    private let target: String
    private let interval: Duration
    private let batch: (Demand?) -> [UInt8]?
    private let wanted: WantedNodes?
    /// Where it runs; a server may run there, too.
    public let loop: Loop
    private let client: HTTPClient
    private var timer: LoopTimer?
    private var watchers: [SignalWatcher] = []
    private var pause: Duration
    private var isWaiting = false
    private var trouble: String?
    private var hasSucceeded = false
    private var refusal: Refused?
    private static let longestPause: Duration = .seconds(30)

    /// A feed; nodes that match `glob` are sent on demand only (nil: all, always).
    ///
    /// `batch` makes the next body of `POST /v1/graphs/{g}/batch`; nil if there is nothing to send.
    init(
        to graph: String,
        at service: ServiceURL,
        every interval: Duration,
        onDemand glob: String?,
        batch: @escaping (Demand?) -> [UInt8]?
    ) throws {
        self.service = service
        self.interval = interval
        self.batch = batch
        pause = interval
        target = "/v1/graphs/\(graph)/batch"
        loop = try Loop()
        client = HTTPClient(service, on: loop, limit: .seconds(10))
        wanted = try glob.map { [loop] in try WantedNodes($0, of: graph, at: service, on: loop) }
    }

    /// A feed of this machine's figures, for the graph of `config/graphs/host.yaml`.
    ///
    /// - Throws: if the system refuses a loop.
    public static func host(
        to graph: String,
        at service: ServiceURL,
        every interval: Duration,
        onDemand: Bool
    ) throws -> GraphFeed {
        try GraphFeed(to: graph, at: service, every: interval, onDemand: onDemand ? "*" : nil) { demand in
            HostSample.read().batch(demand).map { Array($0.utf8) }
        }
    }

    /// A feed of simulated sensors, for the graph of `config/graphs/fleet.yaml`.
    ///
    /// - Throws: if the system refuses a loop.
    public static func fleet(
        of devices: Int,
        to graph: String,
        at service: ServiceURL,
        every interval: Duration,
        onDemand: Bool
    ) throws -> GraphFeed {
        var fleet = Fleet(devices: devices, every: interval)
        let glob = onDemand ? "sensor.*" : nil
        return try GraphFeed(to: graph, at: service, every: interval, onDemand: glob) { fleet.next($0) }
    }

    /// A feed of the services of a simulated town, which first defines their graph.
    ///
    /// - Parameters:
    ///   - service: the server that is to have the graph.
    ///   - broker: where it publishes temperatures: host and port.
    /// - Returns: the feed, which begins with ``run()``.
    /// - Throws: if the system refuses a loop.
    public static func town(at service: ServiceURL, broker: String) throws -> GraphFeed {
        var town = Town()
        let feed = try GraphFeed(to: "outside", at: service, every: .seconds(1), onDemand: nil) { _ in
            town.next()
        }
        feed.client.send(.put, "/v1/graphs/outside", body: Array(Town.graph(broker: broker).utf8)) { _ in }
        return feed
    }

    /// Feeds until SIGINT or SIGTERM.
    public func run() throws {
        OwnProcess.ignoreBrokenPipes()
        watchers = try SignalWatcher.stopping(loop)
        let timer = try LoopTimer(on: loop) { [weak self] in self?.send() }
        self.timer = timer
        if let wanted { follow(wanted, timer) }
        timer.start(after: .zero, every: interval)
        loop.run()
        if let refusal { throw refusal }
    }

    private func follow(_ wanted: WantedNodes, _ timer: LoopTimer) {
        wanted.onNews = { [weak self, interval] in
            // While the server is away, it is tried again after the pause.
            if self?.trouble == nil { timer.start(after: .zero, every: interval) }
        }
        wanted.onNote = onNote
        wanted.onEnd = { [weak self] reason in
            self?.refusal = Refused(description: "demand: \(reason)")
            self?.loop.stop()
        }
        wanted.start()
    }

    /// The server refuses to report demand; the reason as one sentence.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    private func send() {
        guard !isWaiting, let body = batch(wanted?.take()) else { return }
        isWaiting = true
        client.send(.post, target, body: body) { [weak self] result in
            self?.answered(result)
        }
    }

    private func answered(_ result: Result<HTTPClient.Answer, ClientFailure>) {
        isWaiting = false
        switch result {
        case .success(let answer) where answer.isSuccess: succeeded()
        case .success(let answer):
            failed(ClientFailure.refused(status: answer.status, body: answer.body))
        case .failure(.lost) where trouble == nil && hasSucceeded:
            // An idle connection that the server closed is no error: the next batch makes a new
            // one.
            hasSucceeded = false
        case .failure(let failure): failed(failure)
        }
    }

    private func succeeded() {
        if trouble != nil || !hasSucceeded { onNote("feeding \(service)\(target) every \(interval)") }
        if trouble != nil { timer?.start(after: interval, every: interval) }
        hasSucceeded = true
        trouble = nil
        pause = interval
    }

    private func failed(_ failure: ClientFailure) {
        let reason = "\(failure)"
        if trouble != reason { onNote("\(service): \(reason); trying again") }
        trouble = reason
        hasSucceeded = false
        timer?.start(after: pause)
        pause = min(pause * 2, max(interval, Self.longestPause))
    }
}
