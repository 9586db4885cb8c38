/// State that few sessions need, in one object, so that thousands of quiet sessions stay small.
final class Extras {
    var client: String?
    var observers: [Observer] = []
    var demands: [DemandWatch] = []
    var badMessages = BadMessages()
    var misuse = Breaches()
    var presence: [ObjectIdentifier: Presence] = [:]
    var claiming: [ObjectIdentifier: UInt64] = [:]
    var leaving: Int?
    var owners: OwnerTable?
    var keptChains: [KeptChain] = []
    var ownAccount: PipelineAccount?
    var index: SubscriptionIndex?
    var greeting: Greeting?
    var expiry: TokenExpiry?
}

/// The subscriptions of one session by their ids.
final class SubscriptionIndex {
    /// Up to this many are searched linearly instead.
    static let mostSearched = 32

    private var subscriptions: [UInt64: Unmanaged<Subscription>]

    init(_ subscriptions: some Sequence<Subscription>) {
        self.subscriptions = Dictionary(
            uniqueKeysWithValues: subscriptions.map { ($0.id, .passUnretained($0)) }
        )
    }

    subscript(id: UInt64) -> Subscription? { subscriptions[id]?.takeUnretainedValue() }

    func add(_ subscription: Subscription) {
        subscriptions[subscription.id] = .passUnretained(subscription)
    }

    /// Returns whether it was the last.
    func remove(_ subscription: Subscription) -> Bool {
        subscriptions[subscription.id] = nil
        return subscriptions.isEmpty
    }
}

extension Session {
    /// The client's name from `hello`.
    public internal(set) var client: String? {
        get { extras?.client }
        set { change(isEmpty: newValue == nil) { $0.client = newValue } }
    }

    /// The observers of this session, which own nothing.
    var observers: [Observer] {
        get { extras?.observers ?? [] }
        set { change(isEmpty: newValue.isEmpty) { $0.observers = newValue } }
    }

    /// The `demand` requests of this session.
    var demands: [DemandWatch] {
        get { extras?.demands ?? [] }
        set { change(isEmpty: newValue.isEmpty) { $0.demands = newValue } }
    }

    /// Messages that were not JSON.
    var badMessages: BadMessages {
        get { extras?.badMessages ?? BadMessages() }
        set { change { $0.badMessages = newValue } }
    }

    /// Requests for things that do not exist.
    var misuse: Breaches {
        get { extras?.misuse ?? Breaches() }
        set { change { $0.misuse = newValue } }
    }

    /// Nodes that are cleared when this session ends.
    var presence: [ObjectIdentifier: Presence] {
        get { extras?.presence ?? [:] }
        set { change(isEmpty: newValue.isEmpty) { $0.presence = newValue } }
    }

    /// Nodes that this session has claimed by a pending set, and the rev of the last such set.
    var claiming: [ObjectIdentifier: UInt64] {
        get { extras?.claiming ?? [:] }
        set { change(isEmpty: newValue.isEmpty) { $0.claiming = newValue } }
    }

    /// Milliseconds after which the client of a stopping server should reconnect.
    var leaving: Int? {
        get { extras?.leaving }
        set { change(isEmpty: newValue == nil) { $0.leaving = newValue } }
    }

    /// The owners that the client has named; nil if it never named one.
    var owners: OwnerTable? {
        get { extras?.owners }
        set { change(isEmpty: newValue == nil) { $0.owners = newValue } }
    }

    /// The chains kept for its client; empty before it is closed.
    var keptChains: [KeptChain] {
        get { extras?.keptChains ?? [] }
        set { change(isEmpty: newValue.isEmpty) { $0.keptChains = newValue } }
    }

    /// The pipelines of a client without a name.
    var ownAccount: PipelineAccount? {
        get { extras?.ownAccount }
        set { change(isEmpty: newValue == nil) { $0.ownAccount = newValue } }
    }

    /// Finds one of many subscriptions; nil if there were never many.
    var index: SubscriptionIndex? {
        get { extras?.index }
        set { change(isEmpty: newValue == nil) { $0.index = newValue } }
    }

    /// Waits for the `hello` of a client that needs a token.
    var greeting: Greeting? {
        get { extras?.greeting }
        set { change(isEmpty: newValue == nil) { $0.greeting = newValue } }
    }

    /// Waits for the expiry of the client's token.
    var expiry: TokenExpiry? {
        get { extras?.expiry }
        set { change(isEmpty: newValue == nil) { $0.expiry = newValue } }
    }

    /// An empty value creates no object.
    private func change(isEmpty: Bool = false, _ change: (Extras) -> Void) {
        if let extras { return change(extras) }
        guard !isEmpty else { return }
        let made = Extras()
        extras = made
        change(made)
    }
}
