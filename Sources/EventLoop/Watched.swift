internal import CLibuv

/// A descriptor on which something exceptional may happen: urgent data on a socket, a trigger of a
/// pressure file.
///
/// The descriptor is the caller's, and must stay open longer than this.
package final class Watched {
    private let handle: Handle<uv_poll_t>
    private let action: () -> Void
    /// Called when the descriptor can be watched no more.
    package var onFailure: (() -> Void)?

    /// Whether the loop goes on running for this watcher's sake alone; false at first.
    package var keepsLoopAlive: Bool {
        get { handle.keepsLoopAlive }
        set { handle.keepsLoopAlive = newValue }
    }

    /// Starts watching.
    package init(_ descriptor: Int32, on loop: Loop, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        handle = try Handle(on: loop, "uv_poll_init") { uv_poll_init($0, $1, descriptor) }
        handle.belongs(to: self)
        handle.keepsLoopAlive = false
        try check(
            uv_poll_start(handle.raw, Int32(UV_PRIORITIZED.rawValue)) { handle, status, _ in
                handle!.pointee.data.owner(Watched.self).heard(status)
            },
            "uv_poll_start"
        )
    }

    deinit {
        uv_poll_stop(handle.raw)
    }

    private func heard(_ status: Int32) {
        guard status < 0 else { return action() }
        uv_poll_stop(handle.raw)
        onFailure?()
    }
}
