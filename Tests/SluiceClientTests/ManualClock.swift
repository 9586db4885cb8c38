import Synchronization

/// A clock that stands still until a test moves it.
final class ManualClock: Clock, Sendable {
    struct Instant: InstantProtocol {
        var offset: Duration

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private struct Sleeper {
        let number: Int
        let length: Duration
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Instant(offset: .zero)
        var sleepers: [Sleeper] = []
        var last = 0
        var cancelled: Set<Int> = []
        /// Tests that wait until a task sleeps so long.
        var tests: [(length: Duration, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var now: Instant { state.withLock { $0.now } }
    let minimumResolution = Duration.zero

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let test: CheckedContinuation<Void, Never>?
                let isCancelled: Bool
                (test, isCancelled) = state.withLock { state in
                    if state.cancelled.contains(number) { return (nil, true) }
                    let length = state.now.duration(to: deadline)
                    state.sleepers.append(Sleeper(number: number, length: length, continuation: continuation))
                    let index = state.tests.firstIndex { $0.length == length }
                    return (index.map { state.tests.remove(at: $0).continuation }, false)
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                test?.resume()
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until a task sleeps so long, and lets that time pass for it.
    func elapse(_ length: Duration) async {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isThere = state.withLock { state in
                if state.sleepers.contains(where: { $0.length == length }) { return true }
                state.tests.append((length, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
        let sleeper = state.withLock { state in
            state.now.offset += length
            return state.sleepers.firstIndex { $0.length == length }.map { state.sleepers.remove(at: $0) }
        }
        sleeper?.continuation.resume()
    }

    /// Lets time pass that no task waits for.
    func pass(_ length: Duration) {
        state.withLock { $0.now.offset += length }
    }
}
