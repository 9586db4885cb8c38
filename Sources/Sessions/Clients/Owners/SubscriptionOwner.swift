internal import ReactiveGraph

/// An owner of subscriptions of one connection (docs/protocol.md, Owners).
///
/// Its session holds it while it owns something.
final class SubscriptionOwner {
    /// nil: the connection itself.
    let name: String?
    /// The number of subscriptions that it owns; not counted for the connection.
    var subscriptions = 0

    init(_ name: String?) {
        self.name = name
    }
}

extension Subscription {
    /// Its owners: the connection (nil) first, then the named owners in the order in which they
    /// were added.
    var ownerNames: [String?] {
        guard let owners = whole.owners else { return [nil] }
        return owners.livingOwners.map { ($0 as? SubscriptionOwner)?.name }
    }

    var namedOwners: [SubscriptionOwner] {
        guard let owners else { return [] }
        return owners.livingOwners.compactMap { $0 as? SubscriptionOwner }.filter { $0.name != nil }
    }
}
