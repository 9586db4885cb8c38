internal import DequeModule
internal import EventLoop
internal import GraphHost
internal import Synchronization

/// The looks of clients at graphs as they were.
///
/// Each rebuilds a graph on a thread of libuv's, so that the loop waits for none.
final class PastLooks {
    /// Looks at a time: libuv has four threads, of which files and the log need some, and each look holds a graph in memory.
    static var mostRunning: Int { 2 }
    /// Looks that wait for those; a further one is refused with `busy`.
    ///
    /// About as many as are over before a client gives up.
    static var mostWaiting: Int { 32 }

    private let past: Past
    private let loop: Loop
    private var running: [PastLook] = []
    private var waiting: Deque<PastLook> = []

    /// The looks at what a host's log has kept; nil where it keeps nothing.
    init?(at host: Host, _ configuration: Configuration, on loop: Loop) {
        guard let reader = host.reader else { return nil }
        past = Past(reader, limits: host.limits) { DefinitionOptions(configuration) }
        self.loop = loop
    }

    /// Begins a look, or lets it wait.
    ///
    /// - Parameters:
    ///   - question: what the client wants to know.
    ///   - answer: called once, in a later turn, unless the look is cancelled.
    /// - Returns: the look, for cancelling it.
    /// - Throws: `busy`.
    func begin(
        _ question: PastQuestion,
        _ answer: @escaping (PastAnswer) -> Void
    ) throws(HostError) -> PastLook {
        waiting.removeAll { !$0.wish.isWanted }
        let look = PastLook(question, answer)
        if running.count < Self.mostRunning {
            run(look)
        } else if waiting.count < Self.mostWaiting {
            waiting.append(look)
        } else {
            throw HostError(
                .busy,
                "\(Self.mostRunning) looks at the past are under way and \(Self.mostWaiting) wait, as many as may",
                after: 1000
            )
        }
        return look
    }

    /// How many looks are under way or wait for that.
    var count: Int { (running + waiting).count { $0.wish.isWanted } }

    private func run(_ look: PastLook) {
        running.append(look)
        let (past, question, wish) = (past, look.question, look.wish)
        FileTask.run(on: loop) { () throws(UVError) in
            past.answer(question) { wish.isWanted }
        } answer: { [weak self] result in
            if wish.isWanted { look.answer((try? result.get()) ?? .stopped) }
            self?.goOn(after: look)
        }
    }

    private func goOn(after look: PastLook) {
        running.removeAll { $0 === look }
        while running.count < Self.mostRunning, let next = waiting.popFirst() {
            if next.wish.isWanted { run(next) }
        }
    }
}

/// One client's look at a graph as it was.
final class PastLook {
    /// Whether the client still waits; asked on the thread that answers.
    final class Wish: Sendable {
        private let wanted = Atomic(true)

        var isWanted: Bool { wanted.load(ordering: .relaxed) }

        func end() { wanted.store(false, ordering: .relaxed) }
    }

    fileprivate let question: PastQuestion
    fileprivate let answer: (PastAnswer) -> Void
    fileprivate let wish = Wish()

    fileprivate init(_ question: PastQuestion, _ answer: @escaping (PastAnswer) -> Void) {
        self.question = question
        self.answer = answer
    }

    /// The client no longer waits: drop the answer and stop the work for it soon.
    func cancel() {
        wish.end()
    }
}
