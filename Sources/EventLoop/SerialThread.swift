internal import CLibuv
internal import DequeModule

/// A thread of one's own: it does one piece of work after the other, and each is answered on the
/// loop, in order.
///
/// For work that may wait long, such as writing to a disk: `FileTask` shares libuv's few threads
/// with all other tasks. Dropping the object waits for the work in progress, and drops work that
/// has not begun.
public final class SerialThread {
    private let shared: Shared
    private let reader: MailboxReader<Void>
    private var thread: RunningThread?
    /// What to do on the loop with each piece that has not been answered, oldest first.
    private var answers: Deque<() -> Void> = []
    private var answered = 0
    /// Whether the loop runs on until all work has been answered.
    private let keepsLoopAlive: Bool

    /// Starts the thread.
    ///
    /// Without `keepsLoopAlive` the loop may end before work has been answered, or done. With
    /// `lowersPriority` the loop does not wait for the processor because of it.
    public init(
        on loop: Loop,
        keepsLoopAlive: Bool = true,
        lowersPriority: Bool = false
    ) throws(UVError) {
        let shared = Shared()
        self.shared = shared
        self.keepsLoopAlive = keepsLoopAlive
        var deliver: () -> Void = {}
        reader = try MailboxReader(on: loop) { deliver() }
        shared.mailbox = reader.mailbox
        reader.keepsLoopAlive = false
        thread = try RunningThread {
            if lowersPriority { OwnProcess.lowerThreadPriority() }
            shared.run()
        }
        deliver = { [unowned self] in self.deliver() }
    }

    deinit {
        shared.stop()
        thread = nil
    }

    /// Whether nothing is being done or waits for an answer.
    public var isIdle: Bool { answers.isEmpty }

    /// Does `work` on the thread, then `answer` on the loop, never from within this call.
    ///
    /// While work is in flight the loop goes on running. The value may be of any type, because the
    /// thread keeps nothing of it.
    public func run<Value>(
        _ work: @escaping @Sendable () -> sending Value,
        then answer: @escaping (sending Value) -> Void
    ) {
        let box = Box<Value>()
        answers.append { answer(box.take()) }
        reader.keepsLoopAlive = keepsLoopAlive
        shared.add { box.put(work()) }
    }

    /// Waits until all work is done, and answers it before this returns; also what the answers ask
    /// for.
    public func wait() {
        while !answers.isEmpty {
            shared.waitUntilIdle()
            deliver()
        }
    }

    private func deliver() {
        let done = shared.doneCount
        while answered < done, let answer = answers.popFirst() {
            answered += 1
            answer()
        }
        reader.keepsLoopAlive = keepsLoopAlive && !answers.isEmpty
    }
}

/// Carries a value from the thread to the loop.
///
/// Unchecked, because it is taken after the lock of ``Shared`` has said that it is there.
private final class Box<Value>: @unchecked Sendable {
    private nonisolated(unsafe) var value: Value?

    func put(_ value: sending Value) { unsafe self.value = value }

    func take() -> sending Value {
        guard let value = unsafe value.take() else { preconditionFailure("work has ended without a value") }
        return value
    }
}

/// What both threads look at.
///
/// Unchecked, because everything that changes is touched only while `lock` is held.
@safe private final class Shared: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<uv_cond_t>.allocate(capacity: 1)
    private var jobs: Deque<@Sendable () -> Void> = []
    private var done = 0
    private var isBusy = false
    private var isStopped = false
    /// Set before the thread starts.
    var mailbox: Mailbox<Void>?

    init() {
        unsafe precondition(
            uv_mutex_init(lock) == 0 && uv_cond_init(changed) == 0,
            "a lock takes nothing but memory"
        )
    }

    deinit {
        unsafe uv_cond_destroy(changed)
        unsafe uv_mutex_destroy(lock)
        unsafe changed.deallocate()
        unsafe lock.deallocate()
    }

    private func locked<Result>(_ body: () -> Result) -> Result {
        unsafe uv_mutex_lock(lock)
        defer { unsafe uv_mutex_unlock(lock) }
        return body()
    }

    func add(_ job: @escaping @Sendable () -> Void) {
        locked {
            jobs.append(job)
            unsafe uv_cond_broadcast(changed)
        }
    }

    func stop() {
        locked {
            isStopped = true
            jobs = []
            unsafe uv_cond_broadcast(changed)
        }
    }

    var doneCount: Int { locked { done } }

    func waitUntilIdle() {
        locked {
            while isBusy || !jobs.isEmpty { unsafe uv_cond_wait(changed, lock) }
        }
    }

    func run() {
        while let job = next() {
            job()
            locked {
                done += 1
                isBusy = false
                unsafe uv_cond_broadcast(changed)
            }
            mailbox?.post(())
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        locked {
            while jobs.isEmpty && !isStopped { unsafe uv_cond_wait(changed, lock) }
            isBusy = !jobs.isEmpty
            return jobs.popFirst()
        }
    }
}
