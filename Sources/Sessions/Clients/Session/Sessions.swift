internal import Graphs
internal import DequeModule
internal import ReactiveGraph

/// All sessions of a host: the open ones, and closed ones that are not released yet.
final class Sessions {
    /// In no particular order; each session knows its index.
    private var listed: ContiguousArray<Session> = []
    private var created: UInt64 = 0
    /// The tickets of clients, and the chains kept under them.
    let kept = KeptChains()

    var subscriptions = 0

    /// The number of the next session; numbers are never reused.
    func number() -> UInt64 {
        created += 1
        return created
    }

    func add(_ session: Session) {
        session.place = Int32(listed.count)
        listed.append(session)
    }

    /// Closed sessions that still have subscriptions, in the order in which they were closed.
    private var toRelease: Deque<Session> = []
    /// How much of the present turn releases have used.
    private var released = TurnShare(dividedBy: 4)
    private var isReleasing = false

    /// How many of `listed` are closed.
    private var closedCount = 0

    /// Releases what a session needed that has just been closed, within the limit of this turn; the
    /// rest follows in the next turns.
    ///
    /// - Returns: how many nodes were freed.
    func closed(_ session: Session) -> UInt64 {
        closedCount += 1
        return release(session)
    }

    /// Releases what a closed session has and does not keep, in the same way.
    @discardableResult
    func release(_ session: Session) -> UInt64 {
        queueForRelease(session)
        return releaseSome(of: session.host)
    }

    /// The same from the next turn on.
    func queueForRelease(_ session: Session) {
        guard !session.isQueuedForRelease else { return }
        session.isQueuedForRelease = true
        toRelease.append(session)
    }

    /// Whether closed sessions are not released yet.
    var isUnfinished: Bool { !toRelease.isEmpty }

    /// A turn begins: continues where the previous turn ended.
    func goOn(of host: Host) {
        if !toRelease.isEmpty { _ = releaseSome(of: host) }
    }

    private func releaseSome(of host: Host) -> UInt64 {
        // Sending a release to observers may close their sessions: those follow.
        guard !isReleasing else { return 0 }
        isReleasing = true
        defer { isReleasing = false }
        var freed: UInt64 = 0
        while let first = toRelease.first {
            let room = released.room(of: host)
            guard room > 0 || first.isReleased else { break }
            let before = host.work
            freed += first.releaseSubscriptions(within: room)
            released.spend(since: before, of: host)
            guard first.isReleased else { break }
            toRelease.removeFirst()
            first.isQueuedForRelease = false
            // A kept chain puts it back on the list when the chain expires.
            if first.keptChains.isEmpty { remove(first) }
        }
        return freed
    }

    /// Releases everything that is left of closed sessions: the host ends.
    func releaseAll() {
        for chain in kept.kept { chain.subscription.session.end(chain.subscription, .shutdown) }
        for session in toRelease {
            _ = session.releaseSubscriptions(within: .max)
            remove(session)
        }
        toRelease = []
    }

    /// Releases all sessions, without a message to their clients: the host is being freed.
    func forget() {
        kept.forget()
        for session in listed { session.outbox.clear() }
        toRelease = []
        listed = []
    }

    private func remove(_ session: Session) {
        closedCount -= 1
        let last = listed.removeLast()
        if last !== session {
            last.place = session.place
            listed[Int(last.place)] = last
        }
    }

    /// All sessions that are not released yet, closed ones included, in order of creation.
    var all: [Session] { listed.sorted { $0.number < $1.number } }

    /// The graph has ended: ends all subscriptions to it.
    func end(of graph: LiveGraph) {
        guard graph.clients.hasListeners || graph.releases.watch != nil || graph.demand != nil else { return }
        for session in all { session.endAll(of: graph, .nodeRemoved) }
    }

    /// The graph's epoch is lost: its listeners are closed (4510) and reconnect for the new one.
    func close(listenersTo graph: LiveGraph) {
        for session in all where session.listens(to: graph) {
            session.endConnection(4510, "epoch lost")
            if session.isClosed { session.endAll(of: graph, .nodeRemoved) }
        }
    }

    /// Nodes of the graph are about to be removed: ends the subscriptions to them, and to what
    /// clients made from those with these names.
    func end(
        subscriptionsTo nodes: Set<UInt64>,
        _ names: Set<String>,
        of graph: LiveGraph
    ) -> [EndedSubscription] {
        guard graph.clients.hasListeners else { return [] }
        let affected = listed.filter { session in
            session.everySubscription.contains { subscription in
                subscription.graph === graph
                    && (subscription is WideSubscription || subscription.leave(names, nodes))
            }
        }
        return affected.sorted { $0.number < $1.number }
            .flatMap { $0.end(subscriptionsTo: nodes, names, of: graph) }
    }

    /// The graph has these new nodes, in the order of its definition: subscriptions to names and
    /// globs add them; all nodes with nil, if others may be readable now.
    func update(groupsOf graph: LiveGraph, _ added: [NamedNode]?) {
        guard graph.clients.subscriptions > 0 else { return }
        let affected = listed.filter { session in
            session.subscriptions.contains { $0.graph === graph && $0 is WideSubscription }
        }
        for session in affected.sorted(by: { $0.number < $1.number }) {
            for case let group as WideSubscription in session.subscriptions where group.graph === graph {
                session.update(group, added)
            }
        }
    }

    /// The access rules of a graph have changed: ends what sessions may no longer see.
    func revise() {
        for session in all where session.access?.principal != nil {
            session.change(to: session.access)
        }
    }

    var openCount: Int { listed.count - closedCount }
}
