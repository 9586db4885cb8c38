public import Graphs
package import ReactiveGraph

/// The clients of a host: their sessions, what they ask for, and what is sent to them.
///
/// It holds the host, which reports to it what clients have to receive (``HostFollower``). Sessions
/// know it and do not hold it.
public final class Clients {
    /// The graphs that they are served.
    public let host: Host
    /// How often a client may ask for something.
    public let rates: ClientRates

    /// Whether transports receive each change of values, and not only refusals
    /// (``MessageTransport/acted(_:)``).
    public var recordsSets = false

    let sessions = Sessions()
    let dispatcher = Dispatcher()
    let delivery = Delivery()
    /// What links have to set when the turn ends.
    let links = LinkEffects()
    /// What producers receive when the turn ends (D-1).
    var demandNews: [DemandWatch] = []
    /// Notifies clients of what calls for attention; nil while none follows.
    var alarmWatch: AlarmWatch?

    /// The clients of `host`, which has no others.
    public init(of host: Host) {
        precondition(host.follower == nil, "a host has one follower")
        self.host = host
        rates = ClientRates(host.limits, host.clock)
        host.follower = self
    }

    deinit {
        host.dissolve()
        sessions.forget()
        links.forget()
        delivery.forget()
    }

    /// The rights of principals have changed: ends what sessions may no longer see (`forbidden`),
    /// and closes sessions of principals that no longer exist (4401).
    ///
    /// Many sessions take several turns; `done` is called after the last one.
    public func reviseAccess(
        _ revise: @escaping (Principal) -> Access?,
        then done: @escaping () -> Void = {}
    ) {
        AccessRevision(of: sessions, revise, done).goOn(in: host)
    }

    /// The counters.
    public var statistics: ClientStatistics {
        ClientStatistics(
            sessions: sessions.openCount,
            subscriptions: sessions.subscriptions,
            messagesIn: dispatcher.messageCount,
            messagesOut: delivery.messageCount,
            folded: delivery.folded
        )
    }
}

extension Clients: HostFollower {
    package var isReleasing: Bool { sessions.isUnfinished }

    package func release() { sessions.goOn(of: host) }

    package func commitApplied() {
        delivery.finishCommit()
        alarmWatch?.noteCommit()
    }

    package func turnEnds() {
        links.run(in: host)
        links.endComplete()
        if !demandNews.isEmpty {
            let watches = demandNews
            demandNews = []
            for watch in watches { watch.send() }
        }
        delivery.flush()
    }

    package func stalenessChanged() {
        // A socket on which values are sent gets no heartbeat for a long time.
        for session in sessions.all { session.heartbeat() }
    }

    package func close() { sessions.releaseAll() }

    package func ended(_ graph: LiveGraph, _ end: LiveGraph.End) {
        switch end {
        case .removed: sessions.end(of: graph)
        case .epochLost: sessions.close(listenersTo: graph)
        }
    }

    package func release(nodes: Set<UInt64>, _ names: Set<String>, of graph: LiveGraph) -> () -> Void {
        let ended = sessions.end(subscriptionsTo: nodes, names, of: graph)
        return { for subscription in ended { subscription.sendEnd() } }
    }

    package func redefined(_ graph: LiveGraph, adding added: [NamedNode], hasOtherRules: Bool) {
        sessions.update(groupsOf: graph, hasOtherRules ? nil : added)
        if !graph.clients.links.isEmpty { endEndlessLinks(of: graph) }
        // Observers need the right to see every node, which a new node may take away.
        if hasOtherRules || (graph.releases.watch != nil && !added.isEmpty) { sessions.revise() }
    }

    package func listens(to graph: LiveGraph) -> [Edge] {
        let all = sessions.all
        host.work += UInt64(all.reduce(0) { $0 + $1.subscriptionCount })
        return all.flatMap(\.subscriptions).filter { $0.graph === graph }.flatMap(\.listens)
    }

    package func releaseKept() { sessions.kept.releaseAll() }

    package func makeRoom(in account: PipelineAccount) { sessions.kept.makeRoom(in: account, of: host) }
}

extension Host {
    /// Its clients; nil for a host without any, as those of past graphs.
    var clients: Clients? { follower as? Clients }
}

/// The counters of a host's clients.
public struct ClientStatistics: Hashable, Sendable {
    /// Sessions that are open.
    public var sessions: Int
    /// Subscriptions of all sessions.
    public var subscriptions: Int
    /// Messages received from clients since the start.
    public var messagesIn: UInt64
    /// Messages passed to the sinks since the start.
    public var messagesOut: UInt64
    /// Emissions that were folded into a later one since the start.
    public var folded: UInt64
}
