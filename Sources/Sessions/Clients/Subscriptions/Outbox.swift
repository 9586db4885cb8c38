/// What a session still has to deliver, and whether its socket takes it.
///
/// ``Delivery`` sends it. A session may close in the middle of a delivery, so methods that change
/// an outbox call nothing that could close it.
struct Outbox {
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
    /// A subscription in mode `all` has a pipeline, which has to run before a commit of the session
    /// is answered.
    var awaitsRuns = false
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
/// not. The list holds it, because it may end meanwhile.
struct MarkList {
    private var first: Subscription?
    private var last: Subscription?

    var isEmpty: Bool { first == nil }

    @inline(__always)
    mutating func append(_ subscription: Subscription) {
        if let last { last.nextMarked = subscription } else { first = subscription }
        last = subscription
    }

    /// Removes and returns the only entry; nil if there is not exactly one.
    @inline(__always)
    mutating func takeOnly() -> Subscription? {
        guard let only = first, only.nextMarked == nil else { return nil }
        first = nil
        last = nil
        return only
    }

    /// Empties the list, and returns the subscriptions that have not ended.
    mutating func take() -> ContiguousArray<Subscription> {
        var marked: ContiguousArray<Subscription> = []
        // One by one: a list that frees itself would need stack in proportion to its length.
        while let subscription = first {
            first = subscription.nextMarked.take()
            subscription.isMarked = false
            if !subscription.isEnded { marked.append(subscription) }
        }
        last = nil
        return marked
    }
}
