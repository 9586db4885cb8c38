internal import Graphs

extension Session {
    /// Subscribes to a node or a pipeline, and sends its present state; calls `then` after that.
    func subscribe(
        to subject: Subject,
        id: UInt64,
        in graph: LiveGraph,
        _ options: SubscriptionOptions,
        _ request: SnapRequest,
        _ owners: OwnerNames? = nil,
        then: @escaping () -> Void = {}
    ) {
        let subscription = Subscription(id: id, session: self, graph: graph, options: options)
        subscription.requiredRights = access?.requiredRights(subject.nodes, needs: subject.needs)
        if let owners { ownerTable.give(subscription, to: owners) }
        subscription.change(request.way)
        let chain = subscription.begin(on: subject)
        guard let chain, chain.isBehind else {
            Snap(subscription, subject, request).send()
            return then()
        }
        subscription.whenCaughtUp(chain) {
            Snap(subscription, subject, request).send()
            then()
        }
    }

    var ownerTable: OwnerTable {
        let table = owners ?? OwnerTable()
        madeExtras.owners = table
        return table
    }

    /// The named owners of this connection's subscriptions, in alphabetical order.
    var ownerNames: [String] { owners?.names ?? [] }
}
