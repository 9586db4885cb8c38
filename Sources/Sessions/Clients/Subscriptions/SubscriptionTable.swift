internal import ReactiveGraph

/// The subscriptions of one session, which it owns until they end: by age and by id.
struct SubscriptionTable {
    /// Up to this many are searched linearly.
    private static let mostSearched = 32

    /// Owns the subscriptions, and nothing else.
    private let bag = CancellableBag()
    private(set) var count = 0
    /// The greatest id so far: most clients count up, so a new id is known to be free without a
    /// search.
    private var greatestID: UInt64 = 0
    /// Finds one of many; nil until one is looked for.
    private var byID: [UInt64: Subscription]?

    /// Oldest first; none of them may end meanwhile.
    var listed: HeldListens<Subscription> { bag.listens(as: Subscription.self) }

    var newest: Subscription? {
        bag.lastListen.map { $0 as! Subscription }
    }

    mutating func find(_ id: UInt64) -> Subscription? {
        guard id <= greatestID else { return nil }
        if byID == nil {
            guard count > Self.mostSearched else { return listed.first { $0.id == id } }
            byID = Dictionary(uniqueKeysWithValues: listed.map { ($0.id, $0) })
        }
        return byID?[id]
    }

    /// Adds a subscription that was not started yet.
    mutating func insert(_ subscription: Subscription) {
        bag.insert(subscription)
        index(subscription)
    }

    /// Adds a subscription from another session.
    mutating func adopt(_ subscription: Subscription) {
        bag.adopt(subscription)
        index(subscription)
    }

    private mutating func index(_ subscription: Subscription) {
        count += 1
        greatestID = max(greatestID, subscription.id)
        byID?[subscription.id] = subscription
    }

    /// The session is closed: from now on nothing is looked for by id.
    mutating func close() { byID = nil }

    /// A subscription has ended, or another holder has it.
    mutating func remove(_ subscription: Subscription) {
        count -= 1
        byID?[subscription.id] = nil
        if byID?.isEmpty == true { byID = nil }
    }
}
