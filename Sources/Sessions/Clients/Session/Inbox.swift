internal import Graphs

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
