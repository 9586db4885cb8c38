internal import DequeModule

/// A subscription that ends with `slow` when too much waits for it.
package protocol SlowSubscription: AnyObject {
    var isEnded: Bool { get }
    /// Ends it: too much waits for it.
    func endSlow()
}

/// Ends subscriptions for which too much waits, at their clients or at the heads of their
/// pipelines: as many as a turn allows, the others in the next turns.
package final class SlowEndings {
    private var subscriptions: Deque<any SlowSubscription> = []
    /// Segments whose subscriptions end.
    private var segments: Deque<Segment> = []
    /// How much of the turn ending them has used.
    private var ending = TurnShare(dividedBy: 4)

    /// Whether some wait for their end.
    var isWaiting: Bool { !subscriptions.isEmpty || !segments.isEmpty }

    /// Too much waits at the segment's head, or its stages hold too much.
    func add(_ segment: Segment) { segments.append(segment) }

    /// Ends these now, or when their turn comes.
    package func end(_ slow: [any SlowSubscription], in host: Host) {
        subscriptions.append(contentsOf: slow)
        goOn(in: host)
    }

    /// Ends as many as this turn allows.
    func goOn(in host: Host) {
        while !ending.isSpent(of: host), let next = next() {
            let before = host.work
            next.endSlow()
            ending.spend(since: before, of: host)
        }
    }

    private func next() -> (any SlowSubscription)? {
        while let subscription = subscriptions.popFirst() {
            if !subscription.isEnded { return subscription }
        }
        while let segment = segments.first {
            if let user = segment.newestUser { return user }
            segments.removeFirst()
        }
        return nil
    }

    /// Lets all go: the host is being freed.
    func forget() {
        subscriptions = []
        segments = []
    }
}
