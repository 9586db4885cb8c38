internal import CLibuv

/// Runs blocking work on one of libuv's threads and answers on the loop.
///
/// Transcribes https://docs.libuv.org/en/v1.x/threadpool.html. The answer comes exactly once and
/// never from within the call. The work in flight holds itself and the loop until then.
public enum FileTask {
    /// Runs `work` on a thread of libuv's.
    public static func run<Value: Sendable>(
        on loop: Loop,
        _ work: @escaping @Sendable () throws(UVError) -> Value,
        answer: @escaping (Result<Value, UVError>) -> Void
    ) {
        let box = ResultBox<Value>()
        let request = WorkRequest(loop: loop) {
            box.result = Result(catching: work)
        } answer: {
            answer(
                box.result ?? .failure(UVError(code: UVError.Code.cancelled.rawValue, call: "uv_queue_work"))
            )
        }
        request.start()
    }
}

/// Carries the result from the thread to the loop.
///
/// Unchecked, because libuv calls the answer after the work has ended, with its own lock between
/// the two.
private final class ResultBox<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, UVError>?
}

/// libuv's request and its two halves; apart from ``FileTask`` because a C callback cannot be
/// formed in a generic function.
@safe private final class WorkRequest {
    private let raw = UnsafeMutablePointer<uv_work_t>.allocate(capacity: 1)
    private let loop: Loop
    private let work: @Sendable () -> Void
    private let answer: () -> Void

    init(loop: Loop, work: @escaping @Sendable () -> Void, answer: @escaping () -> Void) {
        self.loop = loop
        self.work = work
        self.answer = answer
    }

    deinit { unsafe raw.deallocate() }

    func start() {
        unsafe raw.pointee.data = unsafe Unmanaged.passRetained(self).toOpaque()
        let status = unsafe uv_queue_work(
            loop.raw,
            raw,
            {
                unsafe Unmanaged<WorkRequest>.fromOpaque($0!.pointee.data)._withUnsafeGuaranteedRef {
                    $0.work()
                }
            },
            { request, _ in
                unsafe Unmanaged<WorkRequest>.fromOpaque(request!.pointee.data).takeRetainedValue().answer()
            }
        )
        precondition(status == 0, "uv_queue_work refuses nothing but missing callbacks")
    }
}
