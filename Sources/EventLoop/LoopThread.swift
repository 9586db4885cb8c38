internal import CLibuv

/// A thread with a loop of its own, for what must go on while another loop is busy.
///
/// Dropping it stops the loop and waits for the end of the thread.
public final class LoopThread<Shared: Sendable> {
    /// What the thread has made for others, such as a ``Mailbox``.
    public let shared: Shared
    private let stop: Mailbox<Void>
    private let thread: RunningThread

    /// Starts the thread.
    ///
    /// - Parameter setUp: runs there first; returns what others may use, and what lives on the loop
    ///   until the thread ends.
    /// - Throws: what `setUp` throws, or that there is no thread.
    public init(
        _ setUp: @escaping @Sendable (Loop) throws(UVError) -> (shared: Shared, resident: AnyObject)
    ) throws(UVError) {
        let start = Start<Shared>()
        thread = try RunningThread {
            do throws(UVError) {
                let loop = try Loop()
                let reader = try MailboxReader<Void>(on: loop) { [unowned loop] in loop.stop() }
                let made = try setUp(loop)
                start.end(with: .success((made.shared, reader.mailbox)))
                withExtendedLifetime((reader, made.resident)) { _ = loop.run() }
            } catch {
                start.end(with: .failure(error))
            }
        }
        (shared, stop) = try start.wait().get()
    }

    deinit {
        stop.post(())
    }
}

/// Carries what the thread has made to the one that waits for it.
///
/// Unchecked, because `result` is written before the semaphore is raised and read after.
@safe private final class Start<Shared: Sendable>: @unchecked Sendable {
    private let ready = UnsafeMutablePointer<uv_sem_t>.allocate(capacity: 1)
    private var result: Result<(Shared, Mailbox<Void>), UVError>?

    init() {
        unsafe precondition(uv_sem_init(ready, 0) == 0, "a semaphore takes nothing but memory")
    }

    deinit {
        unsafe uv_sem_destroy(ready)
        unsafe ready.deallocate()
    }

    func end(with result: Result<(Shared, Mailbox<Void>), UVError>) {
        self.result = result
        unsafe uv_sem_post(ready)
    }

    func wait() -> Result<(Shared, Mailbox<Void>), UVError> {
        unsafe uv_sem_wait(ready)
        guard let result else { preconditionFailure("raised without a result") }
        return result
    }
}

/// A thread that is waited for when it is dropped.
final class RunningThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    private var thread = uv_thread_t()
    private var isRunning = false

    init(_ run: @escaping @Sendable () -> Void) throws(UVError) {
        let body = unsafe Unmanaged.passRetained(Body(run))
        let status = unsafe uv_thread_create(
            &thread,
            { unsafe Unmanaged<Body>.fromOpaque($0!).takeRetainedValue().run() },
            unsafe body.toOpaque()
        )
        guard status >= 0 else {
            unsafe body.release()
            throw UVError(code: status, call: "uv_thread_create")
        }
        isRunning = true
    }

    deinit {
        // An initialiser that throws runs this too.
        if isRunning { unsafe uv_thread_join(&thread) }
    }
}
