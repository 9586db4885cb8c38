public import EventLoop

/// Does work when the test says so, on the test's thread, with a clock of its own.
public final class ManualExecutor: StoreExecutor {
    private var jobs: [() -> Void] = []
    private var timers: [(due: UInt64, action: () -> Void)] = []
    public private(set) var now: UInt64 = 0

    /// An executor without work.
    public init() {}

    public func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value,
        then answer: @escaping (Value) -> Void
    ) {
        jobs.append { answer(work()) }
    }

    /// How many pieces of work wait.
    public var pending: Int { jobs.count }

    /// Does the oldest work, and answers it.
    public func step() {
        guard !jobs.isEmpty else { return }
        jobs.removeFirst()()
    }

    public func wait() {
        while !jobs.isEmpty { step() }
    }

    public func after(_ milliseconds: UInt64, _ action: @escaping () -> Void) {
        timers.append((now + milliseconds, action))
    }

    /// Lets time pass, with all that is due and all work.
    public func pass(_ milliseconds: UInt64) {
        wait()
        advance(by: milliseconds) { self.wait() }
    }

    /// Lets time pass, with all that is due; work waits, unless `afterEach` does it.
    public func advance(by milliseconds: UInt64, afterEach: () -> Void = {}) {
        let end = now + milliseconds
        while let next = timers.indices.min(by: { timers[$0].due < timers[$1].due }), timers[next].due <= end
        {
            let timer = timers.remove(at: next)
            now = max(now, timer.due)
            timer.action()
            afterEach()
        }
        now = end
    }
}
