internal import Definitions
internal import EventLoop
internal import Graphs
internal import Outbound
internal import Support
internal import Values

/// Another Sluice, of which source nodes are nodes: as a client it has one subscription there for
/// each, over one connection for up to a thousand (S-9).
///
/// Each message of the other server is one commit here. After a break, subscriptions go on from
/// their cursors. While a turn has no room for more, nothing is read, and the other server folds.
final class ServiceSource: Upstream {
    private var links: [ServiceLink] = []
    private var remotes: [RemoteName: RemoteNode] = [:]
    private var lastID: UInt64 = 1
    private var isPaused = false
    /// No node has come since the connection was made.
    private var isNew = false

    /// The subscriptions of one connection: `limits.subs` unless the other server has another one.
    private static let mostOnLink = 1_000

    override var state: State {
        guard !links.isEmpty else { return failure != nil ? .failed : super.state }
        return links.allSatisfy(\.isOpen) ? .open : .asking
    }

    // MARK: - Who needs it

    override func begin(_ feed: OpenFeed, after pause: Int?) {
        guard let name = feed.share?.remote else { return }
        if let remote = remotes[name] {
            remote.feeds.append(feed)
            if let refusal = remote.refusal {
                upstreams.take([FedNews(feed, .failed(refusal, retryAt: nil))])
            } else if let news = remote.news(for: feed) {
                upstreams.take([news])
            }
            return
        }
        let remote = RemoteNode(name, id: nextID())
        remote.feeds = [feed]
        remotes[name] = remote
        // After a failure all wait for the next try.
        if !links.isEmpty { upstreams.begin(self) } else if !isWaiting { askSoon() }
    }

    override func left(_ feed: OpenFeed) {
        guard let name = feed.share?.remote, let remote = remotes[name] else { return }
        remote.feeds.removeAll { $0 === feed }
        guard remote.feeds.isEmpty else { return }
        remotes[name] = nil
        guard let link = link(of: remote) else { return }
        link.unsubscribe(remote)
        if link.nodes.isEmpty { links.removeAll { $0 === link } }
    }

    override func end() {
        super.end()
        (links, remotes) = ([], [:])
    }

    override func retry(_ feed: OpenFeed) {
        guard let name = feed.share?.remote, let remote = remotes[name] else { return }
        link(of: remote)?.unsubscribe(remote)
        remote.forget()
        refuse(remote, UpstreamFailure(.refused, "the graph refuses the value"))
    }

    override func load(_ feed: OpenFeed) {
        guard let name = feed.share?.remote, let remote = remotes[name],
            let link = link(of: remote),
            remote.loadedAt + Self.shortestPause <= host.clock.now
        else { return }
        remote.loadedAt = host.clock.now
        let id = nextID()
        link.send { remote.appendLoad(as: id, to: &$0) }
    }

    private func link(of remote: RemoteNode) -> ServiceLink? {
        links.first { $0.nodes[remote.id] != nil }
    }

    private func nextID() -> UInt64 {
        lastID += 1
        return lastID
    }

    // MARK: - Connections

    override func timeHasCome() {
        for remote in remotes.values { remote.refusal = nil }
        next()
    }

    /// Subscribes to what is neither subscribed nor refused, and connects if that takes another
    /// connection.
    override func next() {
        guard count > 0 else { return }
        let known = Set(links.flatMap(\.nodes.keys))
        for remote in remotes.values.sorted(by: { $0.id < $1.id })
        where !known.contains(remote.id) && remote.refusal == nil {
            do throws(UpstreamFailure) {
                let link = try linkWithRoom()
                link.nodes[remote.id] = remote
                if link.isOpen { subscribe(remote, over: link) }
            } catch {
                return fail(error)
            }
        }
    }

    private func linkWithRoom() throws(UpstreamFailure) -> ServiceLink {
        if let link = links.last, link.nodes.count < Self.mostOnLink { return link }
        askedAt = host.clock.now
        count { $0.requests += 1 }
        let client = try upstreams.connect(
            key.origin,
            key.target + "/v1/ws",
            subprotocol: "sluice.v1.json",
            headers: headers(to: key.origin, accept: nil)
        )
        let link = ServiceLink(client) { [weak self] link in
            self?.upstreams.turns.begin()
            self?.opened(link)
        } hear: { [weak self] link, message in
            self?.upstreams.turns.begin()
            self?.hear(message, over: link)
        } ended: { [weak self] failure in
            self?.upstreams.turns.begin()
            self?.fail(failure)
        }
        links.append(link)
        isNew = true
        return link
    }

