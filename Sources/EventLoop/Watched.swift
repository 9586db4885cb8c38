internal import CLibuv

/// A descriptor that another part owns, on which something may happen: bytes on a socket that a C
/// library reads by itself, a trigger of a pressure file.
///
/// The descriptor is the caller's, and must stay open longer than this, or be closed by what the
/// action calls, which then drops this in the same call.
@safe package final class Watched {
    /// What may happen on a descriptor.
    package struct Events: OptionSet {
        package let rawValue: UInt32

        package init(rawValue: UInt32) { self.rawValue = rawValue }

        /// It can be read without waiting.
        package static let readable = Events(rawValue: UV_READABLE.rawValue)
        /// It takes bytes without waiting.
        package static let writable = Events(rawValue: UV_WRITABLE.rawValue)
        /// Urgent data on a socket, or the trigger of a pressure file.
        package static let exceptional = Events(rawValue: UV_PRIORITIZED.rawValue)
    }

    private let handle: Handle<uv_poll_t>
    private let action: () -> Void
    /// Called when the descriptor can be watched no more.
    package var onFailure: (() -> Void)?

    /// Whether the loop goes on running for this watcher's sake alone; false at first.
    package var keepsLoopAlive: Bool {
        get { unsafe handle.keepsLoopAlive }
        set { unsafe handle.keepsLoopAlive = newValue }
    }

    /// What is waited for; with nothing, the action is not called.
    package var events: Events {
        didSet {
            guard events != oldValue else { return }
            if events.isEmpty { return stop() }
            do throws(UVError) { try start() } catch { onFailure?() }
        }
    }

    /// Starts watching.
    package init(
        _ descriptor: Int32,
        on loop: Loop,
        for events: Events = .exceptional,
        action: @escaping () -> Void
    ) throws(UVError) {
        (self.action, self.events) = (action, events)
        unsafe handle = unsafe try Handle(on: loop, "uv_poll_init") {
            unsafe uv_poll_init($0, $1, descriptor)
        }
        unsafe handle.belongs(to: self)
        keepsLoopAlive = false
        try start()
    }

    deinit { stop() }

    private func start() throws(UVError) {
        unsafe try check(
            uv_poll_start(handle.raw, Int32(events.rawValue)) { handle, status, _ in
                unsafe handle!.pointee.data.owner(Watched.self).heard(status)
            },
            "uv_poll_start"
        )
    }

    private func stop() { unsafe uv_poll_stop(handle.raw) }

    private func heard(_ status: Int32) {
        guard status < 0 else { return action() }
        stop()
        onFailure?()
    }
}
