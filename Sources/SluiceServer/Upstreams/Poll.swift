internal import CEL
internal import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Outbound
internal import ReactiveGraph
internal import Support
internal import Values

/// One request to an upstream that is made again and again for the source nodes that share it (S-2,
/// S-5, S-7).
///
/// Where members are joined, one request at a time asks for some of them; who comes meanwhile joins
/// the next one, which begins at once. Otherwise one answer is for all.
final class Poll: Upstream {
    /// What is asked.
    private let ask: PollKey
    /// Where members are joined: those to ask for as soon as possible.
    private var asking: [OpenFeed] = []
    /// Those that the request under way is for, and how many of them are open still.
    private var asked: [OpenFeed] = []
    private var askedCount = 0
    private var call: RequestPool.Call?
    private var redirects = 0
    /// Answers of the request that are not taken yet.
    private var arriving: ArraySlice<OpenFeed> = []
    /// What came last, for those that come later; only where one answer is for all, and not too
    /// long to be kept.
    private var answer: Datum?
    /// Whether all have taken what came last.
    private var isKnownToAll = false
    private var entityTag: String?
    private var lastModified: String?

    private static let mostRedirects = 5
    /// The longest target of a request for several members, in bytes.
    private static let longestTarget = 6_000

    private var isJoining: Bool { ask.rest != nil }
    /// Whether a request is under way.
    var isAsking: Bool { call != nil || !arriving.isEmpty }

    /// A poll for no nodes yet.
    init(_ key: UpstreamKey, _ ask: PollKey, _ upstreams: Upstreams, askedAt: UInt64?) {
        self.ask = ask
        super.init(key, upstreams, askedAt: askedAt)
    }

    // MARK: - Who needs it

    override func begin(_ feed: OpenFeed, after pause: Int?) {
        followPace(feed)
        if let pause { return wait(atMost: pause) }
        if isJoining {
            asking.append(feed)
            // Each member that comes is asked for at once, unless the same was asked a moment ago.
            return count > 1 ? upstreams.begin(self) : askSoon()
        }
        if let answer, failure == nil { return take(answer, for: [feed]) }
        isKnownToAll = false
        if !isAsking { askSoon() }
    }

    override func left(_ feed: OpenFeed) {
        guard isJoining, feed.isAsked else { return }
        askedCount -= 1
        if askedCount == 0, let call = call.take() {
            call.cancel()
            asked = []
            upstreams.begin(self)
        }
    }

    private func followPace(_ feed: OpenFeed) {
        guard case .poll(let poll) = feed.feed.kind, let every = poll.every else { return }
        pace.every = min(pace.every ?? every, every)
    }

    override func end() {
        super.end()
        call.take()?.cancel()
        (asking, asked, arriving) = ([], [], [])
    }

    override func load(_ feed: OpenFeed) {
        if isAsking, !isJoining || feed.isAsked { return }
        if isJoining, !asking.contains(where: { $0 === feed }) { asking.append(feed) }
        askSoon()
    }

    // MARK: - Asking

    override func timeHasCome() {
        forgetClosed()
        asking = isJoining ? joined : []
        pace.every = nil
        for feed in joined { followPace(feed) }
        next()
    }

    override func next() {
        guard !isAsking, count > 0 else { return }
        if isJoining {
            takeChunk()
            guard !asked.isEmpty else { return }
        } else {
            asked = openFeeds
            stopTimer()
        }
        for feed in asked { feed.isAsked = true }
        askedCount = asked.count
        redirects = 0
        askedAt = host.clock.now
        count {
            $0.requests += 1
            $0.items += UInt64(isJoining ? asked.count : 1)
        }
        send(to: key.origin, target: target)
    }

    /// Takes as many members as one request asks for.
    private func takeChunk() {
        var room = Self.longestTarget - key.target.utf8.count - (ask.rest?.utf8.count ?? 0)
        var taken = 0
        asked = []
        for feed in asking {
            if isOpen(feed) {
                room -= (feed.share?.text.utf8.count ?? 0) + 1
                guard asked.isEmpty || (room >= 0 && asked.count < ask.batch) else { break }
                asked.append(feed)
            }
            taken += 1
        }
        asking.removeFirst(taken)
    }

    private var target: String {
        guard let rest = ask.rest else { return key.target }
        var seen: Set<String> = []
        let texts = asked.compactMap { $0.share?.text }.filter { seen.insert($0).inserted }
        return key.target + texts.joined(separator: ",") + rest
    }

    private func send(to origin: String, target: String) {
        do throws(UpstreamFailure) {
            var headers = try headers(to: origin, accept: ask.isText ? "*/*" : "application/json")
            if !isJoining, origin == key.origin, answer != nil || isKnownToAll {
                if let entityTag { headers.append(("If-None-Match", entityTag)) }
                if let lastModified { headers.append(("If-Modified-Since", lastModified)) }
            }
            guard let url = ServiceURL(origin) else { throw UpstreamFailure(.redirect, "no address") }
            let request = OutboundRequest(
                HTTP.Method(word: ask.method) ?? .get,
                url,
                target,
                headers: headers,
                body: ask.body
            )
            call = upstreams.pool.send(request) { [weak self] result in
                guard let self else { return }
                upstreams.turns.begin()
                call = nil
                answered(result, from: origin, target)
            }
        } catch {
            fail(error)
        }
    }

