internal import EventLoop
internal import Commits

/// The demand of servers that share a Redis (D-4).
///
/// Each server has a set of the nodes that its listeners want for each graph that another one
/// follows, and says in a stream what changes in it. The sets expire with the signs of life of
/// their server; the clocks of other machines do not count.
final class RedisDemand: SharedDemand {
    weak var follower: (any SharedDemandFollower)?
    let elsewhere = DemandElsewhere()

    private weak var log: RedisLog?
    /// The other instances that live.
    private var living: Set<String> = []
    /// Whether it is looked for others that do.
    private var isLooking = false

    // What is read.
    private var followed: Set<String> = []
    private(set) var sources: Set<DemandSource> = []
    private var lastNumber: UInt64 = 0

    // What is said.
    private var followers = DemandFollowers()
    /// The graphs that are followed and not announced yet; nil: there are no changes.
    private var announced: Set<String>?
    /// The graphs of which Redis has the whole set, and those of which it needs that.
    private var complete: Set<String> = []
    private var incomplete: Set<String> = []
    /// The nodes for which something may have changed.
    private var changed: [String: Set<String>] = [:]
    private var asked: [String: Set<String>] = [:]
    /// Graphs that no other instance follows any longer.
    private var ended: Set<String> = []
    private var isDue = false
    private var isSending = false

    init(of log: RedisLog) { self.log = log }

    // MARK: - What this server does

    func isFollowedElsewhere(_ graph: String) -> Bool { followers.contain(graph) }

    func follow(_ graph: String) {
        guard followed.insert(graph).inserted else { return }
        for instance in living { addSource(graph, instance) }
        announced = (announced ?? []).union([graph])
        sendSoon()
    }

    func unfollow(_ graph: String) {
        guard followed.remove(graph) != nil else { return }
        sources = sources.filter { $0.graph != graph }
        elsewhere.forget(graph: graph)
        announced = (announced ?? []).subtracting([graph])
        sendSoon()
    }

    func note(_ node: String, of graph: String) {
        guard followers.contain(graph) else { return }
        changed[graph, default: []].insert(node)
        sendSoon()
    }

    func noteAll(of graph: String) {
        guard followers.contain(graph) else { return }
        needWhole(graph)
        sendSoon()
    }

    private func needWhole(_ graph: String) {
        complete.remove(graph)
        incomplete.insert(graph)
    }

    func ask(_ node: String, of graph: String) {
        // Its server asks again after a while.
        guard followers.contain(graph), log?.health == .ready else { return }
        asked[graph, default: []].insert(node)
        sendSoon()
    }

    private func addSource(_ graph: String, _ instance: String) {
        lastNumber += 1
        sources.insert(DemandSource(graph: graph, instance: instance, number: lastNumber))
    }

    // MARK: - Saying it

    /// What comes in the same turn goes along.
    private func sendSoon() {
        guard !isDue, let log else { return }
        isDue = true
        log.writer.after(0) { [weak self] in
            self?.isDue = false
            self?.send()
        }
    }

    private func send() {
        guard let log, !isSending, log.health == .ready, !log.isClosed else { return }
        let notice = takeNotice()
        guard !notice.isEmpty else { return }
        isSending = true
        log.ask { [instance = log.instance] (store) throws(RedisError) in
            try store.tell(notice, from: instance)
        } then: { [weak self] result in
            guard let self else { return }
            isSending = false
            switch result {
            case .success(let gone):
                for change in notice.changes where gone.contains(change.graph) {
                    needWhole(change.graph)
                    asked[change.graph, default: []].formUnion(change.asked)
                }
                send()
            case .failure(let error):
                forgetSaid()
                self.log?.lose(error)
            }
        }
    }

