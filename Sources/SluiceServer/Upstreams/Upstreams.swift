internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Logging
internal import Outbound
internal import Sessions
internal import Support
internal import TLS
internal import Values

/// What feeds the source nodes of all graphs (docs/sources.md), on the server that makes the ticks.
///
/// Each graph says which of its source nodes are wanted (``GraphFeeds``). The difference from those
/// that are open is worked off at the end of each turn: what comes to be wanted in a turn opens in
/// it, and what is not wanted any more closes (S-1).
final class Upstreams {
    let clients: Clients
    let configuration: Configuration
    let turns: Turns
    let log: Logger
    /// Where they may ask.
    let hosts: PermittedHosts
    private(set) lazy var pool = RequestPool(
        on: turns.loop,
        room: room,
        limit: .milliseconds(Int64(configuration.fixed.sources.milliseconds)),
        mostBytes: configuration.fixed.sources.body
    ) { [unowned self] in permits($0) }
    private(set) lazy var brokers = Brokers(configuration, hosts, on: turns)
    /// What was asked, by scheme, host and port.
    var counters: [String: UpstreamCounters] = [:]
    var audit = UpstreamAudit()
    private(set) var graphs: [String: GraphFeeds] = [:]
    /// Rises when an upstream opens, closes or changes its state.
    private(set) var changes: UInt64 = 0
    /// How many upstreams have been opened.
    private var opened: UInt64 = 0
    private var all: [UpstreamKey: Upstream] = [:]
    /// When closed upstreams were asked last, on the monotonic clock: who comes and goes must not
    /// make the server ask all the time.
    private var lately: [UpstreamKey: UInt64] = [:]
    /// The graphs in which something has come to be wanted, or is wanted no longer.
    private var noted: [GraphFeeds] = []
    /// Those that make a request at the end of this turn.
    private var beginning: [Upstream] = []
    /// What graphs learn at the end of this turn: that loads have begun, and what came to nothing.
    private var news: [FedNews] = []
    private var isStopped = false
    /// What it followed last.
    private var followed: (definitions: UInt64, isLeading: Bool)?

    var host: Host { clients.host }

    init(_ configuration: Configuration, _ clients: Clients, _ turns: Turns, _ log: Logger) {
        (self.configuration, self.clients, self.turns, self.log) = (configuration, clients, turns, log)
        hosts = PermittedHosts(configuration.sourceHosts)
    }

    private var room: RequestPool.Room {
        var room = RequestPool.Room()
        room.perServer = configuration.fixed.sources.perHost
        room.inAll = configuration.fixed.sources.inAll
        return room
    }

    /// Reads the trusted authorities, if a source may need them: that takes a while.
    func prepare() {
        guard !configuration.sourceHosts.isEmpty else { return }
        do throws(TLSFailure) {
            pool.trust = try TLSContext.client(authorities: nil)
            brokers.trust = pool.trust
        } catch {
            log.warning("sources cannot use https", metadata: ["reason": "\(error)"])
        }
    }

    /// Milliseconds since 1970.
    var wallClock: UInt64 { UInt64(max(0, turns.loop.wallClock)) }

    /// From 0 up to 1, to spread requests.
    func random() -> Double { Double.random(in: 0..<1) }

    /// Connects to a stream of events.
    func connect(
        _ request: OutboundRequest,
        after lastID: String,
        receive: @escaping (EventStreamClient.News) -> Void
    ) -> EventStreamClient {
        EventStreamClient(
            request,
            after: lastID,
            on: turns.loop,
            trust: pool.trust,
            limit: .milliseconds(Int64(configuration.fixed.sources.milliseconds)),
            mostBytes: configuration.fixed.sources.body,
            permits: permits(request.server),
            receive: receive
        )
    }

    /// Connects to a WebSocket.
    func connect(
        _ origin: String,
        _ target: String,
        subprotocol: String? = nil,
        headers: [(name: String, value: String)]
    ) throws(UpstreamFailure) -> WebSocketClient {
        guard let server = ServiceURL(origin) else { throw UpstreamFailure(.address, "no address") }
        let limit = Duration.milliseconds(Int64(configuration.fixed.sources.milliseconds))
        return WebSocketClient(
            server,
            target,
            subprotocol: subprotocol,
            headers: headers,
            on: turns.loop,
            trust: pool.trust,
            patience: WebSocketClient.Patience(upgrade: limit, silence: limit),
            mostBytes: configuration.fixed.sources.body,
            permits: permits(server)
        )
    }

    private func permits(_ server: ServiceURL) -> (IPAddress) -> Bool {
        let addresses = RemoteURL(server.description).flatMap(hosts.addresses)
        return { addresses?.contains($0) == true }
    }

    // MARK: - Turns

