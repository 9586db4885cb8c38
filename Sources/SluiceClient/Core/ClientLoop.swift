/// Runs everything that a client does, one job after the other.
///
/// What callers ask for, what the server sends and what a clock causes are jobs. So a client needs
/// no locks, calls take effect in the order in which they were made, and a call that cannot wait,
/// such as that of a `deinit`, is a job like others.
final class ClientLoop: Sendable {
    typealias Job = @Sendable (ClientCore) -> Void

    let time: Timekeeper
    private let jobs: AsyncStream<Job>.Continuation

    init(_ settings: ClientSettings) {
        let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
        self.jobs = jobs
        time = settings.time
        Task.detached { [self] in
            // The core is not `Sendable`: it never leaves this task.
            let core = ClientCore(settings, loop: self)
            for await job in stream { job(core) }
        }
    }

    func send(_ job: @escaping Job) {
        jobs.yield(job)
    }

    /// Waits until the job has run.
    func perform(_ job: @escaping Job) async {
        await withCheckedContinuation { continuation in
            let result = jobs.yield { core in
                job(core)
                continuation.resume()
            }
            if case .terminated = result { continuation.resume() }
        }
    }

    /// Runs a job after a pause, unless the task is cancelled before.
    func after(_ pause: Duration, _ job: @escaping Job) -> Task<Void, Never> {
        Task.detached { [self] in
            do {
                try await time.sleep(pause)
                send(job)
            } catch {
                // Cancelled: the job is no longer wanted.
            }
        }
    }

    /// Ends the loop after the jobs that it has.
    func finish() {
        jobs.finish()
    }
}
