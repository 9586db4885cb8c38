internal import Graphs

/// The nodes whose values represent one session.
struct PresenceClaims {
    /// They are cleared when the session ends, unless another client has set them since.
    private var claims: [ObjectIdentifier: Presence] = [:]
    /// Nodes that the session has claimed by a pending set, and the rev of the last such set.
    private var pending: [ObjectIdentifier: UInt64] = [:]

    /// Of the nodes that a commit without `presence` sets, those that already represent this
    /// session, which is still the writer.
    func renewed(by commit: Commit) -> [NamedNode] {
        guard !claims.isEmpty || !pending.isEmpty else { return [] }
        return commit.comingNodes.filter(holds)
    }

    /// Whether a node represents this session, or will once a pending set is applied.
    func holds(_ node: NamedNode) -> Bool {
        if let set = node.pending { return pending[ObjectIdentifier(node)] == set.rev }
        return claims[ObjectIdentifier(node)]?.stands == true
    }

    /// Claims nodes by a commit, before which it may have waited.
    mutating func add(_ nodes: [NamedNode], _ applied: Applied) {
        for node in nodes.map(\.present) {
            // A set that is repeated under its key gets the rev of the first time.
            if let known = claims[ObjectIdentifier(node)], known.rev > applied.rev { continue }
            claims[ObjectIdentifier(node)] = Presence(node: node, rev: applied.rev)
        }
    }

    /// Claims nodes by a set that waits for the log.
    ///
    /// - Returns: the revs of that set, for ``settle(_:)``.
    mutating func expect(_ nodes: [NamedNode]) -> [ObjectIdentifier: UInt64] {
        var revs: [ObjectIdentifier: UInt64] = [:]
        // A commit that waits for a pending definition has no rev yet.
        for node in nodes where !node.graph.isChanging {
            revs[ObjectIdentifier(node)] = node.pending?.rev
        }
        pending.merge(revs) { _, new in new }
        return revs
    }

    /// The log has answered that set.
    mutating func settle(_ revs: [ObjectIdentifier: UInt64]) {
        for (node, rev) in revs where pending[node] == rev { pending[node] = nil }
    }

    /// Removes and returns all, by name.
    mutating func takeAll() -> [Presence] {
        defer { claims = [:] }
        return claims.values.sorted { $0.node.name < $1.node.name }
    }
}
