internal import CLibuv

/// Calls an action at the end of every loop turn, after all that the turn brought: the place to flush what it
/// collected.
///
/// libuv's turn is: timers, poll for input and output, closes. The action is called before the poll
/// (`uv_prepare`), so that what timers produced leaves before the loop falls asleep, and after it
/// (`uv_check`), when all sockets, signals and mailboxes had their say. It is therefore called often and must
/// be cheap when there is nothing to do.
///
/// Dropping this object ends the calls. It does not keep the loop running.
/// See https://docs.libuv.org/en/v1.x/check.html and prepare.html.
public final class TurnEnd {
    private let prepare: Handle<uv_prepare_t>
    private let check: Handle<uv_check_t>
    private let action: () -> Void

    /// Starts calling `action` at the end of every turn of `loop`.
    public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        prepare = try Handle(on: loop, "uv_prepare_init", uv_prepare_init)
        check = try Handle(on: loop, "uv_check_init", uv_check_init)
        prepare.belongs(to: self)
        check.belongs(to: self)
        prepare.keepsLoopAlive = false
        check.keepsLoopAlive = false
        uv_prepare_start(prepare.raw) { handle in
            handle!.pointee.data.owner(TurnEnd.self).action()
        }
        uv_check_start(check.raw) { handle in
            handle!.pointee.data.owner(TurnEnd.self).action()
        }
    }
}
