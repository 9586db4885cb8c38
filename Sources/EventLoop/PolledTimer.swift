internal import CLibuv

/// Calls an action when a time has come, after all sockets that were ready were served: the place
/// to look at deadlines of peers.
///
/// libuv runs timers before it polls. A process that stood still, stopped by a signal or busy with
/// something long, would find its peers late although what they sent in time lies in the kernel. So
/// when the time has come this waits for the poll of the same turn (`uv_check`), which does not
/// sleep then (`uv_idle`).
///
/// Dropping it ends the calls. See https://docs.libuv.org/en/v1.x/design.html#the-i-o-loop,
/// check.html and idle.html.
@safe public final class PolledTimer {
    private let timer: Handle<uv_timer_t>
    private let idle: Handle<uv_idle_t>
    private let check: Handle<uv_check_t>
    private let action: () -> Void

    /// A timer that is not started yet; it does not keep the loop running.
    public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        unsafe timer = unsafe try Handle(on: loop, "uv_timer_init", uv_timer_init)
        unsafe idle = unsafe try Handle(on: loop, "uv_idle_init", uv_idle_init)
        unsafe check = unsafe try Handle(on: loop, "uv_check_init", uv_check_init)
        unsafe timer.belongs(to: self)
        unsafe check.belongs(to: self)
        unsafe timer.keepsLoopAlive = false
        unsafe idle.keepsLoopAlive = false
        unsafe check.keepsLoopAlive = false
    }

    /// Calls the action once, after `interval` in whole milliseconds, rounded up; replaces an
    /// earlier call.
    public func start(after interval: Duration) {
        let comes: uv_timer_cb = { unsafe $0!.pointee.data.owner(PolledTimer.self).come() }
        unsafe uv_timer_start(timer.raw, comes, max(interval.milliseconds, 1), 0)
    }

    private func come() {
        unsafe uv_idle_start(idle.raw) { _ in }
        unsafe uv_check_start(check.raw) { unsafe $0!.pointee.data.owner(PolledTimer.self).polled() }
    }

    private func polled() {
        unsafe uv_idle_stop(idle.raw)
        unsafe uv_check_stop(check.raw)
        action()
    }
}
