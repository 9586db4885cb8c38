internal import Definitions
internal import DequeModule
internal import EventLoop
internal import Graphs
internal import Sessions
internal import Synchronization
internal import Values

/// Clients' requests for past states of graphs.
///
/// Each rebuilds a graph on a thread of libuv's, so that the loop waits for none: from the log, or
/// what a derived node is made from, from the samples that rings have.
final class PastLooks {
    /// The most that run at a time: libuv has four threads, of which files and the log need some,
    /// and each request holds a graph in memory.
    static var mostRunning: Int { 2 }
    /// The most that wait; another one is refused with `busy`.
    ///
    /// About as many as finish before a client gives up.
    static var mostWaiting: Int { 32 }

    /// How many of them one principal may have.
    static var mostWaitingEach: Int { mostWaiting / 2 }

    /// Answers a question on another thread, as long as the client waits.
    typealias Work = @Sendable (_ isWanted: () -> Bool) -> PastAnswer

    private let past: Past?
    private let limits: SessionLimits
    private let definitions: @Sendable () -> DefinitionOptions
    private let loop: Loop
    private var running: [PastLook] = []
    private var waiting: Deque<PastLook> = []

    /// The looks at what a host has kept.
    init(at host: Host, _ configuration: Configuration, on loop: Loop) {
        let (limits, definitions) = (host.limits, { @Sendable in DefinitionOptions(configuration) })
        past = host.reader.map { Past($0, limits: limits, definitions: definitions) }
        (self.limits, self.definitions, self.loop) = (limits, definitions, loop)
    }

    /// Whether there is a log that keeps the past.
    var hasLog: Bool { past != nil }

    /// The answer to a question about what the log has; nil where there is no log.
    func work(for question: PastQuestion) -> Work? {
        guard let past else { return nil }
        return { past.answer(question, while: $0) }
    }

    /// The past of a derived node, computed from samples.
    func work(on samples: KeptSamples) -> Work {
        let (limits, definitions) = (limits, definitions)
        return { samples.answer(limits: limits, definitions: definitions(), while: $0) }
    }

    /// The history of a node by time, from memory and from the log.
    func work(on steps: KeptSteps) -> Work {
        let reader = past?.reader
        return { steps.answer(reader, while: $0) }
    }

    /// Starts a request, or queues it, for a principal (nil if clients need no token).
    ///
    /// `answer` is called once, in a later turn, unless the returned request is cancelled.
    ///
    /// - Throws: `busy`.
    func begin(
        for principal: String?,
        _ work: @escaping Work,
        _ answer: @escaping (PastAnswer) -> Void
    ) throws(HostError) -> PastLook {
        waiting.removeAll { !$0.wish.isWanted }
        let look = PastLook(principal, work, answer)
        let own = principal == nil ? 0 : waiting.count { $0.principal == principal }
        if running.count < Self.mostRunning {
            run(look)
        } else if waiting.count < Self.mostWaiting, own < Self.mostWaitingEach {
            waiting.append(look)
        } else {
            throw HostError(
                .busy,
                "\(Self.mostRunning) reads of the past are running and \(Self.mostWaiting) are waiting already; try again later",
                after: 1000
            )
        }
        return look
    }

    var count: Int { (running + waiting).count { $0.wish.isWanted } }

    private func run(_ look: PastLook) {
        running.append(look)
        let (work, wish) = (look.work, look.wish)
        FileTask.run(on: loop) { () throws(UVError) in
            work { wish.isWanted }
        } answer: { [weak self] result in
            if wish.isWanted { look.answer((try? result.get()) ?? .stopped) }
            self?.goOn(after: look)
        }
    }

    private func goOn(after look: PastLook) {
        running.removeAll { $0 === look }
        waiting.removeAll { !$0.wish.isWanted }
        while running.count < Self.mostRunning, let next = next { run(waiting.remove(at: next)) }
    }

    /// Which goes next: the first of a principal that has none under way, else the first.
    private var next: Int? {
        let busy = Set(running.map(\.principal))
        return waiting.firstIndex { !busy.contains($0.principal) } ?? waiting.indices.first
    }
}

/// One client's request for a past state.
final class PastLook {
    /// Whether the client still waits; read on the thread that answers.
    final class Wish: Sendable {
        private let wanted = Atomic(true)

        var isWanted: Bool { wanted.load(ordering: .relaxed) }

        func end() { wanted.store(false, ordering: .relaxed) }
    }

    fileprivate let principal: String?
    fileprivate let work: PastLooks.Work
    fileprivate let answer: (PastAnswer) -> Void
    fileprivate let wish = Wish()

    fileprivate init(
        _ principal: String?,
        _ work: @escaping PastLooks.Work,
        _ answer: @escaping (PastAnswer) -> Void
    ) {
        (self.principal, self.work, self.answer) = (principal, work, answer)
    }

    /// The client no longer waits: drops the answer and stops the work for it soon.
    func cancel() {
        wish.end()
    }
}
