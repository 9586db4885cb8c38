/// All open sessions of a host, and those that have something to say at the end of the turn.
final class Sessions {
    private var open: [UInt64: Session] = [:]
    private var created: UInt64 = 0
    @exclusivity(unchecked) private var firstMarked: Unmanaged<Session>?
    @exclusivity(unchecked) private var lastMarked: Unmanaged<Session>?
    private var overflowing: [Session] = []

    var subscriptions = 0
    @exclusivity(unchecked) var messagesIn: UInt64 = 0
    @exclusivity(unchecked) var messagesOut: UInt64 = 0
    @exclusivity(unchecked) var folded: UInt64 = 0

    /// The number of the next session; numbers are never used again.
    func number() -> UInt64 {
        created += 1
        return created
    }

    func add(_ session: Session) {
        open[session.number] = session
    }

    func remove(_ session: Session) {
        open[session.number] = nil
    }

    /// All open sessions, in order of birth.
    var all: [Session] { open.values.sorted { $0.number < $1.number } }

    /// Puts a session into the list for the end of the turn; it is not in it yet.
    func mark(_ session: Session) {
        let entry = Unmanaged.passRetained(session)
        if let lastMarked {
            lastMarked._withUnsafeGuaranteedRef { $0.nextMarked = entry }
        } else {
            firstMarked = entry
        }
        lastMarked = entry
    }

    /// A subscription of that session has more queued than it may; looked at when the commit's turn is over.
    func overflows(_ session: Session) {
        overflowing.append(session)
    }

    /// A commit's turn is over.
    @inline(__always)
    func finishCommit() {
        if !overflowing.isEmpty { relieve() }
    }

    private func relieve() {
        let sessions = overflowing
        overflowing = []
        for session in sessions { session.relieve() }
    }

    /// The end of the loop turn.
    ///
    /// What sessions say may mark others; those are served as well.
    func flush(_ buffer: FrameBuffer) {
        finishCommit()
        let latest = LatestFrame(buffer)
        while let entry = firstMarked {
            firstMarked = entry._withUnsafeGuaranteedRef { $0.nextMarked }
            if firstMarked == nil { lastMarked = nil }
            entry._withUnsafeGuaranteedRef { session in
                session.nextMarked = nil
                session.flush(latest)
            }
            entry.release()
        }
    }

    /// The graph has ended: so do all subscriptions to it.
    func end(of graph: LiveGraph) {
        guard graph.subscriptions > 0 else { return }
        for session in all { session.endAll(of: graph, .nodeRemoved) }
    }

    func statistics(graphs: Int) -> HostStatistics {
        HostStatistics(
            graphs: graphs,
            sessions: open.count,
            subscriptions: subscriptions,
            messagesIn: messagesIn,
            messagesOut: messagesOut,
            folded: folded
        )
    }
}

/// The message built last during one flush.
///
/// A thousand clients that subscribed alike get the same bytes, so it is often just sent again.
final class LatestFrame {
    let buffer: FrameBuffer
    @exclusivity(unchecked) private var id: UInt64 = 0
    @exclusivity(unchecked) private var folded: UInt64 = 0
    @exclusivity(unchecked) private var rev: UInt64 = 0
    @exclusivity(unchecked) private var node: UInt64 = 0
    @exclusivity(unchecked) private var graph: ObjectIdentifier?

    init(_ buffer: FrameBuffer) {
        self.buffer = buffer
        buffer.clear()
    }

    /// Whether the buffer holds exactly the message that this lone subscription would get.
    @inline(__always)
    func fits(_ subscription: Subscription, node number: UInt64) -> Bool {
        node == number && id == subscription.id && folded == subscription.folded
            && rev == subscription.graph.rev && graph == ObjectIdentifier(subscription.graph)
    }

    /// The buffer holds the message of this lone subscription.
    func remember(_ subscription: Subscription, node number: UInt64) {
        node = number
        id = subscription.id
        folded = subscription.folded
        rev = subscription.graph.rev
        graph = ObjectIdentifier(subscription.graph)
    }

    /// The buffer is about to hold something else.
    func forget() {
        graph = nil
        buffer.clear()
    }
}
