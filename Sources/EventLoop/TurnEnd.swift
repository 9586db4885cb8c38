internal import CLibuv
internal import DequeModule

/// Calls an action at the end of each loop turn that asks for it (``isDue``), after all that the
/// turn brought: the place to flush what it collected.
///
/// libuv's turn is: timers, poll for input and output, closes. The action is called before the poll
/// (`uv_prepare`), so that what timers produced leaves before the loop falls asleep, and after it
/// (`uv_check`), when all sockets, signals and mailboxes were served.
///
/// Ends of connections are shared out over turns: when thousands of peers go at once, each turn
/// notifies delegates of ``endings`` of them, in the order in which they went.
///
/// Dropping this object ends the calls. It does not keep the loop running.
/// See https://docs.libuv.org/en/v1.x/check.html and prepare.html.
public final class TurnEnd {
    private let prepare: Handle<uv_prepare_t>
    private let check: Handle<uv_check_t>
    private let idle: Handle<uv_idle_t>
    private let loop: Loop
    private let action: () -> Void
    /// Whether to call the action at the end of this turn; true at first, and false from each call
    /// on until it is set again.
    public var isDue = true
    /// How many ends of connections one turn takes.
    static let endings = 128
    private var endedInTurn = 0
    private var postponed: Deque<(connection: TCPConnection, error: UVError?)> = []

    /// Calls `action` at ends of turns of `loop`.
    public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.loop = loop
        self.action = action
        prepare = try Handle(on: loop, "uv_prepare_init", uv_prepare_init)
        check = try Handle(on: loop, "uv_check_init", uv_check_init)
        idle = try Handle(on: loop, "uv_idle_init", uv_idle_init)
        prepare.belongs(to: self)
        check.belongs(to: self)
        prepare.keepsLoopAlive = false
        check.keepsLoopAlive = false
        idle.keepsLoopAlive = false
        uv_prepare_start(prepare.raw) { handle in
            let isOwed = handle!.pointee.data.lend(TurnEnd.self) { $0.isDue || !$0.postponed.isEmpty }
            if isOwed { handle!.pointee.data.owner(TurnEnd.self).beforePoll() }
        }
        uv_check_start(check.raw) { handle in
            let isOwed = handle!.pointee.data.lend(TurnEnd.self) {
                $0.endedInTurn = 0
                return $0.isDue
            }
            if isOwed { handle!.pointee.data.owner(TurnEnd.self).end() }
        }
        loop.turnEnd = self
    }

    deinit {
        if loop.turnEnd === self { loop.turnEnd = nil }
    }

    private func beforePoll() {
        if !postponed.isEmpty { endPostponed() }
        if isDue { end() }
    }

    private func end() {
        isDue = false
        action()
    }

    /// Whether the end of another connection may be reported in this turn, and before others that
    /// wait.
    func takesEnding() -> Bool {
        guard endedInTurn < Self.endings, postponed.isEmpty else { return false }
        endedInTurn += 1
        return true
    }

    /// Reports the end of a connection in a later turn.
    func postpone(_ connection: TCPConnection, _ error: UVError?) {
        // The poll of that turn does not sleep.
        if postponed.isEmpty { uv_idle_start(idle.raw) { _ in } }
        postponed.append((connection, error))
    }

    private func endPostponed() {
        while endedInTurn < Self.endings, let (connection, error) = postponed.popFirst() {
            endedInTurn += 1
            connection.readEnded(error)
        }
        if postponed.isEmpty { uv_idle_stop(idle.raw) }
    }
}
