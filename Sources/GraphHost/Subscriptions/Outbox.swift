internal import ReactiveGraph

/// What a session still has to deliver, and whether its socket takes it.
///
/// ``Delivery`` sends it. A session may close in the middle of a delivery, so methods that change
/// an outbox call nothing that could close it.
struct Outbox {
    /// The next session with something to deliver.
    var nextMarked: Unmanaged<Session>?
    var marks = MarkList()
    var queue = EmissionQueue()
    /// Whether the session is in the list of those with something to deliver, or waits for its
    /// socket.
    var isMarked = false
    /// The session waits for its socket.
    var isBlocked = false
    /// It is in the list because its socket accepts bytes again.
    var hasWaited = false
    /// A queue is longer than allowed: ``Delivery`` handles that when the commit's turn is over.
    var isOverflowing = false
    /// An answer waits for the end of the turn, because messages must be sent before it.
    var holdsAnswers = false

    /// Removes a subscription from the list of marks, if it is in it.
    mutating func unmark(_ subscription: Subscription) {
        guard subscription.isMarked, !subscription.isMuted else { return }
        for other in marks.take() where other !== subscription {
            other.isMarked = true
            marks.append(other)
        }
    }

    /// Drops everything: the session is closed.
    mutating func clear() {
        _ = marks.take()
        queue = EmissionQueue()
    }
}

/// The subscriptions in mode `latest` whose clients have not received their value yet, in order;
/// the values are read when they are sent.
///
/// Invariant: a subscription is in the list exactly when its `isMarked` is set and `isMuted` is
/// not. The list owns a reference only to those that have ended since.
struct MarkList {
    private var first: Unmanaged<Subscription>?
    private var last: Unmanaged<Subscription>?

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ subscription: Subscription) {
        let entry = Unmanaged.passUnretained(subscription)
        if let last {
            last._withUnsafeGuaranteedRef { $0.nextMarked = entry }
        } else {
            first = entry
        }
        last = entry
    }

    /// Removes and returns the only entry; nil if there is not exactly one.
    @inline(__always)
    mutating func takeOnly() -> Unmanaged<Subscription>? {
        guard let only = first, only._withUnsafeGuaranteedRef({ $0.nextMarked == nil }) else { return nil }
        first = nil
        last = nil
        return only
    }

    /// Empties the list, and returns the subscriptions that have not ended.
    mutating func take() -> ContiguousArray<Subscription> {
        var marked: ContiguousArray<Subscription> = []
        while let entry = first {
            let subscription = entry.takeUnretainedValue()
            first = subscription.nextMarked
            subscription.nextMarked = nil
            subscription.isMarked = false
            if subscription.isEnded { entry.release() } else { marked.append(subscription) }
        }
        last = nil
        return marked
    }
}
