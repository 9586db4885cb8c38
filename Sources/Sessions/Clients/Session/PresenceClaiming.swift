internal import Graphs
internal import Commits
internal import ReactiveGraph
internal import Values

/// Lets nodes represent a session by the commits that set them (`"presence": true`).
struct PresenceClaiming {
    private let session: Session
    private var host: Host { session.host }

    init(for session: Session) {
        self.session = session
    }

    /// Lets nodes represent the session by a commit that was submitted for it.
    ///
    /// - Returns: what the request is to be answered with, now or later.
    func claim(_ nodes: [NamedNode], by commit: Commit, _ submission: Submission) -> Submission {
        switch submission {
        case .refused: return submission
        case .applied(let applied):
            if applied.isReplay { return claimAgain(commit, applied, tries: Self.mostTries) }
            session.madeExtras.presence.add(nodes, applied)
            return submission
        case .pending(let pending):
            // Before its answer, which lets later requests proceed.
            return .pending(claim(nodes, by: commit, whenAnswered: pending))
        }
    }

    /// The same for a set that waits for the log; the session may have ended by then.
    private func claim(
        _ nodes: [NamedNode],
        by commit: Commit,
        whenAnswered pending: PendingCommit
    ) -> PendingCommit {
        let claimed = PendingCommit(commit, turnBegan: pending.submitted)
        let revs = session.madeExtras.presence.expect(nodes)
        pending.onAnswer { [weak session, unowned host, by = session.access?.name] result in
            let open = session.flatMap { $0.isClosed ? nil : $0 }
            open?.extras?.presence.settle(revs)
            guard case .success(let applied) = result else { return claimed.answer(result) }
            guard applied.isReplay else {
                if let open {
                    open.madeExtras.presence.add(nodes, applied)
                } else {
                    host.presences.clear(nodes.map { Presence(node: $0.present, rev: applied.rev) }, by: by)
                }
                return claimed.answer(result)
            }
            let again = open.map { Self(for: $0).claimAgain(commit, applied, tries: Self.mostTries) }
            switch again {
            case .pending(let again)?: again.onAnswer { claimed.answer($0) }
            case .refused(let error)?: claimed.answer(.failure(error))
            case .applied?, nil: claimed.answer(result)
            }
        }
        return claimed
    }

    /// Lets nodes represent this session, which repeats a set under its key: the connection of the
    /// first time may be dead.
    ///
    /// What the nodes hold represents that connection, so they are set again, by a commit of their
    /// own: those that still have the value of the first time, and those that are empty, because
    /// the end of that connection has cleared them. A node that another client has set is left.
    ///
    /// - Returns: the answer of the first time, once the commit is answered.
    private func claimAgain(_ commit: Commit, _ applied: Applied, tries: Int) -> Submission {
        let again = renewal(of: commit, applied)
        guard !again.claimed.isEmpty else { return .applied(applied) }
        switch claim(again.claimed, by: again, host.submit(again)) {
        case .applied: return .applied(applied)
        case .refused(let error): return error.code == .conflict ? .applied(applied) : .refused(error)
        case .pending(let pending):
            let answered = PendingCommit(commit, turnBegan: pending.submitted)
            pending.onAnswer { [weak session] result in
                guard case .failure(let error) = result else { return answered.answer(.success(applied)) }
                guard error.code == .conflict else { return answered.answer(result) }
                // The set of the first time was not known here yet, or another client was faster.
                if tries > 1, let session, !session.isClosed,
                    case .pending(let next) = Self(for: session).claimAgain(commit, applied, tries: tries - 1)
                {
                    return next.onAnswer { answered.answer($0) }
                }
                answered.answer(.success(applied))
            }
            return .pending(answered)
        }
    }

    /// The commit that sets the nodes of an earlier one again for this session.
    private func renewal(of commit: Commit, _ applied: Applied) -> Commit {
        let graph = commit.graph
        var again = Commit(graph: graph)
        again.by = commit.by
        again.isByHand = commit.isByHand
        commit.set.forEach { assignment in
            let node = assignment.node.present
            guard session.extras?.presence.holds(node) != true else { return }
            let rev = node.pending?.rev ?? node.changed.rev
            if applied.epoch == graph.epoch, rev == applied.rev {
                again.conditions.append(Condition(node, .changedAt(rev)))
            } else if case .known(nil) = node.pending?.value ?? .known(node.source?.value) {
                again.conditions.append(Condition(node, .isEmpty))
            } else {
                return
            }
            again.set.append(Assignment(node, assignment.value))
        }
        again.claimed = again.setNodes
        return again
    }

    /// How often the nodes are looked at again when other commits come in between.
    private static var mostTries: Int { 8 }
}
