internal import Graphs

/// Gives the open sessions the present rights of their principals, within a share of each turn.
final class AccessRevision {
    private var remaining: ArraySlice<Session>
    private let revise: (Principal) -> Access?
    private let done: () -> Void
    private var share = TurnShare()

    init(
        of sessions: Sessions,
        _ revise: @escaping (Principal) -> Access?,
        _ done: @escaping () -> Void
    ) {
        remaining = sessions.all[...]
        self.revise = revise
        self.done = done
    }

    /// Revises what fits into this turn; the rest follows in later ones.
    func goOn(in host: Host) {
        while !share.isSpent(of: host) {
            guard let session = remaining.popFirst() else { return done() }
            let before = host.work
            host.work += 1
            if let principal = session.access?.principal { session.change(to: revise(principal)) }
            share.spend(since: before, of: host)
        }
        host.later { [unowned host] in self.goOn(in: host) }
    }
}
