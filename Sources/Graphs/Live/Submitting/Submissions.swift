internal import Commits
internal import Definitions
internal import Support
internal import Values

/// The commits on their way: each is checked against what is applied and what is pending, applied
/// or handed to the log, and answered.
final class Submissions {
    private let log: (any CommitLog)?
    private let clock: any HostClock
    private let activity: Activity
    var keys: IdempotencyKeys
    /// Commits that the log has not answered yet.
    private(set) var waiting = PendingCommits()
    /// Commits of this turn that were not passed to the log yet.
    private var outgoing: [LogEntry] = []
    /// Commits before which other servers' commits have come: they are checked again at the end of
    /// the turn, when all of those are known.
    private var moved: [PendingCommit] = []
    /// Commits that take values which others on their way may change over a tie, and what has come
    /// after them, by graph: they are checked when those others are answered.
    private var awaiting: [ObjectIdentifier: [PendingCommit]] = [:]
    /// How many commits of this server have been applied since the start.
    private(set) var applied: UInt64 = 0
    /// When the turns began in which commits were submitted that were applied in later turns.
    private var late: ContiguousArray<UInt64> = []

    init(
        _ log: (any CommitLog)?,
        _ clock: any HostClock,
        _ activity: Activity,
        _ keys: IdempotencyKeys
    ) {
        self.log = log
        self.clock = clock
        self.activity = activity
        self.keys = keys
    }

    /// Whether commits wait for what becomes of others before they are checked.
    var isDeferring: Bool { !awaiting.isEmpty || !moved.isEmpty }

    func takeLate() -> ContiguousArray<UInt64> {
        guard !late.isEmpty else { return [] }
        defer { late = [] }
        return late
    }

    // MARK: - Submitting

    /// Checks a commit, and applies it or hands it to the log.
    func submit(_ commit: Commit) -> Submission {
        guard commit.isCurrent else {
            var renewed = commit
            renewed.renewMembers()
            return submit(current: renewed)
        }
        return submit(current: commit)
    }

    private func submit(current commit: Commit) -> Submission {
        guard commit.graph.isOpen else { return submitClosed(commit) }
        if let pending = putBehind(commit) { return .pending(pending) }
        return commit.key == nil ? submitNew(commit) : submitOnce(commit)
    }

    /// Lets a commit wait if it depends on what becomes of another, or has come after one that
    /// does.
    @inline(__always)
    private func putBehind(_ commit: Commit) -> PendingCommit? {
        guard commit.transaction != nil || commit.birth != 0 || !awaiting.isEmpty else { return nil }
        let graph = ObjectIdentifier(commit.graph)
        let pending = PendingCommit(commit, turnBegan: activity.turnBegan)
        if awaiting[graph] == nil {
            guard commit.awaitsPending, let newest = waiting.newest(of: commit.graph) else { return nil }
            awaiting[graph] = []
            newest.onAnswer { [unowned self] _ in
                submitDeferred(awaiting.removeValue(forKey: graph) ?? [])
            }
        }
        awaiting[graph]?.append(pending)
        return pending
    }

    /// A commit for a graph with a pending change of its definition, or a pending end, waits until
    /// the log has answered.
    ///
    /// One for a graph that is gone is refused, and so is every commit while the log accepts none.
    @inline(never)
    private func submitClosed(_ commit: Commit) -> Submission {
        guard commit.graph.isServed else { return .refused(.unknown(commit.graph)) }
        if let error = commit.graph.host.health.refusal { return .refused(error) }
        let pending = PendingCommit(commit, turnBegan: activity.turnBegan)
        commit.graph.putOff(pending)
        return .pending(pending)
    }

    private func submitOnce(_ commit: Commit) -> Submission {
        switch keys.find(commit, now: clock.now) {
        case .known(let result):
            switch result {
            case .success(let applied): return .applied(applied)
            case .failure(let error): return .refused(error)
            }
        case .inFlight(let first):
            let repeated = PendingCommit(commit, turnBegan: activity.turnBegan)
            first.onAnswer { repeated.answer($0.map(\.replayed)) }
            return .pending(repeated)
        case .new(let record):
            let submission = submitNew(commit)
            switch submission {
            case .applied(let applied): keys.settle(record, .success(applied))
            case .refused: keys.forget(record)
            case .pending(let pending):
                keys.follow(record, pending)
                pending.onAnswer { [unowned self] in keys.answered(record, $0) }
            }
            return submission
        }
    }

