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
final class Poll {
    let key: PollKey
    private unowned let upstreams: Upstreams
    /// The nodes that it is for, in the order in which they came; and some that have closed, which
    /// are removed now and then.
    private var joined: [OpenFeed] = []
    /// How many of them are open.
    private(set) var count = 0
    /// Where members are joined: those to ask for as soon as possible.
    private var asking: [OpenFeed] = []
    /// Those that the request under way is for, and how many of them are open still.
    private var asked: [OpenFeed] = []
    private var askedCount = 0
    private var call: RequestPool.Call?
    private var redirects = 0
    /// Answers of the request that are not taken yet.
    private var arriving: ArraySlice<OpenFeed> = []
    private var pace: PollPace
    /// When all are asked for again.
    private let timer = Timer()
    private var timerDue: UInt64 = 0
    /// When it was asked last, and when it answered last, on the monotonic clock.
    private(set) var askedAt: UInt64?
    private var answeredAt: UInt64?
    /// What came last, for those that come later; only where one answer is for all, and not too
    /// long to be kept.
    private var answer: Datum?
    /// Whether all have taken what came last.
    private var isKnownToAll = false
    private var entityTag: String?
    private var lastModified: String?
    /// Why the last request failed, and when it is made again, in milliseconds since 1970.
    private(set) var failure: (reason: UpstreamFailure, retryAt: UInt64?)?

    private static let mostRedirects = 5
    /// The longest answer that is kept, in bytes.
    private static let longestKept = 65_536
    /// The longest target of a request for several members, in bytes.
    private static let longestTarget = 6_000
    /// A client's `load`, or who comes and goes, makes it ask at most so often, in milliseconds.
    static let shortestPause: UInt64 = 1_000

    private static let agent = "Sluice/\(Version.text)"

    private var host: Host { upstreams.host }
    private var isJoining: Bool { key.rest != nil }
    /// Whether a request is under way.
    var isAsking: Bool { call != nil || !arriving.isEmpty }
    /// When it is asked again, on the monotonic clock; nil: not by itself.
    var due: UInt64? { timer.isRunning ? timerDue : nil }

    /// A poll for no nodes yet; `askedAt`: when the same was asked before, on the monotonic clock.
    init(_ key: PollKey, _ upstreams: Upstreams, askedAt: UInt64?) {
        (self.key, self.upstreams, self.askedAt) = (key, upstreams, askedAt)
        pace = PollPace(every: nil)
        timer.action = { [unowned self] in
            askForAll()
            return nil
        }
    }

    // MARK: - Who needs it

