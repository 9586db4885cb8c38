internal import CLibuv

/// A descriptor on which something exceptional may happen: urgent data on a socket, a trigger of a
/// pressure file.
///
/// The descriptor is the caller's, and must stay open longer than this.
@safe package final class Watched {
    private let handle: Handle<uv_poll_t>
    private let action: () -> Void
    /// Called when the descriptor can be watched no more.
    package var onFailure: (() -> Void)?

    /// Whether the loop goes on running for this watcher's sake alone; false at first.
    package var keepsLoopAlive: Bool {
        get { unsafe handle.keepsLoopAlive }
        set { unsafe handle.keepsLoopAlive = newValue }
    }

    /// Starts watching.
    package init(_ descriptor: Int32, on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        unsafe handle = unsafe try Handle(on: loop, "uv_poll_init") {
            unsafe uv_poll_init($0, $1, descriptor)
        }
        unsafe handle.belongs(to: self)
        unsafe handle.keepsLoopAlive = false
        unsafe try check(
            uv_poll_start(handle.raw, Int32(UV_PRIORITIZED.rawValue)) { handle, status, _ in
                unsafe handle!.pointee.data.owner(Watched.self).heard(status)
            },
            "uv_poll_start"
        )
    }

    deinit {
        unsafe uv_poll_stop(handle.raw)
    }

    private func heard(_ status: Int32) {
        guard status < 0 else { return action() }
        unsafe uv_poll_stop(handle.raw)
        onFailure?()
    }
}
