internal import ReactiveGraph
internal import Support

extension Session {
    /// The named owners of this connection's subscriptions, in alphabetical order.
    public var ownerNames: [String] { owners?.names ?? [] }

    /// Gives a new subscription to named owners; without them the connection owns it.
    func give(_ subscription: Subscription, to names: OwnerNames?) {
        guard let names else { return }
        let table = needOwners()
        let owners = makeOwners(of: subscription, table)
        for name in names.names { owners.add(table.add(name)) }
    }

    /// `release`: removes an owner from every subscription, and ends those that have no other
    /// owner.
    func release(_ fields: Fields, id: UInt64) throws(HostError) {
        guard let field = fields[.owner] else { throw HostError(.badField, "owner: a name is needed") }
        let name = try OwnerNames.name(field, at: "owner")
        var ended: [UInt64] = []
        var released: UInt64 = 0
        if let owner = owners?[name] {
            let owned = subscriptions.filter { $0.namedOwners.contains { $0 === owner } }
            deliver(before: owned)
            for subscription in owned where !subscription.isEnded {
                released += remove(owner, from: subscription)
                if subscription.isEnded { ended.append(subscription.id) }
            }
        }
        answer(id: id, bytes: 0) { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            buffer.append(",\"ended\":")
            buffer.append(list: ended) { $1.append(decimal: $0) }
            buffer.append(",\"released\":")
            buffer.append(decimal: released)
            buffer.append("}")
        }
    }

    /// `mod`: adds and removes owners of a subscription, and ends it when none is left.
    func change(_ subscription: Subscription, _ change: OwnerChange) {
        let table = needOwners()
        if subscription.owners == nil { makeOwners(of: subscription, table).add(table.connection) }
        for name in change.added { subscription.owners?.add(table.add(name)) }
        subscription.graph.ownerChanges += 1
        if change.removed.count == subscription.ownerNames.count { deliver(before: [subscription]) }
        for name in change.removed where !subscription.isEnded {
            if let owner = table[name] { _ = remove(owner, from: subscription) }
        }
    }

    /// A subscription has ended: these owners no longer own it.
    func forget(_ owners: [SubscriptionOwner]) {
        for owner in owners { self.owners?.remove(owner) }
    }

    /// Removes one owner; ends the subscription if it was the last.
    ///
    /// - Returns: how many nodes were freed.
    private func remove(_ owner: SubscriptionOwner, from subscription: Subscription) -> UInt64 {
        let chains = subscription.graph.chains
        let before = chains.releasedCount
        owners?.remove(owner)
        subscription.owners?.remove(owner)
        subscription.graph.ownerChanges += 1
        return chains.releasedCount - before
    }

    /// Sends what happened before subscriptions end before their `end` messages.
    private func deliver(before ending: [Subscription]) {
        if ending.contains(where: { $0.isMarked || $0.queued > 0 }) { deliver(host.sessions.latest) }
    }

    private func needOwners() -> OwnerTable {
        let table = owners ?? OwnerTable()
        owners = table
        return table
    }

    /// A new set of owners, with the library's type for owners of a listen edge.
    ///
    /// The session ends the subscription.
    private func makeOwners(of subscription: Subscription, _ table: OwnerTable) -> ListenOwners {
        let owners = ListenOwners(table.connection) { [unowned subscription] in
            subscription.session.end(subscription, .done)
        }
        subscription.take(owners)
        return owners
    }
}
