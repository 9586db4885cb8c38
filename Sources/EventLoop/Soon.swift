internal import CLibuv

/// One action that the loop runs with the timers that are due; holds itself, and the loop, until
/// then.
@safe final class Soon {
    private let handle: Handle<uv_timer_t>
    private let action: () -> Void

    @discardableResult
    init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        unsafe handle = unsafe try Handle(on: loop, "uv_timer_init", uv_timer_init)
        unsafe handle.base.pointee.data = unsafe Unmanaged.passRetained(self).toOpaque()
        unsafe uv_timer_start(
            handle.raw,
            { unsafe Unmanaged<Soon>.fromOpaque($0!.pointee.data).takeRetainedValue().action() },
            0,
            0
        )
    }
}

extension Loop {
    /// Runs `action` once the caller's own call is over, in the order asked for.
    ///
    /// That is in the next turn, or, where a timer's callback asks, later among this turn's timers.
    /// So what asks for itself again and again takes a timer with a time instead.
    public func soon(_ action: @escaping () -> Void) {
        do throws(UVError) {
            try Soon(on: self, action: action)
        } catch {
            preconditionFailure("starting a timer takes nothing but memory: \(error)")
        }
    }
}
