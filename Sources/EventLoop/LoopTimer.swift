internal import CLibuv

/// Calls an action once after a while, or again and again.
///
/// Transcribes https://docs.libuv.org/en/v1.x/timer.html: steps of one millisecond, counted from
/// the loop's cached time; never early. Dropping the timer ends it, so an action that captures the
/// timer's owner must do so weakly.
///
/// Arming a timer among 100,000 others costs about 170 ns: for a deadline that moves with every
/// message keep the deadline as a number and look at it when the timer fires.
@safe public final class LoopTimer {
    private let handle: Handle<uv_timer_t>
    private let action: () -> Void

    /// A timer that is not started yet.
    public init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        unsafe handle = unsafe try Handle(on: loop, "uv_timer_init", uv_timer_init)
        unsafe handle.belongs(to: self)
    }

    /// Fires after `delay` and, where `interval` is given, every `interval` from then on.
    ///
    /// Both are rounded up to whole milliseconds and `interval` is at least one. Starting a running
    /// timer starts it over.
    public func start(after delay: Duration, every interval: Duration? = nil) {
        let again = interval.map { max($0.milliseconds, 1) } ?? 0
        unsafe uv_timer_start(
            handle.raw,
            { unsafe $0!.pointee.data.owner(LoopTimer.self).action() },
            delay.milliseconds,
            again
        )
    }

    /// Does not fire any more until it is started again.
    public func stop() { unsafe uv_timer_stop(handle.raw) }

    /// Whether the timer is going to fire.
    public var isActive: Bool { unsafe uv_is_active(handle.base) != 0 }

    /// Whether the loop goes on running for this timer's sake alone; true at first.
    public var keepsLoopAlive: Bool {
        get { unsafe handle.keepsLoopAlive }
        set { unsafe handle.keepsLoopAlive = newValue }
    }
}

extension Duration {
    /// Whole milliseconds, rounded up; nothing below zero and nothing beyond what libuv can count.
    var milliseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1 << 40 else { return 1 << 50 }
        return UInt64(seconds) * 1000 + UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
