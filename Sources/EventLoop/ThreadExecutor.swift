/// A thread of the log's own, beside a loop.
public final class ThreadExecutor: StoreExecutor {
    private let loop: Loop
    private let thread: SerialThread
    private var timers: [Int: LoopTimer] = [:]
    private var lastTimer = 0

    /// Starts the thread.
    public init(on loop: Loop) throws(UVError) {
        self.loop = loop
        thread = try SerialThread(on: loop)
    }

    public func run<Value: Sendable>(
        _ work: @escaping @Sendable () -> Value,
        then answer: @escaping (Value) -> Void
    ) {
        thread.run {
            work()
        } then: {
            answer($0)
        }
    }

    public func wait() { thread.wait() }

    public var now: UInt64 { Loop.steadyClock }

    public func after(_ milliseconds: UInt64, _ action: @escaping () -> Void) {
        guard milliseconds > 0 else { return loop.soon(action) }
        lastTimer += 1
        let number = lastTimer
        let timer = try? LoopTimer(on: loop) { [unowned self] in
            timers[number] = nil
            action()
        }
        // Without memory for a timer: rather too early than never.
        guard let timer else { return loop.soon(action) }
        timer.keepsLoopAlive = false
        timer.start(after: .milliseconds(Int64(milliseconds)))
        timers[number] = timer
    }
}
