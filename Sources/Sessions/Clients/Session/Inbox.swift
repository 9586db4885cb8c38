internal import Graphs
internal import Support

/// The requests of a session that cannot be answered yet, and what they have used of the turn.
///
/// ``Dispatcher`` performs them.
struct Inbox {
    var pending = PendingRequests()
    /// How much of the present turn the session's requests have used.
    var share = TurnShare()
    var isDraining = false
    /// Requests continue when the socket has accepted what it was given.
    var waitsForRoom = false
    /// Its requests continue in the next turn (``Host/later(_:)``).
    var isUnfinished = false
    /// Nothing is read from the client until fewer requests wait.
    var isThrottled = false

    /// Whether the next request must wait for another turn, because of this session's share or that
    /// of all sessions.
    func mustWait(of host: Host) -> Bool {
        pending.isDeferred && (share.isSpent(of: host) || (pending.isDear && host.isCrowded))
    }
}

extension Session {
    /// Sends an answer, or keeps it until those before it have been sent.
    func answer(
        id: UInt64?,
        bytes: Int,
        as kind: Outgoing.Kind = .answer,
        of graph: LiveGraph? = nil,
        _ build: (inout ByteBuffer) -> Void
    ) {
        let message = clients.dispatcher.message(kind, of: graph, rev: graph?.rev, build)
        guard !inbox.pending.isEmpty, !inbox.isDraining else { return send(message) }
        clients.dispatcher.keep(message, of: self, id: id, bytes: bytes)
    }

    func isTaken(_ id: UInt64) -> Bool {
        subscription(id) != nil || observer(id) != nil || demand(id) != nil
    }
}
