internal import CEL
internal import Definitions
internal import Graphs
internal import Outbound
internal import ReactiveGraph
internal import Support
internal import Values

/// What is open for the source nodes that share it (S-2): the part that all kinds have in common.
class Upstream {
    let key: UpstreamKey
    /// Unique while the server runs, and never used again.
    let number: UInt64
    private(set) unowned var upstreams: Upstreams
    /// The nodes that it is for, in the order in which they came; and some that have closed, which
    /// are removed now and then.
    private(set) var joined: [OpenFeed] = []
    /// How many of them are open.
    private(set) var count = 0
    final var pace: PollPace
    /// It asks at the end of this turn.
    final var isBeginning = false
    private let timer = Timer()
    private var timerDue: UInt64 = 0
    /// When it was asked last, on the monotonic clock.
    final var askedAt: UInt64?
    /// Why it failed last, and when it is tried again, in milliseconds since 1970.
    private(set) var failure: (reason: UpstreamFailure, retryAt: UInt64?)?

    /// A client's `load`, or who comes and goes, makes it ask at most so often, in milliseconds.
    static let shortestPause: UInt64 = 1_000
    /// The longest value that is kept for nodes that come later, in bytes.
    static let longestKept = 65_536
    private static let agent = "Sluice/\(Version.text)"

    /// An upstream for no nodes yet; `askedAt`: when the same was asked before, on the monotonic
    /// clock.
    init(_ key: UpstreamKey, _ upstreams: Upstreams, askedAt: UInt64?) {
        (self.key, self.upstreams, self.askedAt) = (key, upstreams, askedAt)
        number = upstreams.newNumber()
        pace = PollPace(every: nil)
        timer.action = { [unowned self] in
            timeHasCome()
            return nil
        }
    }

    final var host: Host { upstreams.host }

    // MARK: - What each kind does

    /// A node has joined; it is asked for at once, or after so many milliseconds if its value is
    /// fresh.
    func begin(_ feed: OpenFeed, after pause: Int?) {}

    /// A node has left, and others are there still.
    func left(_ feed: OpenFeed) {}

    /// Nothing needs it any more.
    func end() { stopTimer() }

    /// A client waits for a newer value.
    func load(_ feed: OpenFeed) {}

    /// The ways on which its values go on may have changed (S-9).
    func followWays() {}

    /// The time has come for which it waited.
    func timeHasCome() {}

    /// Asks, unless it does already or there is nothing to ask for.
    func next() {}

    /// The graph has refused a value.
    func retry(_ feed: OpenFeed) {}

    /// What it does at present.
    var state: State { isWaiting ? .waiting : .done }

    enum State: String, CaseIterable {
        /// A request is under way, or a connection is being made.
        case asking
        /// Values come as they please.
        case open
        /// It waits for the time of the next request.
        case waiting
        /// The last request has failed.
        case failed
        /// It has what it was asked for, and is not asked again.
        case done
    }

    // MARK: - Nodes

    final func join(_ feed: OpenFeed, after pause: Int?) {
        feed.upstream = self
        joined.append(feed)
        count += 1
        upstreams.noteChange()
        begin(feed, after: pause)
    }

    final func leave(_ feed: OpenFeed) {
        feed.upstream = nil
        count -= 1
        upstreams.noteChange()
        guard count > 0 else { return end() }
        if joined.count > 2 * count + 16 { forgetClosed() }
        left(feed)
    }

    final func isOpen(_ feed: OpenFeed) -> Bool { feed.upstream === self }

    final var openFeeds: [OpenFeed] { joined.filter(isOpen) }

    final func forgetClosed() { joined.removeAll { !isOpen($0) } }

    // MARK: - Time

    /// Whether it waits for a time.
    final var isWaiting: Bool { timer.isRunning }

    /// The time for which it waits, on the monotonic clock.
    final var due: UInt64? { isWaiting ? timerDue : nil }

    /// Waits for so many milliseconds, or less if it does already.
    final func wait(atMost pause: Int) {
        let due = host.clock.now + UInt64(max(1, pause))
        if let present = self.due, present <= due { return }
        timerDue = due
        upstreams.noteChange()
        host.timers.set(timer, due: due)
    }

    final func stopTimer() { host.timers.cancel(timer) }

    /// Asks at the end of this turn, or later if it has just asked.
    final func askSoon() {
        let now = host.clock.now
        guard let askedAt, askedAt + Self.shortestPause > now else { return upstreams.begin(self) }
        wait(atMost: Int(askedAt + Self.shortestPause - now))
    }

    // MARK: - Results

    final func count(_ change: (inout UpstreamCounters) -> Void) {
        change(&upstreams.counters[key.origin, default: UpstreamCounters()])
        upstreams.noteChange()
    }

    final func succeeded() {
        failure = nil
        upstreams.noteChange()
    }

    /// Notes a failure, and waits for the next try.
    ///
    /// - Returns: when that is, in milliseconds since 1970.
    final func failed(_ reason: UpstreamFailure) -> UInt64 {
        count { $0.failed += 1 }
        for graph in Set(openFeeds.map(\.graph.name)).sorted() {
            upstreams.audit.failed(reason, for: graph, at: key.origin)
        }
        let pause = pace.failed(retryAfter: reason.pause, random: upstreams.random())
        let retryAt = upstreams.wallClock + UInt64(pause)
        failure = (reason, retryAt)
        stopTimer()
        wait(atMost: pause)
        return retryAt
    }

    /// Notes a failure of what it shares with others, which are tried again together.
    final func noted(_ reason: UpstreamFailure, retryAt: UInt64) {
        count { $0.failed += 1 }
        failure = (reason, retryAt)
    }

    /// The header fields of a request to an origin; those with secrets only to its own.
    final func headers(
        to origin: String,
        accept: String?
    ) throws(UpstreamFailure) -> [(name: String, value: String)] {
        var headers: [(name: String, value: String)] = []
        for (name, value) in [("Accept", accept), ("User-Agent", Self.agent)] {
            guard let value, !key.headers.contains(where: { $0.name.lowercased() == name.lowercased() })
            else { continue }
            headers.append((name, value))
        }
        for header in key.headers where origin == key.origin || header.secret == nil {
            headers.append((header.name, try upstreams.text(of: header.value)))
        }
        return headers
    }

    /// What has come, as a value.
    static func datum(of bytes: [UInt8], isText: Bool) throws(UpstreamFailure) -> Datum {
        do throws(JSONError) {
            if isText { return try Datum(tree: .string(String(decoding: bytes, as: UTF8.self))) }
            return try bytes.withBorrowedBytes { (bytes) throws(JSONError) in try Datum.parse(bytes) }
        } catch {
            throw UpstreamFailure(.answer, "the answer is no JSON: \(error.explanation)")
        }
    }
}

/// What was asked of an upstream, and what came of it.
struct UpstreamCounters {
    var requests: UInt64 = 0
    /// Members asked for, where they are joined; otherwise as many as requests.
    var items: UInt64 = 0
    var failed: UInt64 = 0
    /// Answers that said that nothing has changed.
    var unchanged: UInt64 = 0
    var bytes: UInt64 = 0
    var milliseconds: UInt64 = 0
}