    /// Follows changes of the definitions, and of which server makes the ticks.
    func followChanges() {
        let present = (definitions: host.definitionChanges, isLeading: host.isLeading)
        if let followed, followed == present { return }
        followed = present
        let isOn = host.isLeading && !isStopped
        let wanted = isOn ? host.graphs.filter(\.definition.hasSources) : []
        let names = Set(wanted.map(\.name))
        for (name, feeds) in graphs where !names.contains(name) {
            feeds.end()
            graphs[name] = nil
            if host[name] == nil { audit.forget(name) }
        }
        for graph in wanted {
            let former = graphs[graph.name]
            if let former, former.graph === graph, former.definition == graph.definition.hash { continue }
            let feeds = GraphFeeds(of: graph, in: self)
            graphs[graph.name] = feeds
            feeds.begin(after: former?.graph === graph ? former : nil)
            former?.end()
        }
        followWays()
    }

    /// Something has come to be wanted in a graph, or is wanted no longer.
    func note(_ feeds: GraphFeeds) {
        if !noted.contains(where: { $0 === feeds }) { noted.append(feeds) }
    }

    /// An upstream is asked at the end of this turn.
    func begin(_ upstream: Upstream) {
        guard !upstream.isBeginning else { return }
        upstream.isBeginning = true
        beginning.append(upstream)
    }

    /// The end of the turn: opens and closes, and asks.
    func settle() {
        while !noted.isEmpty {
            let all = noted
            noted = []
            for feeds in all { feeds.settle() }
        }
        if host.takeNewWays() { followWays() }
        let asking = beginning
        beginning = []
        for upstream in asking {
            upstream.isBeginning = false
            upstream.next()
        }
        let news = self.news
        self.news = []
        for each in news { each.feed.hasNews = false }
        take(news)
        brokers.settle()
    }

    private func followWays() {
        for upstream in all.values { upstream.followWays() }
    }

    // MARK: - Opening and closing

    func open(_ feed: OpenFeed, at upstream: UpstreamDefinition?) {
        guard let node = feed.node, let upstream else { return }
        do throws(UpstreamFailure) {
            try check(upstream, feed)
            let share = try feed.feed.share(of: node.placeholders, at: upstream)
            let secrets = (upstream.secrets + feed.feed.secrets)
                .filter { configuration.secretValues[$0] != nil }
            audit.used(secrets, by: feed.graph.name, at: share.key.origin)
            feed.share = share
            let pause = pause(of: node, feed.feed)
            if pause == nil {
                // What it had before may have been closed in this turn, and nothing has come of it.
                if node.isLoadingValue { news.removeAll { $0.isAboutPast && $0.isAbout(node) } }
                feed.isAwaited = true
                report([FedNews(feed, .loading)])
            }
            let shared = all[share.key] ?? make(share.key)
            all[share.key] = shared
            shared.join(feed, after: pause)
        } catch {
            audit.failed(error, for: feed.graph.name, at: upstream.url.origin)
            report([FedNews(feed, .failed(error, retryAt: nil))])
        }
    }

    private func make(_ key: UpstreamKey) -> Upstream {
        let askedAt = lately.removeValue(forKey: key)
        return switch key.kind {
        case .poll(let ask): Poll(key, ask, self, askedAt: askedAt)
        case .events: EventSource(key, self, askedAt: askedAt)
        case .socket(let greeting): SocketSource(key, greeting: greeting, self, askedAt: askedAt)
        case .topic(let broker): Topic(key, at: broker, self)
        case .service: ServiceSource(key, self, askedAt: askedAt)
        }
    }

    /// A stored source must not start if the configuration has changed since.
    private func check(_ upstream: UpstreamDefinition, _ feed: OpenFeed) throws(UpstreamFailure) {
        guard hosts.addresses(of: upstream.url) != nil else {
            throw UpstreamFailure(.notPermitted, "'\(upstream.url.authority)' is not in sourceHosts")
        }
        let client = feed.graph.origin == .client ? feed.graph.name : nil
        let usable = configuration.usableSecrets(ofClientGraph: client)
        for secret in upstream.secrets + feed.feed.secrets where !usable.contains(secret) {
            throw UpstreamFailure(.secret, "there is no secret '\(secret)' for this graph")
        }
    }

    /// How long a node's value is fresh still, in milliseconds: until then it is not asked for, or
    /// until its turn has come anyway (S-6); nil: it is asked for now.
    private func pause(of node: NamedNode, _ feed: Feed) -> Int? {
        // A stream is open all the time.
        guard case .poll(let poll) = feed.kind else { return nil }
        let now = wallClock
        guard let fresh = node.freshUntil, fresh > now else { return nil }
        guard let every = poll.every else { return Int(fresh - now) }
        let due = min(node.confirmedAt + UInt64(every), fresh)
        return due > now ? Int(due - now) : 1
    }

    /// A load of which nothing will come any more has ended.
    func forgetLoad(of node: NamedNode) {
        guard let feed = node.definition.feed else { return }
        report([FedNews(OpenFeed(node, feed), .cancelled)])
    }