    private func takeNotice() -> DemandNotice {
        var notice = DemandNotice()
        if let new = announced { notice.followed = (followed.sorted(), new.sorted()) }
        let graphs = incomplete.union(changed.keys).union(asked.keys)
        for graph in graphs.sorted() where followers.contain(graph) {
            let asks = (asked[graph] ?? []).sorted()
            if complete.insert(graph).inserted {
                let nodes = follower?.wantedNodes(of: graph) ?? []
                notice.changes.append(DemandChange(graph: graph, isWhole: true, wanted: nodes, asked: asks))
            } else {
                let names = (changed[graph] ?? []).sorted()
                var change = DemandChange(graph: graph, isWhole: false, asked: asks)
                change.wanted = names.filter { follower?.isWanted($0, of: graph) == true }
                change.unwanted = names.filter { follower?.isWanted($0, of: graph) != true }
                notice.changes.append(change)
            }
        }
        notice.ended = ended.sorted()
        (announced, incomplete, changed, asked, ended) = (nil, [], [:], [:], [])
        return notice
    }

    /// It is unknown what Redis has of what was said.
    private func forgetSaid() {
        complete = []
        incomplete = Set(followers.graphs)
        announced = followed
    }

    // MARK: - Signs of life

    /// These instances have given a sign of life, and are not lost.
    func take(living instances: Set<String>) {
        for instance in living.subtracting(instances).sorted() {
            sources = sources.filter { $0.instance != instance }
            for (graph, nodes) in elsewhere.forget(server: instance) {
                follower?.demandChanged(of: graph, for: nodes)
            }
            revise(followers.remove(instance))
        }
        for instance in instances.subtracting(living).sorted() {
            for graph in followed.sorted() { addSource(graph, instance) }
        }
        living = instances
        isLooking = false
        renew()
    }

    private func renew() {
        guard let log, !(living.isEmpty && followed.isEmpty) else { return }
        let (followed, told, others) = (followed.sorted(), complete.sorted(), living.sorted())
        log.ask { [instance = log.instance] (store) throws(RedisError) in
            try store.renewDemand(of: instance, following: followed, telling: told, others)
        } then: { [weak self] result in
            guard let self, let log = self.log, !log.isClosed else { return }
            switch result {
            case .failure(let error): log.lose(error)
            case .success(let renewal):
                for graph in renewal.gone { needWhole(graph) }
                for (instance, graphs) in renewal.followers where living.contains(instance) {
                    revise(followers.note(graphs, at: instance))
                }
                sendSoon()
            }
        }
    }

    /// Other graphs are followed by others than before.
    private func revise(_ graphs: Set<String>) {
        for graph in graphs.sorted() {
            if followers.contain(graph) {
                ended.remove(graph)
                if !complete.contains(graph) { incomplete.insert(graph) }
            } else if complete.remove(graph) != nil {
                ended.insert(graph)
            }
            follower?.demandFollowersChanged(of: graph)
            sendSoon()
        }
    }

    // MARK: - What the others say

    func take(_ news: [DemandNews]) {
        for next in news {
            switch next {
            case .whole(let nodes, let source):
                guard sources.contains(source) else { break }
                report(elsewhere.set(nodes, of: source.graph, at: source.instance), source.graph)
            case .line(let line, let source):
                take(line, source)
            }
        }
    }

    private func take(_ line: DemandLine, _ source: DemandSource?) {
        guard let log, line.instance != log.instance else { return }
        guard living.contains(line.instance) else {
            // One that has just begun counts at once.
            if !isLooking { log.beat() }
            isLooking = true
            return
        }
        if !line.followed.isEmpty { revise(followers.add(line.followed, at: line.instance)) }
        if !line.asked.isEmpty, followed.contains(line.graph) {
            follower?.demandAsked(of: line.graph, for: line.asked)
        }
        guard let source, sources.contains(source) else { return }
        let nodes = elsewhere.change(
            adding: line.wanted,
            removing: line.unwanted,
            of: source.graph,
            at: source.instance
        )
        report(nodes, source.graph)
    }

    private func report(_ nodes: [String], _ graph: String) {
        if !nodes.isEmpty { follower?.demandChanged(of: graph, for: nodes) }
    }
}
