internal import CLibuv

/// Calls an action on the loop when the process receives a signal.
///
/// Transcribes https://docs.libuv.org/en/v1.x/signal.html. While at least one watcher for a signal
/// lives, in whichever loop, the signal's default effect does not happen; each watcher receives it.
/// Dropping the watcher ends it. By default it does not keep the loop running.
@safe public final class SignalWatcher {
    /// A signal by its number on this system.
    public struct Signal: RawRepresentable, Hashable, Sendable {
        /// The number, for example 15.
        public let rawValue: Int32

        /// A signal by its number.
        public init(rawValue: Int32) { self.rawValue = rawValue }

        /// Ctrl-C.
        public static let interrupt = Signal(rawValue: SIGINT)
        /// The polite request to end.
        public static let terminate = Signal(rawValue: SIGTERM)
        /// The terminal is gone; by custom: read the configuration again.
        public static let hangUp = Signal(rawValue: SIGHUP)
        /// Free for the program's own meaning.
        public static let user1 = Signal(rawValue: SIGUSR1)
        /// Free for the program's own meaning.
        public static let user2 = Signal(rawValue: SIGUSR2)
    }

    private let handle: Handle<uv_signal_t>
    private let action: () -> Void

    /// Starts watching for `signal`.
    ///
    /// Throws what libuv says about signals that cannot be caught.
    public init(on loop: Loop, _ signal: Signal, action: @escaping () -> Void) throws(UVError) {
        self.action = action
        unsafe handle = unsafe try Handle(on: loop, "uv_signal_init", uv_signal_init)
        unsafe handle.belongs(to: self)
        unsafe handle.keepsLoopAlive = false
        unsafe try check(
            uv_signal_start(
                handle.raw,
                { handle, _ in unsafe handle!.pointee.data.owner(SignalWatcher.self).action() },
                signal.rawValue
            ),
            "uv_signal_start"
        )
    }

    /// Whether the loop goes on running for this watcher's sake alone; false at first.
    public var keepsLoopAlive: Bool {
        get { unsafe handle.keepsLoopAlive }
        set { unsafe handle.keepsLoopAlive = newValue }
    }
}

extension SignalWatcher {
    /// Stops a loop at SIGINT and SIGTERM, as a command does that runs until it is interrupted.
    ///
    /// - Returns: the watchers; the loop is stopped only while they are held.
    package static func stopping(_ loop: Loop) throws(UVError) -> [SignalWatcher] {
        let stop = { [unowned loop] in loop.stop() }
        return [
            try SignalWatcher(on: loop, .interrupt, action: stop),
            try SignalWatcher(on: loop, .terminate, action: stop),
        ]
    }
}