    // MARK: - Answers

    private func answered(
        _ result: Result<HTTPClient.Answer, ClientFailure>,
        from origin: String,
        _ target: String
    ) {
        let spent = host.clock.now - (askedAt ?? host.clock.now)
        count { $0.milliseconds += spent }
        do throws(UpstreamFailure) {
            let answer: HTTPClient.Answer
            do throws(ClientFailure) { answer = try result.get() } catch { throw UpstreamFailure(error) }
            count { $0.bytes += UInt64(answer.body.count) }
            switch answer.status {
            case 200..<300: try take(answer)
            case 304 where !isJoining: confirm(by: answer)
            case 301, 302, 303, 307, 308: try follow(answer, from: origin, target)
            default:
                throw UpstreamFailure(
                    .status,
                    "status \(answer.status)",
                    status: answer.status,
                    pause: answer.retryPause(at: Int64(upstreams.wallClock))
                )
            }
        } catch {
            fail(error)
        }
    }

    /// Follows a redirect to a host that sources may reach.
    private func follow(
        _ answer: HTTPClient.Answer,
        from origin: String,
        _ target: String
    )
        throws(UpstreamFailure)
    {
        guard ask.method == "GET", redirects < Self.mostRedirects,
            let location = answer.location
        else { throw UpstreamFailure(.redirect, "status \(answer.status)", status: answer.status) }
        redirects += 1
        let text = location.hasPrefix("/") && !location.hasPrefix("//") ? origin + location : location
        guard let url = RemoteURL(text), upstreams.hosts.addresses(of: url) != nil else {
            throw UpstreamFailure(
                .redirect,
                "a redirect leads to a host that is not in sourceHosts",
                status: answer.status
            )
        }
        send(to: url.origin, target: url.target)
    }

    private func take(_ answer: HTTPClient.Answer) throws(UpstreamFailure) {
        guard answer.coding == nil || answer.coding?.lowercased() == "identity" else {
            throw UpstreamFailure(.answer, "the answer is coded, which was not asked for")
        }
        let datum = try Self.datum(of: answer.body, isText: ask.isText)
        (entityTag, lastModified) = (answer.entityTag, answer.lastModified)
        succeed(maxAge: answer.maxAge)
        if !isJoining {
            self.answer = answer.body.count <= Self.longestKept ? datum : nil
            isKnownToAll = true
        }
        take(datum, for: receivers)
    }

    /// The upstream has nothing newer.
    private func confirm(by head: HTTPClient.Answer) {
        count { $0.unchanged += 1 }
        succeed(maxAge: head.maxAge)
        // Nodes that have come since then have no value yet.
        if let answer { return take(answer, for: receivers) }
        for feed in asked { feed.isAsked = false }
        upstreams.take(asked.filter(isOpen).map { FedNews($0, .confirmed) })
        asked = []
        if !isKnownToAll { askSoon() }
    }

    /// Those for which an answer is: also those that came while it was awaited, unless members are
    /// joined.
    private var receivers: [OpenFeed] { isJoining ? asked : openFeeds }

    private func succeed(maxAge: Int?) {
        succeeded()
        let pause = pace.succeeded(maxAge: maxAge, random: upstreams.random())
        // The next round begins after the first request of this one.
        if let pause, !isWaiting { wait(atMost: pause) }
    }

    /// Makes the nodes' values, as many as this turn has room for.
    private func take(_ datum: Datum, for feeds: [OpenFeed]) {
        arriving += feeds
        goOn(with: datum)
    }

    private func goOn(with datum: Datum) {
        var news: [FedNews] = []
        while let feed = arriving.popFirst() {
            feed.isAsked = false
            guard isOpen(feed) else { continue }
            do throws(UpstreamFailure) {
                news.append(FedNews(feed, .value(try feed.value(of: datum))))
            } catch {
                news.append(FedNews(feed, .failed(error, retryAt: nil)))
            }
            if host.isCrowded { break }
        }
        upstreams.take(news)
        guard arriving.isEmpty else {
            return host.later { [weak self] in self?.goOn(with: datum) }
        }
        asked = []
        // Those that came meanwhile.
        if isJoining { next() }
    }

    private func fail(_ reason: UpstreamFailure) {
        let retryAt = failed(reason)
        for feed in asked { feed.isAsked = false }
        let feeds = (receivers + asking).filter(isOpen)
        (asked, asking) = ([], [])
        upstreams.take(feeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    override func retry(_ feed: OpenFeed) {
        (entityTag, lastModified, answer, isKnownToAll) = (nil, nil, nil, false)
        wait(atMost: pace.failed(random: upstreams.random()))
    }

    override var state: State {
        isAsking ? .asking : failure != nil ? .failed : super.state
    }
}
