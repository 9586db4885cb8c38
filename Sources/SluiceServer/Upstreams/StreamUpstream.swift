internal import DequeModule
internal import Definitions
internal import Graphs
internal import Outbound
internal import Values

/// What is open all the time and sends messages of its own accord: the part that streams of all
/// kinds have in common (S-2, S-5).
///
/// When it ends it is connected again after a pause. A message belongs to a *channel*, which each
/// node takes one of: a type of events, a topic, or everything. Each message is a commit of its
/// own, in the order in which they came; while a turn has no room for more, nothing is read.
class StreamUpstream: Upstream {
    /// Whether something has come since it was connected.
    private(set) final var isHeard = false
    /// The last message of each channel that some node takes, for those that come later.
    private var last: [String: StreamMessage] = [:]
    /// Messages whose values are still to be made, and the nodes that take them.
    private var arriving: Deque<(message: StreamMessage, feeds: ArraySlice<OpenFeed>)> = []

    /// What a commit of one value counts in a turn's work.
    private static let commitWork: UInt64 = 10

    // MARK: - What each kind does

    /// Whether there is a connection, or one is being made.
    var isConnected: Bool { false }

    /// Begins to connect.
    ///
    /// - Throws: ``UpstreamFailure`` if that cannot even begin.
    func connect() throws(UpstreamFailure) {}

    /// Drops the connection.
    func disconnect() {}

    /// Reads nothing until it may again.
    func pauseReading(_ paused: Bool) {}

    /// A node has come that needs the last value, which is too long to be kept here.
    func askAgain() {}

    /// The channel that a node takes.
    func channel(of feed: OpenFeed) -> String { "" }

    /// A node's value from a message on its channel; nil: it is not for the node.
    func value(for feed: OpenFeed, from message: StreamMessage) throws(UpstreamFailure) -> Datum? { nil }

    // MARK: - Who needs it

    override final func begin(_ feed: OpenFeed, after pause: Int?) {
        if let message = last[channel(of: feed)] { return take(message, for: [feed]) }
        if !isConnected, !isWaiting { askSoon() } else if isHeard { askAgain() }
    }

    override final func left(_ feed: OpenFeed) {
        let channel = channel(of: feed)
        guard last[channel] != nil else { return }
        if !openFeeds.contains(where: { self.channel(of: $0) == channel }) { last[channel] = nil }
    }

    override final func end() {
        super.end()
        disconnect()
        arriving = []
    }

    override var state: State {
        isConnected ? isHeard ? .open : .asking : failure != nil ? .failed : super.state
    }

    // MARK: - The connection

    override final func timeHasCome() { next() }

    override final func next() {
        guard !isConnected, count > 0 else { return }
        askedAt = host.clock.now
        count { $0.requests += 1 }
        isHeard = false
        do throws(UpstreamFailure) { try connect() } catch { fail(error) }
    }

    /// The connection has been made: after a failure, nodes wait for a value again.
    final func opened() {
        let hasFailed = failure != nil
        succeeded()
        guard hasFailed else { return }
        for feed in openFeeds { feed.isAwaited = true }
        upstreams.report(openFeeds.map { FedNews($0, .loading) })
    }

    /// The connection has ended, or there was none; `retry`: how long the upstream wants its
    /// clients to wait, in milliseconds.
    final func ended(_ reason: ClientFailure, retry: Int? = nil) {
        if case .lost = reason, isHeard {
            // Many servers end a stream now and then.
            disconnect()
            return wait(atMost: min(max(retry ?? PollPace.firstPause, 100), PollPace.longestPause))
        }
        var failure = UpstreamFailure(reason)
        failure.pause = retry
        fail(failure)
    }

    /// What it shares with others has failed, and is tried again by itself.
    final func failed(_ reason: UpstreamFailure, retryAt: UInt64) {
        noted(reason, retryAt: retryAt)
        upstreams.report(openFeeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    final func fail(_ reason: UpstreamFailure) {
        disconnect()
        let retryAt = failed(reason)
        upstreams.take(openFeeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    // MARK: - Values

    /// Something has come.
    final func arrived(_ message: StreamMessage) {
        isHeard = true
        pace.settled()
        count {
            $0.items += 1
            $0.bytes += UInt64(message.data.count)
        }
        let feeds = openFeeds.filter { channel(of: $0) == message.channel }
        guard !feeds.isEmpty else { return }
        last[message.channel] = message.data.count <= Self.longestKept ? message : nil
        take(message, for: feeds)
    }

    private func take(_ message: StreamMessage, for feeds: [OpenFeed]) {
        let isBehind = !arriving.isEmpty
        arriving.append((message, feeds[...]))
        // A connection that was made meanwhile reads.
        if isBehind { pauseReading(true) } else { goOn() }
    }

    /// Makes the nodes' values, as many as this turn has room for.
    private func goOn() {
        while let (message, feeds) = arriving.first {
            guard !host.isCrowded else { return goOnLater() }
            let rest = take(from: message, for: feeds)
            if arriving.isEmpty { break }
            if rest.isEmpty { arriving.removeFirst() } else { arriving[0].feeds = rest }
        }
        pauseReading(false)
    }

    private func goOnLater() {
        pauseReading(true)
        host.later { [weak self] in self?.goOn() }
    }

    /// - Returns: the nodes for which this turn has no room.
    private func take(from message: StreamMessage, for feeds: ArraySlice<OpenFeed>) -> ArraySlice<OpenFeed> {
        var news: [FedNews] = []
        var rest = feeds
        while let feed = rest.popFirst() {
            guard isOpen(feed) else { continue }
            host.work += Self.commitWork
            do throws(UpstreamFailure) {
                if let value = try value(for: feed, from: message) {
                    news.append(FedNews(feed, .value(value)))
                }
            } catch {
                news.append(FedNews(feed, .failed(error, retryAt: nil)))
            }
            if host.isCrowded { break }
        }
        upstreams.take(news)
        return rest
    }
}
