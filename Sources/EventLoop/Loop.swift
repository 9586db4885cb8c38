internal import CLibuv

/// An event loop: one thread, its timers, sockets, files and signals.
///
/// Transcribes https://docs.libuv.org/en/v1.x/loop.html. Times are milliseconds.
///
/// - A loop and all that hangs on it belong to the thread that runs it. Other threads reach it only
///   through ``Mailbox``.
/// - Every handle holds its loop strongly, so a loop ends after its handles. Requests in flight
///   (files, name look-ups) hold it too, until ``run()`` has answered them.
/// - A process may have any number of loops.
@safe public final class Loop {
    let raw: UnsafeMutablePointer<uv_loop_t>
    /// Lent to whichever connection reads; its content is void when the delegate returns.
    let readBuffer: UnsafeMutableRawBufferPointer
    var writeRequests = WriteRequestPool()
    /// What shares out the ends of connections; nil: each is reported as it comes.
    var endings: SharedEndings?
    private var isRunning = false
    private var wallClockOffset: Int64 = 0
    private var wallClockReadAt: UInt64 = .max
    /// By how much ``skip(_:)`` has set the clock forward.
    private var skipped: UInt64 = 0

    /// A new loop with nothing on it.
    public init() throws(UVError) {
        let raw = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
        let status = unsafe uv_loop_init(raw)
        guard status >= 0 else {
            unsafe raw.deallocate()
            throw UVError(code: status, call: "uv_loop_init")
        }
        unsafe self.raw = unsafe raw
        unsafe readBuffer = .allocate(byteCount: 64 * 1024, alignment: 16)
        unsafe raw.pointee.data = unsafe Unmanaged.passUnretained(self).toOpaque()
    }

    /// Runs the closes that are pending, then ends the loop.
    ///
    /// All handles are closed by then, because each holds the loop.
    deinit {
        unsafe raw.pointee.data = nil
        while unsafe uv_loop_close(raw) == UV_EBUSY.rawValue {
            unsafe precondition(
                uv_run(raw, UV_RUN_NOWAIT) != 0 || uv_loop_alive(raw) == 0,
                "a loop is dropped while a handle is open"
            )
        }
        writeRequests.removeAll()
        unsafe raw.deallocate()
        unsafe readBuffer.deallocate()
    }

    /// Milliseconds of a clock that never goes back, as of the start of this turn.
    ///
    /// Its zero has no meaning.
    public var now: UInt64 { unsafe uv_now(raw) &+ skipped }

    /// Milliseconds since 1970 (UTC), as of the first question within the same millisecond of
    /// ``now``.
    public var wallClock: Int64 {
        let now = unsafe uv_now(raw)
        if now != wallClockReadAt {
            var time = uv_timeval64_t()
            unsafe uv_gettimeofday(&time)
            wallClockOffset = time.tv_sec * 1000 + Int64(time.tv_usec) / 1000
            wallClockReadAt = now
        }
        return wallClockOffset
    }

    /// Milliseconds of the clock of ``now``, as of this moment and not of the start of the turn.
    public static var steadyClock: UInt64 { uv_hrtime() / 1_000_000 }

    /// Reads the clock again; worth it after work of many milliseconds, before starting a timer.
    public func updateTime() { unsafe uv_update_time(raw) }

    /// Sets the clock of ``now`` and of all timers forward, as if the process had stood still.
    ///
    /// For tests, which then do not depend on the speed of the machine.
    package func skip(_ milliseconds: UInt64) {
        skipped += milliseconds
        var milliseconds = milliseconds
        unsafe uv_walk(
            raw,
            { handle, milliseconds in
                guard unsafe uv_handle_get_type(handle) == UV_TIMER, unsafe uv_is_active(handle) != 0 else {
                    return
                }
                let timer = unsafe UnsafeMutableRawPointer(handle!).assumingMemoryBound(to: uv_timer_t.self)
                let left = unsafe uv_timer_get_due_in(timer)
                let skipped = unsafe milliseconds!.assumingMemoryBound(to: UInt64.self).pointee
                unsafe uv_timer_start(
                    timer,
                    timer.pointee.timer_cb,
                    left > skipped ? left - skipped : 0,
                    uv_timer_get_repeat(timer)
                )
            },
            &milliseconds
        )
    }

    /// Whether something is left that a run would wait for.
    public var isAlive: Bool { unsafe uv_loop_alive(raw) != 0 }

    /// Runs until nothing is left to wait for, or ``stop()``.
    ///
    /// Returns whether something is left.
    @discardableResult
    public func run() -> Bool { run(UV_RUN_DEFAULT) }

    /// Runs one turn, waiting for something to happen if nothing is due.
    ///
    /// Returns whether something is left.
    @discardableResult
    public func runOnce() -> Bool { run(UV_RUN_ONCE) }

    /// Runs one turn with what is due now, without waiting.
    ///
    /// Returns whether something is left.
    @discardableResult
    public func poll() -> Bool { run(UV_RUN_NOWAIT) }

    /// Lets ``run()`` return at the end of this turn.
    public func stop() { unsafe uv_stop(raw) }

    /// How many handles are open, those about to close included: for tests and figures, it walks
    /// all of them.
    public var handleCount: Int {
        var count = 0
        unsafe uv_walk(
            raw,
            { _, count in unsafe count!.assumingMemoryBound(to: Int.self).pointee += 1 },
            &count
        )
        return count
    }

    private func run(_ mode: uv_run_mode) -> Bool {
        precondition(!isRunning, "a loop cannot be run from within one of its own callbacks")
        isRunning = true
        defer { isRunning = false }
        return withExtendedLifetime(self) { unsafe uv_run(raw, mode) != 0 }
    }
}

extension UnsafeMutablePointer<uv_loop_t> {
    /// The loop object; nil while it is being taken down.
    var object: Loop? {
        guard let data = unsafe pointee.data else { return nil }
        return unsafe Unmanaged<Loop>.fromOpaque(data).takeUnretainedValue()
    }
}
