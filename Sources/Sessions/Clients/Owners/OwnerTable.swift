internal import Graphs
internal import ReactiveGraph

/// The owners of one connection's subscriptions.
///
/// Invariant: every owner in the table owns at least one subscription. So there are at most
/// ``OwnerNames/most`` per subscription.
final class OwnerTable {
    /// The connection itself, as an owner without a name.
    let connection = SubscriptionOwner(nil)
    private var named: [String: SubscriptionOwner] = [:]

    subscript(name: String) -> SubscriptionOwner? { named[name] }

    /// All names, in alphabetical order.
    var names: [String] { named.keys.sorted() }

    private func add(_ name: String) -> SubscriptionOwner {
        let owner = named[name] ?? SubscriptionOwner(name)
        named[name] = owner
        owner.subscriptions += 1
        return owner
    }

    private func remove(_ owner: SubscriptionOwner) {
        guard let name = owner.name else { return }
        owner.subscriptions -= 1
        if owner.subscriptions == 0 { named[name] = nil }
    }
    func give(_ subscription: Subscription, to names: OwnerNames) {
        let owners = makeOwners(of: subscription)
        for name in names.names { owners.add(add(name)) }
    }

    /// Adds and removes owners of a subscription, and ends it when none is left.
    ///
    /// `beforeEnd` is called before it ends.
    func change(_ subscription: Subscription, _ change: OwnerChange, beforeEnd: () -> Void) {
        if subscription.owners == nil { makeOwners(of: subscription).add(connection) }
        for name in change.added { subscription.owners?.add(add(name)) }
        subscription.graph.clients.ownerChanges += 1
        if change.removed.count == subscription.ownerNames.count { beforeEnd() }
        for name in change.removed where !subscription.isEnded {
            if let owner = self[name] { _ = remove(owner, from: subscription) }
        }
    }

    /// A subscription has ended: these owners no longer own it.
    func forget(_ owners: [SubscriptionOwner]) {
        for owner in owners { remove(owner) }
    }

    /// Removes one owner; ends the subscription if it was the last, and returns the number of freed
    /// nodes.
    func remove(_ owner: SubscriptionOwner, from subscription: Subscription) -> UInt64 {
        let releases = subscription.graph.releases
        let before = releases.count
        remove(owner)
        subscription.owners?.remove(owner)
        subscription.graph.clients.ownerChanges += 1
        return releases.count - before
    }

    /// A new set of owners, with the library's type for owners of a listen edge.
    ///
    /// The session ends the subscription.
    private func makeOwners(of subscription: Subscription) -> ListenOwners {
        let owners = ListenOwners(connection) { [unowned subscription] in
            subscription.session.end(subscription, .done)
        }
        subscription.take(owners)
        return owners
    }
}