    /// A node opens; it is asked for at once, or after so many milliseconds if its value is fresh.
    func join(_ feed: OpenFeed, after pause: Int?) {
        feed.poll = self
        joined.append(feed)
        count += 1
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

    /// Asks at the end of this turn, or later if it has just asked.
    private func askSoon() {
        let now = host.clock.now
        guard let askedAt, askedAt + Self.shortestPause > now else { return upstreams.begin(self) }
        wait(atMost: Int(askedAt + Self.shortestPause - now))
    }

    /// A node closes.
    func leave(_ feed: OpenFeed) {
        feed.poll = nil
        count -= 1
        guard count > 0 else { return end() }
        if joined.count > 2 * count + 16 { joined.removeAll { !isOpen($0) } }
        guard feed.isAsked else { return }
        askedCount -= 1
        if askedCount == 0, let call = call.take() {
            call.cancel()
            asked = []
            upstreams.begin(self)
        }
    }

    private func isOpen(_ feed: OpenFeed) -> Bool { feed.poll === self }

    private func followPace(_ feed: OpenFeed) {
        guard case .poll(let poll) = feed.feed.kind, let every = poll.every else { return }
        pace.every = min(pace.every ?? every, every)
    }

    /// Nothing needs it any more.
    func end() {
        call.take()?.cancel()
        host.timers.cancel(timer)
        (asking, asked, arriving) = ([], [], [])
    }

    /// A client waits for a newer value.
    func load(_ feed: OpenFeed) {
        if isAsking, !isJoining || feed.isAsked { return }
        if isJoining, !asking.contains(where: { $0 === feed }) { asking.append(feed) }
        askSoon()
    }

    private func wait(atMost pause: Int) {
        let due = host.clock.now + UInt64(max(1, pause))
        if let present = self.due, present <= due { return }
        timerDue = due
        host.timers.set(timer, due: due)
    }

    // MARK: - Asking

    private func askForAll() {
        joined.removeAll { !isOpen($0) }
        asking = joined
        pace.every = nil
        for feed in joined { followPace(feed) }
        next()
    }

    /// Makes the next request, unless one is under way or there is nothing to ask for.
    func next() {
        guard !isAsking, count > 0 else { return }
        if isJoining {
            takeChunk()
            guard !asked.isEmpty else { return }
        } else {
            asked = joined.filter(isOpen)
            host.timers.cancel(timer)
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
        var room = Self.longestTarget - key.target.utf8.count - (key.rest?.utf8.count ?? 0)
        var taken = 0
        asked = []
        for feed in asking {
            if isOpen(feed) {
                room -= (feed.share?.text.utf8.count ?? 0) + 1
                guard asked.isEmpty || (room >= 0 && asked.count < key.batch) else { break }
                asked.append(feed)
            }
            taken += 1
        }
        asking.removeFirst(taken)
    }

    private var target: String {
        guard let rest = key.rest else { return key.target }
        var seen: Set<String> = []
        let texts = asked.compactMap { $0.share?.text }.filter { seen.insert($0).inserted }
        return key.target + texts.joined(separator: ",") + rest
    }

    private func send(to origin: String, target: String) {
        let sameOrigin = origin == key.origin
        var headers: [(name: String, value: String)] = []
        let standard = [("Accept", key.isText ? "*/*" : "application/json"), ("User-Agent", Self.agent)]
        for (name, value) in standard
        where !key.headers.contains(where: { $0.name.lowercased() == name.lowercased() }) {
            headers.append((name, value))
        }
        do throws(UpstreamFailure) {
            for header in key.headers where sameOrigin || header.secret == nil {
                headers.append((header.name, try upstreams.text(of: header.value)))
            }
            if !isJoining, sameOrigin, answer != nil || isKnownToAll {
                if let entityTag { headers.append(("If-None-Match", entityTag)) }
                if let lastModified { headers.append(("If-Modified-Since", lastModified)) }
            }
            guard let url = ServiceURL(origin) else { throw UpstreamFailure(.redirect, "no address") }
            let request = RequestPool.Request(
                HTTP.Method(word: key.method) ?? .get,
                url,
                target,
                headers: headers,
                body: key.body
            )
            call = upstreams.pool.send(request) { [unowned self] result in
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
                    pause: answer.retryPause(at: upstreams.turns.loop.wallClock)
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
        guard key.method == "GET" || key.method == "HEAD", redirects < Self.mostRedirects,
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
        let datum: Datum
        do throws(JSONError) {
            datum =
                key.isText
                ? try Datum(tree: .string(String(decoding: answer.body, as: UTF8.self)))
                : try answer.body.withBorrowedBytes { (bytes) throws(JSONError) in try Datum.parse(bytes) }
        } catch {
            throw UpstreamFailure(.answer, "the answer is no JSON: \(error.explanation)")
        }
        (entityTag, lastModified) = (answer.entityTag, answer.lastModified)
        succeed(maxAge: answer.maxAge)
        if !isJoining {
            self.answer = answer.body.count <= Self.longestKept ? datum : nil
            isKnownToAll = true
        }
        take(datum, for: asked)
    }

    /// The upstream has nothing newer.
    private func confirm(by head: HTTPClient.Answer) {
        count { $0.unchanged += 1 }
        succeed(maxAge: head.maxAge)
        // Nodes that have come since then have no value yet.
        if let answer { return take(answer, for: asked) }
        let feeds = asked.filter(isOpen)
        for feed in asked { feed.isAsked = false }
        asked = []
        upstreams.take(feeds.map { FedNews($0, .confirmed) })
    }

    private func succeed(maxAge: Int?) {
        failure = nil
        answeredAt = host.clock.now
        let pause = pace.succeeded(maxAge: maxAge, random: upstreams.random())
        // The next round begins after the first request of this one.
        if let pause, !timer.isRunning { wait(atMost: pause) }
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
        count { $0.failed += 1 }
        let pause = pace.failed(retryAfter: reason.pause, random: upstreams.random())
        let retryAt = UInt64(max(0, upstreams.turns.loop.wallClock)) + UInt64(pause)
        failure = (reason, retryAt)
        host.timers.cancel(timer)
        wait(atMost: pause)
        for feed in asked { feed.isAsked = false }
        let feeds = (asked + asking).filter(isOpen)
        (asked, asking) = ([], [])
        upstreams.take(feeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    /// The graph has refused a value: it is asked for again.
    func retry(_ feed: OpenFeed) {
        (entityTag, lastModified, answer, isKnownToAll) = (nil, nil, nil, false)
        wait(atMost: pace.failed(random: upstreams.random()))
    }

    // MARK: - Looking

    private func count(_ change: (inout UpstreamCounters) -> Void) {
        change(&upstreams.counters[key.origin, default: UpstreamCounters()])
    }

    /// What it does at present.
    enum State: String, CaseIterable {
        /// A request is under way.
        case asking
        /// It waits for the time of the next request.
        case waiting
        /// The last request has failed.
        case failed
        /// It has what it was asked for, and is not asked again.
        case done
    }

    var state: State {
        isAsking ? .asking : failure != nil ? .failed : timer.isRunning ? .waiting : .done
    }

    /// How many nodes of a graph it is for.
    func nodes(of graph: LiveGraph) -> Int { joined.count { isOpen($0) && $0.graph === graph } }

    /// Whether it is for a node of that graph.
    func serves(_ graph: LiveGraph) -> Bool { joined.contains { isOpen($0) && $0.graph === graph } }
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

/// What has come for a source node.
struct FedNews {
    enum What {
        /// It is asked for.
        case loading
        /// It was not asked for to the end.
        case cancelled
        case value(Datum)
        /// The last value is still right.
        case confirmed
        case failed(UpstreamFailure, retryAt: UInt64?)
    }

    let feed: OpenFeed
    let what: What

    init(_ feed: OpenFeed, _ what: What) {
        (self.feed, self.what) = (feed, what)
    }
}
