internal import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Outbound
internal import Values

/// A stream of server-sent events that source nodes share (S-2, S-5).
///
/// It is open all the time, and is connected again after a pause when it ends, from the event on
/// that came last.
final class EventSource: Upstream {
    private let ask: StreamKey
    private var client: EventStreamClient?
    private var lastID = ""
    /// Whether an event has come since it was connected.
    private var isHeard = false
    /// The last event of each type that some node takes, for those that come later.
    private var last: [String: [UInt8]] = [:]
    /// Values that are still to be made, in the order in which they came.
    private var arriving: ArraySlice<(feed: OpenFeed, data: [UInt8])> = []

    /// What a commit of one value counts in a turn's work.
    private static let commitWork: UInt64 = 10

    /// A stream for no nodes yet.
    init(_ key: StreamKey, _ upstreams: Upstreams, askedAt: UInt64?) {
        ask = key
        super.init(.stream(key), upstreams, every: nil, askedAt: askedAt)
    }

    override var state: State {
        client != nil ? isHeard ? .open : .asking : failure != nil ? .failed : super.state
    }

    // MARK: - Who needs it

    override func begin(_ feed: OpenFeed, after pause: Int?) {
        if let data = last[Self.type(of: feed)] { return take([(feed, data)]) }
        if client == nil, !isWaiting { askSoon() }
    }

    override func left(_ feed: OpenFeed) {
        let type = Self.type(of: feed)
        guard last[type] != nil else { return }
        if !openFeeds.contains(where: { Self.type(of: $0) == type }) { last[type] = nil }
    }

    override func end() {
        super.end()
        client = nil
        arriving = []
    }

    override func retry(_ feed: OpenFeed) {}

    private static func type(of feed: OpenFeed) -> String {
        if case .events(let events) = feed.feed.kind { events.event } else { "" }
    }

    // MARK: - The stream

    override func timeHasCome() { next() }

    override func next() {
        guard client == nil, count > 0 else { return }
        askedAt = host.clock.now
        count { $0.requests += 1 }
        isHeard = false
        do throws(UpstreamFailure) {
            guard let server = ServiceURL(ask.origin) else { throw UpstreamFailure(.address, "no address") }
            let headers = try headers(to: ask.origin, accept: "text/event-stream")
            client = upstreams.connect(
                OutboundRequest(.get, server, ask.target, headers: headers),
                after: lastID
            ) { [weak self] news in
                self?.upstreams.turns.begin()
                self?.heard(news)
            }
        } catch {
            fail(error)
        }
    }

    private func heard(_ news: EventStreamClient.News) {
        switch news {
        case .event(let type, let data, let id):
            lastID = id
            isHeard = true
            succeeded()
            pace.settled()
            count {
                $0.items += 1
                $0.bytes += UInt64(data.count)
            }
            let feeds = openFeeds.filter { Self.type(of: $0) == type }
            guard !feeds.isEmpty else { return }
            last[type] = data.count <= Self.longestKept ? data : nil
            take(feeds.map { ($0, data) })
        case .answered(let answer):
            let pause = answer.retryPause(at: Int64(upstreams.wallClock))
            fail(
                UpstreamFailure(.status, "status \(answer.status)", status: answer.status, pause: pause)
            )
        case .ended(.lost, let retry) where isHeard:
            // Many servers end a stream now and then.
            client = nil
            wait(atMost: min(max(retry ?? PollPace.firstPause, 100), PollPace.longestPause))
        case .ended(let reason, let retry):
            var failure = UpstreamFailure(reason)
            failure.pause = retry
            fail(failure)
        }
    }

    private func fail(_ reason: UpstreamFailure) {
        client = nil
        let retryAt = failed(reason)
        upstreams.take(openFeeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    // MARK: - Values

    /// Makes the nodes' values, as many as this turn has room for; of those that come faster, the
    /// newest.
    private func take(_ values: [(feed: OpenFeed, data: [UInt8])]) {
        let isBehind = !arriving.isEmpty || host.isCrowded
        // What is not taken yet is replaced by what is newer.
        let newer = Set(values.map { ObjectIdentifier($0.feed) })
        let wasEmpty = arriving.isEmpty
        arriving.removeAll { newer.contains(ObjectIdentifier($0.feed)) }
        arriving += values
        guard isBehind else { return goOn() }
        if wasEmpty { goOnLater() }
    }

    private func goOnLater() { host.later { [weak self] in self?.goOn() } }

    private func goOn() {
        var news: [FedNews] = []
        while let (feed, data) = arriving.popFirst() {
            guard isOpen(feed), case .events(let events) = feed.feed.kind else { continue }
            host.work += Self.commitWork
            do throws(UpstreamFailure) {
                let datum = try Self.datum(of: data, isText: events.isText)
                news.append(FedNews(feed, .value(try feed.value(of: datum))))
            } catch {
                news.append(FedNews(feed, .failed(error, retryAt: nil)))
            }
            if host.isCrowded { break }
        }
        upstreams.take(news)
        if !arriving.isEmpty { goOnLater() }
    }
}
