internal import Commits
internal import ReactiveGraph
internal import Values

/// Checks the conditions of a commit (`if`; W-59 … W-61).
///
/// Pending commits count as applied.
enum Conditions {
    static func check(_ commit: Commit) throws(HostError) {
        let conditions = commit.conditions
        if !conditions.isEmpty || commit.epoch != nil { try check(conditions, of: commit) }
        // An update names what it has read.
        let set = commit.transaction?.set ?? commit.set
        try set.forEachNode { (node) throws(HostError) in try checkAsked(node, conditions) }
        for node in commit.clear { try checkAsked(node, conditions) }
    }

    private static func check(_ conditions: [Condition], of commit: Commit) throws(HostError) {
        let graph = commit.graph
        if let epoch = commit.epoch, !graph.epochs.hold(conditions.newestRev, of: epoch) {
            let message = "what the conditions name is not in the history of \(graph.name): epoch \(epoch)"
            throw HostError(.conflict, message, rev: graph.rev)
        }
        var refusal: HostError?
        for condition in conditions {
            guard let error = try check(condition, of: commit) else { continue }
            if refusal == nil { refusal = error } else { refusal?.failed += error.failed }
        }
        if let refusal { throw refusal }
    }

    /// Why the condition does not hold; nil if it does; throws if it is invalid.
    private static func check(_ condition: Condition, of commit: Commit) throws(HostError) -> HostError? {
        let node = condition.node
        try requireMutable(node, of: commit, "conditions")
        let (value, rev) = node.coming
        let holds: Bool
        switch condition.test {
        case .unchangedSince(let limit):
            guard commit.epoch != nil else {
                throw HostError(.badField, "a rev in `if` needs the epoch it belongs to", node: node.name)
            }
            holds = condition.birth > 0 ? node.birth < condition.birth : rev <= limit
        case .changedAt(let exact): holds = rev == exact
        case .holds(let expected):
            holds = if case .known(let present) = value { present == expected } else { false }
        case .isEmpty: holds = if case .known(nil) = value { true } else { false }
        }
        guard !holds else { return nil }
        let message = "\(node.name) \(failure(of: condition.test, value, rev))"
        var error = HostError(.conflict, message, node: node.name, rev: rev)
        error.failed = [HostError.Failed(node: node.name, rev: rev)]
        return error
    }

    /// What `reader` reads is there, and is set.
    static func requireMutable(
        _ node: NamedNode,
        of commit: Commit,
        _ reader: String
    ) throws(HostError) {
        guard node.isThere, node.graph === commit.graph else {
            throw HostError(.unknownNode, "no node \(node.name) in \(commit.graph.name)", node: node.name)
        }
        guard node.isMutable else {
            let message = "\(node.name) is derived; \(reader) can only name nodes that are set"
            throw HostError(.notMutable, message, node: node.name)
        }
    }

    /// What is true of the node instead.
    private static func failure(
        of test: Condition.Test,
        _ value: PendingChange.Value,
        _ rev: UInt64
    ) -> String {
        switch (test, value) {
        case (.unchangedSince, _), (.changedAt, _): "changed at rev \(rev)"
        case (_, .unknown): "is about to change at rev \(rev)"
        case (.isEmpty, _): "is not empty"
        case (.holds, .known(nil)): "is empty (since rev \(rev))"
        case (.holds, _): "has another value (since rev \(rev))"
        }
    }

    /// With `requireIfMatch: true` in the definition, a set without a condition on the node is
    /// refused.
    @inline(__always)
    static func checkAsked(_ node: NamedNode, _ conditions: [Condition]) throws(HostError) {
        guard node.requiresCondition else { return }
        guard conditions.contains(where: { $0.node === node }) else {
            throw HostError(
                .preconditionRequired,
                "\(node.name) can only be set with a condition on it",
                node: node.name
            )
        }
    }
}

extension [Condition] {
    /// The newest rev that one of them names; 0: none does.
    fileprivate var newestRev: UInt64 {
        reduce(0) { newest, condition in
            switch condition.test {
            case .unchangedSince(let rev), .changedAt(let rev): Swift.max(newest, rev)
            case .holds, .isEmpty: newest
            }
        }
    }
}
