internal import CLibuv
internal import DequeModule

/// Shares the ends of connections out over turns (see ``TurnEnd``).
///
/// An object of its own, which the loop holds for as long as its ``TurnEnd`` lives.
@safe final class SharedEndings {
    /// How many ends of connections one turn takes.
    static let most = 128

    private let idle: Handle<uv_idle_t>
    private var endedInTurn = 0
    private var postponed: Deque<(connection: TCPConnection, error: UVError?)> = []

    init(on loop: Loop) throws(UVError) {
        unsafe idle = unsafe try Handle(on: loop, "uv_idle_init", uv_idle_init)
        unsafe idle.keepsLoopAlive = false
    }

    /// Whether ends wait for the next turn.
    var areOwed: Bool { !postponed.isEmpty }

    func turnEnded() { endedInTurn = 0 }

    /// Whether the end of another connection may be reported in this turn, and before others that
    /// wait.
    func takesEnding() -> Bool {
        guard endedInTurn < Self.most, postponed.isEmpty else { return false }
        endedInTurn += 1
        return true
    }

    /// Reports the end of a connection in a later turn.
    func postpone(_ connection: TCPConnection, _ error: UVError?) {
        // The poll of that turn does not sleep.
        if postponed.isEmpty { unsafe uv_idle_start(idle.raw) { _ in } }
        postponed.append((connection, error))
    }

    func endPostponed() {
        while endedInTurn < Self.most, let (connection, error) = postponed.popFirst() {
            endedInTurn += 1
            connection.readEnded(error)
        }
        if postponed.isEmpty { unsafe uv_idle_stop(idle.raw) }
    }
}
