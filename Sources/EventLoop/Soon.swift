internal import CLibuv

/// One action that the loop runs in its next turn; holds itself, and the loop, until then.
final class Soon {
    private let handle: Handle<uv_timer_t>
    private let action: () -> Void

    @discardableResult
    init(on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        handle = try Handle(on: loop, "uv_timer_init", uv_timer_init)
        handle.base.pointee.data = Unmanaged.passRetained(self).toOpaque()
        uv_timer_start(
            handle.raw,
            { Unmanaged<Soon>.fromOpaque($0!.pointee.data).takeRetainedValue().action() },
            0,
            0
        )
    }
}

extension Loop {
    /// Runs `action` in the next turn, in the order asked for: for what must not happen inside the caller's
    /// own call.
    public func soon(_ action: @escaping () -> Void) {
        do throws(UVError) {
            try Soon(on: self, action: action)
        } catch {
            preconditionFailure("starting a timer takes nothing but memory: \(error)")
        }
    }
}
