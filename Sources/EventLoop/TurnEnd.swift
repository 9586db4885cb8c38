internal import CLibuv

/// Calls an action at the end of each loop turn that asks for it (``isDue``), after all that the
/// turn brought: the place to flush what it collected.
///
/// libuv's turn is: timers, poll for input and output, closes. The action is called before the poll
/// (`uv_prepare`), so that what timers produced leaves before the loop falls asleep, and after it
/// (`uv_check`), when all sockets, signals and mailboxes were served.
///
/// Ends of connections are shared out over turns: when thousands of peers go at once, each turn
/// notifies delegates of 128 of them, in the order in which they went.
///
/// Dropping this object ends the calls. It does not keep the loop running.
/// See https://docs.libuv.org/en/v1.x/check.html and prepare.html.
@safe public final class TurnEnd {
    private let prepare: Handle<uv_prepare_t>
    private let check: Handle<uv_check_t>
    private let loop: Loop
    private let action: () -> Void
    /// Whether to call the action at the end of this turn; true at first, and false from each call
    /// on until it is set again.
    public var isDue = true
    private let endings: SharedEndings

    /// Calls `action` at ends of turns of `loop`.
    public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.loop = loop
        self.action = action
        unsafe prepare = unsafe try Handle(on: loop, "uv_prepare_init", uv_prepare_init)
        unsafe check = unsafe try Handle(on: loop, "uv_check_init", uv_check_init)
        endings = try SharedEndings(on: loop)
        unsafe prepare.belongs(to: self)
        unsafe check.belongs(to: self)
        unsafe prepare.keepsLoopAlive = false
        unsafe check.keepsLoopAlive = false
        unsafe uv_prepare_start(prepare.raw) { handle in
            let isOwed = unsafe handle!.pointee.data.lend(TurnEnd.self) { $0.isDue || $0.endings.areOwed }
            if isOwed { unsafe handle!.pointee.data.owner(TurnEnd.self).beforePoll() }
        }
        unsafe uv_check_start(check.raw) { handle in
            let isOwed = unsafe handle!.pointee.data.lend(TurnEnd.self) {
                $0.endings.turnEnded()
                return $0.isDue
            }
            if isOwed { unsafe handle!.pointee.data.owner(TurnEnd.self).end() }
        }
        loop.endings = endings
    }

    deinit {
        if loop.endings === endings { loop.endings = nil }
    }

    private func beforePoll() {
        if endings.areOwed { endings.endPostponed() }
        if isDue { end() }
    }

    private func end() {
        isDue = false
        action()
    }
}
