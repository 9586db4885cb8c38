internal import DequeModule
internal import Synchronization

/// What has arrived for one listener and was not read yet.
///
/// Any thread may fill it, one task reads.
final class Buffer: Sendable {
    /// How a reader that is slow is treated.
    enum Policy {
        /// It gets the newest value; others are folded into it.
        case latest
        /// It gets every value; more than so many end the subscription with `slow`.
        case all(limit: Int)
        /// It gets the newest so many.
        case newest(limit: Int)
    }

    private struct State {
        var emissions: Deque<Emission> = []
        var reader: CheckedContinuation<Emission?, Never>?
        /// Nothing more comes; what has come may still be read.
        var isFinished = false
    }

    private let state = Mutex(State())
    private let policy: Policy

    init(_ policy: Policy) {
        self.policy = policy
    }

    /// How many emissions were not read yet.
    var count: Int { state.withLock { $0.emissions.count } }

    /// - Returns: whether the listener takes further values.
    @discardableResult
    func push(_ emission: Emission) -> Bool {
        let (reader, isOpen) = state.withLock { state in
            guard !state.isFinished else { return (nil as CheckedContinuation<Emission?, Never>?, false) }
            if let reader = state.reader.take() { return (reader, true) }
            append(emission, &state)
            return (nil, !state.isFinished)
        }
        reader?.resume(returning: emission)
        return isOpen
    }

    private func append(_ emission: Emission, _ state: inout State) {
        var emission = emission
        switch policy {
        case .latest:
            if let last = state.emissions.last, emission.replace(last) { state.emissions.removeLast() }
        case .newest(let limit):
            if state.emissions.count >= limit { state.emissions.removeFirst() }
        case .all(let limit):
            if state.emissions.count >= limit {
                state.isFinished = true
                emission = Emission(ended: SluiceError("slow", "the program reads too slowly"), emission.meta)
            }
        }
        state.emissions.append(emission)
    }

    /// Ends the listener: the reader gets what has come, and then `nil`.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            return state.reader.take()
        }
        reader?.resume(returning: nil)
    }

    /// The next emission; `nil` after the last one, and when the task is cancelled.
    ///
    /// A buffer has one reader: a second one takes the place of the first, which gets `nil`.
    func next() async -> Emission? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isWaiting, former) = state.withLock { state in
                    guard state.emissions.isEmpty, !state.isFinished, !Task.isCancelled else {
                        return (false, nil as CheckedContinuation<Emission?, Never>?)
                    }
                    let former = state.reader.take()
                    state.reader = continuation
                    return (true, former)
                }
                former?.resume(returning: nil)
                if !isWaiting { continuation.resume(returning: Task.isCancelled ? nil : pop()) }
            }
        } onCancel: {
            state.withLock { $0.reader.take() }?.resume(returning: nil)
        }
    }

    private func pop() -> Emission? {
        state.withLock { $0.emissions.popFirst() }
    }
}

extension Emission {
    /// The end of a subscription, after a delivery with that meta.
    init(ended: SluiceError, _ meta: Meta?) {
        self.init(value: nil, meta: meta ?? Meta())
        self.meta.ended = ended
        self.meta.members = nil
        self.meta.failure = nil
    }
}
