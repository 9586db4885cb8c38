internal import ReactiveGraph

/// An owner of subscriptions of one connection (docs/protocol.md, Owners).
///
/// Its session holds it while it owns something.
final class SubscriptionOwner {
    /// nil: the connection itself.
    let name: String?
    /// The number of subscriptions that it owns; not counted for the connection.
    fileprivate(set) var subscriptions = 0

    init(_ name: String?) {
        self.name = name
    }
}

/// The owners of one connection's subscriptions.
///
/// Invariant: every owner in the table owns at least one subscription. So there are at most
/// ``OwnerNames/most`` per subscription.
final class OwnerTable {
    /// The connection itself, as an owner without a name.
    let connection = SubscriptionOwner(nil)
    private var named: [String: SubscriptionOwner] = [:]

    /// The owner with that name; nil if it owns nothing.
    subscript(name: String) -> SubscriptionOwner? { named[name] }

    /// All names, in alphabetical order.
    var names: [String] { named.keys.sorted() }

    /// The owner with that name gets another subscription.
    func add(_ name: String) -> SubscriptionOwner {
        let owner = named[name] ?? SubscriptionOwner(name)
        named[name] = owner
        owner.subscriptions += 1
        return owner
    }

    /// The owner loses a subscription.
    func remove(_ owner: SubscriptionOwner) {
        guard let name = owner.name else { return }
        owner.subscriptions -= 1
        if owner.subscriptions == 0 { named[name] = nil }
    }
}

extension Subscription {
    /// Its owners: the connection (nil) first, then the named owners in the order in which they
    /// were added.
    var ownerNames: [String?] {
        guard let owners else { return [nil] }
        return owners.livingOwners.map { ($0 as? SubscriptionOwner)?.name }
    }

    /// Its named owners.
    var namedOwners: [SubscriptionOwner] {
        guard let owners else { return [] }
        return owners.livingOwners.compactMap { $0 as? SubscriptionOwner }.filter { $0.name != nil }
    }
}
