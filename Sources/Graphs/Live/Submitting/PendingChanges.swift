internal import DequeModule
internal import ReactiveGraph
package import Values

/// The net effect of the pending commits on one mutable node.
package final class PendingChange {
    package enum Value {
        /// Its value after them; nil: empty.
        case known(Datum?)
        /// Unknown: a value may arrive over a tie.
        case unknown
    }

    /// What each of them will change, oldest first; one of any age may be refused.
    private var changes: Deque<(commit: ObjectIdentifier, value: Value, rev: UInt64, birth: UInt64)> = []
    /// What the newest of them will leave.
    package var value: Value { changes.last?.value ?? .unknown }
    /// The rev that the newest of them will get.
    package var rev: UInt64 { changes.last?.rev ?? 0 }
    /// When the newest of them was made (``ClientLinks/birth(ofChangeAt:of:)``).
    var birth: UInt64 { changes.last?.birth ?? 0 }
    var isOver: Bool { changes.isEmpty }
    /// If they will create a family member: the principal that is charged for it.
    var account: MemberAccount?

    fileprivate func add(_ value: Value, _ rev: UInt64, by commit: PendingCommit) {
        var birth = 2 * rev
        if case .known = value, commit.commit.birth != 0 { birth = commit.commit.birth }
        changes.append((ObjectIdentifier(commit), value, rev, birth))
    }

    /// Removes one change of a commit; the oldest is the usual case.
    fileprivate func remove(by commit: PendingCommit) {
        if let place = changes.firstIndex(where: { $0.commit == ObjectIdentifier(commit) }) {
            changes.remove(at: place)
        }
    }
}

/// What the commits of one graph that were appended to the log but not applied yet will change.
///
/// Conditions take it into account (``NamedNode/pending``).
struct PendingChanges {
    /// The number of these commits.
    private(set) var count = 0
    /// Reused, so that a commit allocates nothing.
    private var spare: [PendingChange] = []

    /// A commit has been appended to the log.
    mutating func add(_ pending: PendingCommit) {
        let commit = pending.commit
        let graph = commit.graph
        count += 1
        let rev = graph.rev + UInt64(count)
        pending.tied = graph.ties.nodes(after: commit)
        for node in pending.tied { mark(node, .unknown, rev, by: pending) }
        commit.set.forEach { assignment in
            let node = assignment.node
            let creates = node.isUnsetMember && node.source == nil && node.pending == nil
            mark(node, .known(assignment.value), rev, by: pending)
            guard creates else { return }
            node.pending?.account = graph.host.memory.members.reserve(for: commit.by)
            graph.members.comingCount += 1
        }
        for node in commit.clear { mark(node, .known(nil), rev, by: pending) }
    }

    private mutating func mark(
        _ node: NamedNode,
        _ value: PendingChange.Value,
        _ rev: UInt64,
        by pending: PendingCommit
    ) {
        let change = node.pending ?? spare.popLast() ?? PendingChange()
        change.add(value, rev, by: pending)
        node.pending = change
        // A member's entry stays until the commit is applied.
        if node.family != nil { node.goesWithNode = false }
    }

    /// The log has answered: the commit is no longer pending.
    mutating func remove(_ pending: PendingCommit) {
        let commit = pending.commit
        count -= 1
        commit.set.forEachNode { unmark($0, by: pending) }
        for node in commit.clear { unmark(node, by: pending) }
        for node in pending.tied { unmark(node, by: pending) }
    }

    private mutating func unmark(_ node: NamedNode, by pending: PendingCommit) {
        guard let change = node.pending else { return }
        change.remove(by: pending)
        guard change.isOver else { return }
        node.pending = nil
        let graph = node.graph
        if let account = change.account {
            graph.host.memory.members.unreserve(account)
            change.account = nil
            graph.members.comingCount -= 1
        }
        if spare.count < 64 { spare.append(change) }
        guard node.family != nil else { return }
        node.goesWithNode = true
        if node.node == nil { graph.members.noteLeftover(node) }
    }
}
