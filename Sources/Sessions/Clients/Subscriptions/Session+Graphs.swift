internal import Graphs
internal import Definitions
internal import ReactiveGraph

// What a session does when a graph to which it listens changes or ends.
extension Session {
    /// The subscriptions of this session, kept ones included.
    var everySubscription: [Subscription] { subscriptions + keptChains.map(\.subscription) }

    /// Whether it has subscriptions to the graph, or observes it.
    func listens(to graph: LiveGraph) -> Bool {
        everySubscription.contains { $0.graph === graph } || observers.contains { $0.graph === graph }
            || demands.contains { $0.graph === graph }
    }

    func endAll(of graph: LiveGraph, _ code: EndCode) {
        for subscription in everySubscription where subscription.graph === graph { end(subscription, code) }
        for observer in observers where observer.graph === graph { end(observer, code) }
        for demand in demands where demand.graph === graph { end(demand, code) }
    }

    /// These nodes are about to be removed: subscriptions to one of them end, those to several
    /// continue with the others.
    ///
    /// - Returns: the ended subscriptions, whose clients are notified when the change is complete.
    func end(
        subscriptionsTo nodes: Set<UInt64>,
        _ names: Set<String>,
        of graph: LiveGraph
    ) -> [EndedSubscription] {
        var ended: [EndedSubscription] = []
        for subscription in everySubscription where subscription.graph === graph && !subscription.isEnded {
            guard subscription.leave(names, nodes) else { continue }
            let whole = subscription.whole
            let released = end(whole, because: EndCode.nodeRemoved.rawValue)
            ended.append(EndedSubscription(session: self, id: whole.id, released: released))
        }
        return ended
    }

    /// The graph has new nodes.
    ///
    /// `added` is nil if its rules have changed, so that any node may be readable now.
    func update(_ group: WideSubscription, _ added: [NamedNode]?) {
        guard !isClosed, !group.isEnded, let access else { return }
        group.join(added, for: access)
        revise(claimOf: group)
    }

    /// The nodes of a group have changed.
    func revise(claimOf group: WideSubscription) {
        if group.requiredRights != nil {
            group.requiredRights = access?.requiredRights(group.names, needs: .read)
        }
    }
}

/// A subscription that has ended because its node was removed, and whose client was not notified
/// yet.
struct EndedSubscription {
    let session: Session
    let id: UInt64
    let released: UInt64

    func sendEnd() {
        session.sendEnd(of: id, .nodeRemoved, released: released)
    }
}
