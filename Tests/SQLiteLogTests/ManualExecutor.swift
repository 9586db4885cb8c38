import SQLiteLog

/// Does work when the test says so, on the test's thread, with a clock of its own.
final class ManualExecutor: StoreExecutor {
    private var jobs: [() -> Void] = []
    private var timers: [(due: UInt64, action: () -> Void)] = []
    private var now: UInt64 = 0

    func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value,
        then answer: @escaping (Value) -> Void
    ) {
        jobs.append { answer(work()) }
    }

    /// How many pieces of work wait.
    var pending: Int { jobs.count }

    /// Does the oldest work, and answers it.
    func step() {
        guard !jobs.isEmpty else { return }
        jobs.removeFirst()()
    }

    func wait() {
        while !jobs.isEmpty { step() }
    }

    func after(_ milliseconds: UInt64, _ action: @escaping () -> Void) {
        timers.append((now + milliseconds, action))
    }

    /// Lets time pass, with all that is due and all work.
    func pass(_ milliseconds: UInt64) {
        let end = now + milliseconds
        wait()
        while let next = timers.indices.min(by: { timers[$0].due < timers[$1].due }), timers[next].due <= end
        {
            let timer = timers.remove(at: next)
            now = max(now, timer.due)
            timer.action()
            wait()
        }
        now = end
    }
}