    private func submitNew(_ commit: Commit) -> Submission {
        guard commit.transaction == nil else { return submitUndecided(commit) }
        do throws(HostError) {
            try CommitCheck.check(commit)
        } catch {
            return refuse(commit, error)
        }
        return submit(checked: commit)
    }

    /// A commit that depends on the state before it.
    private func submitUndecided(_ commit: Commit) -> Submission {
        var commit = commit
        do throws(HostError) {
            try commit.decide()
            try CommitCheck.check(commit)
        } catch {
            return refuse(commit, error)
        }
        return submit(checked: commit)
    }

    private func submit(checked commit: Commit) -> Submission {
        if commit.isVoid { return .applied(.nothing(commit)) }
        let isByHand = commit.isByHand
        commit.set.forEachNode { $0.noteSet(byHand: isByHand) }
        return append(commit)
    }

    /// A commit is invalid.
    ///
    /// If other servers write the log too, a failed condition may be about an outdated state: the
    /// log is asked first.
    private func refuse(_ commit: Commit, _ error: HostError) -> Submission {
        guard let log, log.isShared, error.code == .conflict || commit.transaction != nil else {
            return .refused(error)
        }
        let pending = PendingCommit(commit, turnBegan: activity.turnBegan)
        ask(log, about: pending, error)
        return .pending(pending)
    }

    private func ask(_ log: any CommitLog, about pending: PendingCommit, _ error: HostError) {
        pending.refusal = error
        // In its place among the commits.
        handOver()
        log.confirm(pending.commit.entry(), ticket: waiting.next)
        waiting.append(pending)
    }

    // MARK: - Applying, and handing over

    /// Applies a commit that was checked, or hands it to the log.
    @discardableResult
    func append(_ commit: Commit) -> Submission {
        guard log != nil else {
            applied &+= 1
            let stamp = commit.graph.nextStamp(at: max(clock.wall, commit.earliest))
            return .applied(commit.graph.host.apply(commit, stamp))
        }
        let pending = PendingCommit(commit, turnBegan: activity.turnBegan)
        enqueue(pending)
        return .pending(pending)
    }

    private func enqueue(_ pending: PendingCommit) {
        waiting.append(pending)
        outgoing.append(pending.commit.entry())
        pending.commit.graph.pending.add(pending)
    }

    /// Passes the commits of this turn to the log.
    func handOver() {
        guard let log, !outgoing.isEmpty else { return }
        let entries = outgoing
        outgoing = []
        log.append(entries, tickets: waiting.next - UInt64(entries.count)..<waiting.next, wall: clock.wall)
    }

    func endTurn() {
        submitMoved()
        handOver()
    }

    /// Waits until the log has answered every commit.
    func settle() {
        repeat {
            endTurn()
            log?.settle()
        } while !moved.isEmpty || !awaiting.isEmpty || !outgoing.isEmpty
    }

    // MARK: - Answers of the log

    /// The log has a commit: it is applied.
    func commit(_ ticket: UInt64, at stamp: LogStamp) {
        let pending = take(ticket)
        applied &+= 1
        late.append(pending.submitted)
        let result = pending.commit.graph.host.apply(pending.commit, stamp)
        pending.answer(.success(result))
        submitDeferred(after: pending.commit)
    }

    func refuse(_ ticket: UInt64, because error: HostError) {
        let pending = take(ticket)
        let graph = pending.commit.graph
        switch pending.commit.kind {
        case .define: graph.host.forget(graph)
        case .tick, .expire: graph.failed(pending.commit)
        case .values, .redefine, .remove, .drop: break
        }
        pending.answer(.failure(graph.host.answer(for: error)))
        submitDeferred(after: pending.commit)
    }

