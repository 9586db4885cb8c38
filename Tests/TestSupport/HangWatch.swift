internal import Support

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Ends the process with a message if a piece of work takes too long: a test that hangs says
/// nothing.
public enum HangWatch {
    private struct State {
        var watched: [Int: (what: String, end: ContinuousClock.Instant)] = [:]
        var last = 0
        var isRunning = false
    }

    private static let state = Locked(State())

    /// Does work that should end within so many seconds; `what` it is says the message.
    public static func during<Value>(
        _ what: String,
        seconds: Int = 300,
        _ work: () throws -> Value
    ) rethrows -> Value {
        let number = state.withLock { state in
            state.last += 1
            state.watched[state.last] = (what, .now + .seconds(seconds))
            if !state.isRunning { state.isRunning = start() }
            return state.last
        }
        defer { state.withLock { $0.watched[number] = nil } }
        return try work()
    }

    private static func start() -> Bool {
        var thread = pthread_t()
        return pthread_create(
            &thread,
            nil,
            { _ in
                while true {
                    sleep(1)
                    HangWatch.look()
                }
            },
            nil
        ) == 0
    }

    private static func look() {
        let now = ContinuousClock.now
        let late = state.withLock { $0.watched.values.filter { $0.end < now }.map(\.what) }
        guard !late.isEmpty else { return }
        fatalError("takes too long: \(late.joined(separator: ", "))")
    }
}
