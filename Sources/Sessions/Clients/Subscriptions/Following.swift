public import Graphs
internal import Support

/// Follows the nodes that a glob matches for a sink: what changes waits here until it is sent.
///
/// It listens to any number of nodes, and to new ones as they come. So it begins page by page, a
/// page each time that ``listenOn()`` is called, and its end is spread over turns.
public final class Following {
    /// Its session owns it.
    private weak var subscription: FollowingSubscription?

    /// Begins to follow the nodes of a graph for a session, which ends it.
    public init(_ rules: FollowRules, in graph: LiveGraph, for session: Session) {
        let subscription = FollowingSubscription(for: session, rules, in: graph)
        session.add(subscription)
        subscription.watch()
        self.subscription = subscription
    }

    /// Called when changes wait, once until ``next()`` has been called; within a commit, so that it
    /// may only ask for another turn.
    public var onChange: (() -> Void)? {
        get { subscription?.onChange }
        set { subscription?.onChange = newValue }
    }

    /// Called when a change is dropped because too many wait.
    public var onDrop: (() -> Void)? {
        get { subscription?.onDrop }
        set { subscription?.onDrop = newValue }
    }

    /// How many changes wait, besides those of the list under way.
    public var waiting: Int { living?.changes.waiting ?? 0 }

    private var living: FollowingSubscription? {
        subscription.flatMap { $0.isEnded ? nil : $0 }
    }

    /// How many matching nodes it does not listen to, because the graph has no room for their
    /// nodes (`limits.members`).
    public var leftOut: Int { living?.left.count ?? 0 }

    /// Whether it does not listen to all matching nodes yet.
    public var isBeginning: Bool { living?.isBeginning ?? false }

    /// Listens to the next page of them.
    public func listenOn() { living?.listenOn() }

    /// The next list to send, after what became of the one before was settled.
    ///
    /// With nil there is nothing to send, or, if changes still wait, more to look at in another
    /// turn.
    public func next() -> FollowedList? {
        guard let living else { return nil }
        living.isNoted = false
        return living.changes.next(of: living.graph)
    }

    /// What became of the list.
    public func settle(_ outcome: FollowedOutcome) { living?.changes.settle(outcome) }

    /// Lets what the receiver refused wait again, in mode `latest`.
    ///
    /// - Returns: whether there is any.
    public func tryRefused() -> Bool { living?.changes.tryRefused() ?? false }
}
