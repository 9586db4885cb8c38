#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif
import ReactiveGraph
import Synchronization

/// Runs `body` on `count` threads at once, and returns when all have ended.
func onThreads(_ count: Int = 1, _ body: @escaping @Sendable (Int) -> Void) {
    let threads = (0..<count).map { index in PlainThread { body(index) } }
    for thread in threads { thread.join() }
}

/// A thread of the system.
final class PlainThread: @unchecked Sendable {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    #if canImport(Glibc)
        private var thread = pthread_t()
    #else
        private var thread: pthread_t?
    #endif

    init(_ body: @escaping @Sendable () -> Void) {
        let failed = pthread_create(
            &thread,
            nil,
            { argument in
                #if canImport(Glibc)
                    Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
                #else
                    Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                #endif
                return nil
            },
            Unmanaged.passRetained(Body(body)).toOpaque()
        )
        precondition(failed == 0)
    }

    func join() {
        #if canImport(Glibc)
            pthread_join(thread, nil)
        #else
            pthread_join(thread!, nil)
        #endif
    }
}

/// A lock to wait at, which the thread sanitizer sees.
private final class Monitor<State>: @unchecked Sendable {
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    init(_ state: State) {
        self.state = state
        pthread_mutex_init(lock, nil)
        pthread_cond_init(changed, nil)
    }

    deinit {
        pthread_mutex_destroy(lock)
        pthread_cond_destroy(changed)
        lock.deallocate()
        changed.deallocate()
    }

    func change(_ body: (inout State) -> Void) {
        pthread_mutex_lock(lock)
        body(&state)
        pthread_cond_broadcast(changed)
        pthread_mutex_unlock(lock)
    }

    /// Waits until `body` gives something.
    func wait<Result>(_ body: (inout State) -> Result?) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while true {
            if let result = body(&state) { return result }
            pthread_cond_wait(changed, lock)
        }
    }
}

/// Workers of one thread: run what is posted, in order.
final class ThreadQueue: GraphExecutor {
    private let posts: Monitor<[(@Sendable () -> Void)?]>
    private let thread: PlainThread

    init() {
        let posts = Monitor<[(@Sendable () -> Void)?]>([])
        self.posts = posts
        thread = PlainThread {
            while let action = posts.wait({ $0.isEmpty ? nil : .some($0.removeFirst()) }) { action() }
        }
    }

    func post(_ action: @escaping @Sendable () -> Void) {
        posts.change { $0.append(action) }
    }

    /// Runs what was posted before, and ends the thread.
    func finish() {
        posts.change { $0.append(nil) }
        thread.join()
    }
}

/// The loop of the thread that makes it; waits for bells without polling.
final class BlockingLoop: LoopExecutor {
    private struct Bell: LoopBell {
        let rung: Monitor<Set<Int>>
        let number: Int

        func ring() { rung.change { $0.insert(number) } }
    }

    private let rung = Monitor<Set<Int>>([])
    private let thread = pthread_self()
    private var bells: [() -> Void] = []
    private var actions: [() -> Void] = []

    var isCurrent: Bool { pthread_equal(thread, pthread_self()) != 0 }

    func post(_ action: @escaping () -> Void) {
        actions.append(action)
    }

    func makeBell(_ action: @escaping () -> Void) -> any LoopBell {
        bells.append(action)
        return Bell(rung: rung, number: bells.count - 1)
    }

    func run(until isDone: () -> Bool) {
        while !isDone() {
            if actions.isEmpty {
                let numbers = rung.wait { numbers in
                    defer { numbers = [] }
                    return numbers.isEmpty ? nil : numbers
                }
                for number in numbers { bells[number]() }
            } else {
                actions.removeFirst()()
            }
        }
    }
}

/// Notes of several threads.
final class SharedNotes<Value: Sendable>: Sendable {
    private let state = Mutex<[Value]>([])

    var all: [Value] { state.withLock { $0 } }

    func add(_ value: Value) {
        state.withLock { $0.append(value) }
    }
}
