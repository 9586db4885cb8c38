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

    package internal(set) var value = Value.unknown
    /// The rev that the newest of them will get.
    package internal(set) var rev: UInt64 = 0
    /// The number of commits.
    var count = 0
    /// If they will create a family member: the principal that is charged for it.
    var account: MemberAccount?
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
        for node in pending.tied { mark(node, .unknown, rev) }
        commit.set.forEach { assignment in
            let node = assignment.node
            let creates = node.isUnsetMember && node.source == nil && node.pending == nil
            mark(node, .known(assignment.value), rev)
            guard creates else { return }
            node.pending?.account = graph.host.memberAccounts.reserve(for: commit.by)
            graph.members.comingCount += 1
        }
        for node in commit.clear { mark(node, .known(nil), rev) }
    }

    private mutating func mark(_ node: NamedNode, _ value: PendingChange.Value, _ rev: UInt64) {
        let change = node.pending ?? spare.popLast() ?? PendingChange()
        change.value = value
        change.rev = rev
        change.count += 1
        node.pending = change
        // A member's entry stays until the commit is applied.
        if node.family != nil { node.goesWithNode = false }
    }

    /// The log has answered: the commit is no longer pending.
    mutating func remove(_ pending: PendingCommit) {
        let commit = pending.commit
        count -= 1
        commit.set.forEachNode { unmark($0) }
        for node in commit.clear { unmark(node) }
        for node in pending.tied { unmark(node) }
    }

    private mutating func unmark(_ node: NamedNode) {
        guard let change = node.pending else { return }
        change.count -= 1
        guard change.count == 0 else { return }
        node.pending = nil
        change.value = .unknown
        let graph = node.graph
        if let account = change.account {
            graph.host.memberAccounts.unreserve(account)
            change.account = nil
            graph.members.comingCount -= 1
        }
        if spare.count < 64 { spare.append(change) }
        guard node.family != nil else { return }
        node.goesWithNode = true
        if node.node == nil { graph.members.noteLeftover(node) }
    }
}