    private func opened(_ link: ServiceLink) {
        succeeded()
        link.send { $0.append(utf8: #"{"op":"hello","client":"sluice"}"#) }
        for remote in link.nodes.values.sorted(by: { $0.id < $1.id }) { subscribe(remote, over: link) }
    }

    private func subscribe(_ remote: RemoteNode, over link: ServiceLink) {
        let way = way(from: remote)
        link.send { remote.appendSubscription(by: way, to: &$0) }
    }

    /// The connections have failed: all are made again after a pause.
    private func fail(_ reason: UpstreamFailure) {
        links = []
        let retryAt = failed(reason)
        let feeds = remotes.values.flatMap(\.feeds)
        upstreams.take(feeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    /// One node cannot be had: it is subscribed to again after a pause.
    private func refuse(_ remote: RemoteNode, _ reason: UpstreamFailure) {
        for link in links { link.nodes[remote.id] = nil }
        remote.refusal = reason
        count { $0.failed += 1 }
        let pause = pace.failed(random: upstreams.random())
        wait(atMost: pause)
        let retryAt = upstreams.wallClock + UInt64(pause)
        upstreams.take(remote.feeds.map { FedNews($0, .failed(reason, retryAt: retryAt)) })
    }

    // MARK: - Ways (S-9)

    /// The longest way on which the values of a node go on from here.
    private func way(from remote: RemoteNode) -> Way {
        let ways = remote.feeds.compactMap { feed in feed.node.map { feed.graph.way(from: $0) } }
        return ways.max { $0.steps.count < $1.steps.count } ?? Way.none
    }

    /// Definitions, or the listeners that are servers or ask for paths, have changed: the other
    /// server learns of other ways, and whether paths are asked for.
    override func followWays() {
        for link in links where link.isOpen {
            for remote in link.nodes.values where remote.way != nil {
                let way = way(from: remote)
                guard way != remote.way || remote.needsPaths != remote.asksForPaths else { continue }
                let id = nextID()
                link.send { remote.appendChange(to: way, as: id, to: &$0) }
            }
        }
    }

    // MARK: - What comes

    private func hear(_ message: JSONReader, over link: ServiceLink) {
        guard let op = message["op"]?.string else { return }
        let id = message["id"]?.int.flatMap { UInt64(exactly: $0) } ?? 0
        switch op {
        case "snap":
            guard let remote = link.nodes[id] else { return }
            if isNew { pace.settled() }
            isNew = false
            take(remote.begin(message), of: remote, message)
        case "upd":
            guard let rev = message["rev"]?.int, let entries = message["d"]?.elements else { return }
            var news: [FedNews] = []
            var first: RemoteNode?
            for entry in entries {
                let id = entry["id"]?.int.flatMap { UInt64(exactly: $0) } ?? 0
                guard let remote = link.nodes[id] else { continue }
                first = first ?? remote
                news += remote.take(entry, rev: rev)
            }
            if let first { take(news, of: first, message) }
        case "end", "err":
            guard let remote = link.nodes[id], let code = message["code"]?.string
            else { return }
            // What is too slow begins anew at once; at the end of the server the connection ends.
            if code == "slow" { return subscribe(remote, over: link) }
            if code == "shutdown" || code == "draining" { return }
            refuse(remote, UpstreamFailure(refusal: code, message["msg"]?.string))
        default: return
        }
    }

    private func take(_ news: [FedNews], of remote: RemoteNode, _ message: JSONReader) {
        count {
            $0.items += 1
            $0.bytes += UInt64(message.bytes.count)
        }
        host.work += UInt64(1 + news.count)
        upstreams.take(news, context: remote.origin)
        guard host.isCrowded, !isPaused else { return }
        isPaused = true
        for link in links { link.pauseReading(true) }
        host.later { [weak self] in
            self?.isPaused = false
            for link in self?.links ?? [] { link.pauseReading(false) }
        }
    }
}