    /// Commits of other servers have come before a commit, or it was too early.
    func move(_ ticket: UInt64) {
        let pending = take(ticket)
        let graph = pending.commit.graph
        switch pending.commit.kind {
        case .values, .drop: moved.append(pending)
        case .tick, .expire: graph.failed(pending.commit)
        case .define:
            graph.host.forget(graph)
            pending.answer(.failure(HostError(.inUse, "a graph named \(graph.name) exists")))
        case .redefine, .remove: pending.answer(.failure(.isChanging))
        }
        submitDeferred(after: pending.commit)
    }

    /// The log confirms that a refused commit was checked against the newest state.
    func confirm(_ ticket: UInt64) {
        let pending = take(ticket)
        let host = pending.commit.graph.host
        pending.answer(
            .failure(pending.refusal ?? host.fault("the log confirms a commit without a pending question"))
        )
    }

    /// The log has had a commit with that key before.
    func answer(_ ticket: UInt64, repeating key: StoredKey) {
        let pending = take(ticket)
        guard key.key.digest == pending.commit.digest else {
            return pending.answer(.failure(IdempotencyKeys.isReused))
        }
        var answer = key.answer(in: pending.commit.graph.epochs)
        answer.skipped = pending.commit.skipped
        pending.answer(.success(answer))
    }

    /// Removes the pending commit that the log answers.
    private func take(_ ticket: UInt64) -> PendingCommit {
        let pending = waiting.take(ticket)
        if pending.refusal == nil { pending.commit.graph.pending.remove(pending) }
        return pending
    }

    /// The log has answered a commit.
    ///
    /// If it changes the definition or ends the graph, the commits that waited for it are checked
    /// now.
    private func submitDeferred(after commit: Commit) {
        switch commit.kind {
        case .redefine, .remove: break
        case .values, .define, .tick, .drop, .expire: return
        }
        submitDeferred(commit.graph.endChange())
    }

    private func submitDeferred(_ commits: [PendingCommit]) {
        for pending in commits {
            switch submit(pending.commit) {
            case .applied(let applied): pending.answer(.success(applied))
            case .refused(let error): pending.answer(.failure(error))
            case .pending(let inner): inner.onAnswer { pending.answer($0) }
            }
        }
    }

    // MARK: - Other servers

    private func submitMoved() {
        guard !moved.isEmpty else { return }
        let again = moved
        moved = []
        for pending in again { submitAgain(pending) }
    }

    /// Commits of other servers have come in between: checks the commit against the present state.
    private func submitAgain(_ pending: PendingCommit) {
        pending.moves += 1
        pending.refusal = nil
        let graph = pending.commit.graph
        guard pending.moves <= Self.mostMoves else {
            let message = "other servers changed the graph during every attempt"
            return pending.answer(
                .failure(HostError(.conflict, message, rev: graph.rev, retry: true))
            )
        }
        do throws(HostError) {
            guard !graph.isChanging else { throw .isChanging }
            pending.commit.renewMembers()
            if pending.commit.awaitsPending, let newest = waiting.newest(of: graph) {
                return newest.onAnswer { [unowned self] _ in moved.append(pending) }
            }
            try pending.commit.decide()
            try CommitCheck.check(pending.commit)
            if let refusal = graph.host.health.refusal { throw refusal }
            guard !pending.commit.isVoid else { return pending.answer(.success(.nothing(pending.commit))) }
            enqueue(pending)
        } catch {
            let isOfState = error.code == .conflict || pending.commit.transaction != nil
            if let log, log.isShared, isOfState, error.retry != true {
                return ask(log, about: pending, error)
            }
            pending.answer(.failure(error))
        }
    }

    /// How often a commit is tried again when others come in between.
    private static let mostMoves = 8

    /// The family members that commits on their way will create.
    func coming(in graph: LiveGraph) -> [NamedNode] { waiting.coming(in: graph) }
}

extension LiveGraph {
    /// Calls once it is known what becomes of the commits that are on their way now, if any are.
    package func afterPending(_ done: @escaping () -> Void) {
        host.submissions.waiting.newest(of: self)?.onAnswer { _ in done() }
    }
}