    func close(_ feed: OpenFeed) {
        // Thousands may close in one turn.
        if feed.hasNews { news.removeAll { $0.feed === feed } }
        if let upstream = feed.upstream {
            upstream.leave(feed)
            if upstream.count == 0 { forget(upstream) }
        }
        // It may have another source by now, or none.
        guard let node = feed.graph.node(feed.name) else { return }
        node.renewLease()
        if feed.isAwaited, node.isLoadingValue { report([FedNews(feed, .cancelled)]) }
    }

    /// Nothing needs an upstream any more; for a moment it is known when it was asked last.
    private func forget(_ upstream: Upstream) {
        all[upstream.key] = nil
        guard let askedAt = upstream.askedAt else { return }
        if lately.count >= 1_000 {
            lately = lately.filter { $0.value + Upstream.shortestPause > host.clock.now }
        }
        lately[upstream.key] = askedAt
    }

    /// The text of a header field.
    func text(of value: RequestHeader.Value) throws(UpstreamFailure) -> String {
        switch value {
        case .text(let text): return text
        case .secret(let name):
            guard let text = configuration.secretValues[name] else {
                throw UpstreamFailure(.secret, "SLUICE_SECRET_\(name) is not set")
            }
            return text
        case .token(let name): return "Bearer \(try text(of: .secret(name)))"
        }
    }

    // MARK: - What comes

    /// Brings it to the graphs at the end of the turn.
    func report(_ more: [FedNews]) {
        for each in more { each.feed.hasNews = true }
        news += more
    }

    /// Brings what has come to the graphs, one commit for each (S-3).
    ///
    /// `context` is what the commits say of their origin.
    func take(_ news: [FedNews], context: Datum? = nil) {
        noteChange()
        var commits: [String: Commit] = [:]
        var feeds: [String: [OpenFeed]] = [:]
        for each in news {
            let (feed, graph) = (each.feed, each.feed.graph)
            guard graph.isServed, let node = each.isAboutPast ? graph.node(feed.name) : feed.node else {
                continue
            }
            var commit = commits[graph.name] ?? Commit(fedTo: graph)
            if case .loading = each.what {
                // What came at once was for those that were there before.
                guard feed.isAwaited, !node.isLoadingValue else { continue }
            } else {
                feed.isAwaited = false
            }
            switch each.what {
            case .loading: commit.note(.loading(progress: nil), of: node)
            case .cancelled: commit.note(.cancelled, of: node)
            case .confirmed: if node.takesConfirmations { commit.note(.notModified, of: node) }
            case .failed(let reason, let retryAt):
                let report = reason.report(retryAt: retryAt)
                if !node.knows(report) { commit.note(report, of: node) }
            case .value(let value):
                if value != node.fedValue {
                    commit.set.append(Assignment(node, value))
                    feeds[graph.name, default: []].append(feed)
                } else if node.takesConfirmations {
                    commit.note(.notModified, of: node)
                }
            case .remote(let state, let former, let value, let isEmpty):
                let isCleared = isEmpty && node.fedValue != nil
                let isSet = value != nil && value != node.fedValue
                if let value, isSet {
                    commit.set.append(Assignment(node, value))
                    // As with joins, that of the last one.
                    commit.path = each.path ?? commit.path
                    feeds[graph.name, default: []].append(feed)
                }
                if isCleared { commit.clear.append(node) }
                commit.bring(node, to: state, after: former, isSet: isSet || isCleared)
            }
            commits[graph.name] = commit
        }
        if let context { for name in commits.keys { commits[name]?.context = context } }
        for (name, commit) in commits where !commit.isVoid {
            let feeds = feeds[name] ?? []
            switch host.submit(commit) {
            case .applied: break
            case .refused(let error): refused(feeds, error)
            case .pending(let pending):
                pending.onAnswer { [weak self] result in
                    if case .failure(let error) = result { self?.refused(feeds, error) }
                }
            }
        }
    }

    /// A graph has refused values: they are asked for again after a while.
    private func refused(_ feeds: [OpenFeed], _ error: HostError) {
        guard let first = feeds.first else { return }
        log.warning(
            "a graph refuses what its upstreams send",
            metadata: ["graph": "\(first.graph.name)", "reason": "\(error.message)"]
        )
        for feed in feeds { feed.upstream?.retry(feed) }
    }

    // MARK: - The end

    func stop() {
        isStopped = true
        followed = nil
        for feeds in graphs.values { feeds.end() }
        (graphs, all, news) = ([:], [:], [])
        pool.close()
        brokers.stop()
    }

    // MARK: - Looking

    /// A number for another upstream.
    func newNumber() -> UInt64 {
        opened += 1
        return opened
    }

    /// An upstream opens, closes or changes its state.
    func noteChange() { changes &+= 1 }

    /// All that is open, in the order in which it was opened.
    var list: [Upstream] { all.values.sorted { $0.number < $1.number } }
}
