internal import Synchronization

/// A request that waits for its answer.
struct Request: Sendable {
    var fields: JSONObject
    /// What it is about, for errors.
    var path: String?
    /// Until when the server knows its key, by the client's clock.
    var until: Duration?
    var answer: @Sendable (Result<JSONObject, any Error>) -> Void
}

/// So long the server knows the key of a set.
private let keyLifetime = Duration.seconds(600)

extension ClientLoop {
    /// Sends a request and waits for its answer.
    ///
    /// A task that is cancelled no longer waits; what it has sent may still take effect.
    func request(
        _ fields: JSONObject,
        path: String?,
        isRead: Bool = false,
        until: Duration? = nil
    ) async throws -> JSONObject {
        let until = until ?? time.now() + keyLifetime
        let reply = Reply()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                reply.wait(continuation)
                let request = Request(fields: fields, path: path, until: until) { reply.resume($0) }
                // A request whose task was cancelled need not be sent.
                send { core in
                    if !reply.isDone { isRead ? core.read(request) : core.request(request) }
                }
            }
        } onCancel: {
            reply.resume(.failure(CancellationError()))
        }
    }
}

/// The answer to one request: the first one counts.
private final class Reply: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<JSONObject, any Error>)
        case done(Result<JSONObject, any Error>)
    }

    private let state = Mutex(State.idle)

    var isDone: Bool {
        state.withLock { if case .done = $0 { true } else { false } }
    }

    func wait(_ continuation: CheckedContinuation<JSONObject, any Error>) {
        let result: Result<JSONObject, any Error>? = state.withLock { state in
            if case .done(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
    }

    func resume(_ result: Result<JSONObject, any Error>) {
        let continuation: CheckedContinuation<JSONObject, any Error>? = state.withLock { state in
            switch state {
            case .done: return nil
            case .idle:
                state = .done(result)
                return nil
            case .waiting(let continuation):
                state = .done(result)
                return continuation
            }
        }
        continuation?.resume(with: result)
    }
}
