/// A node that says by its value that a session is there, and the rev of the set that made it say so
/// (`"presence": true`, wire-protocol.md §1.6).
struct Presence {
    let node: NamedNode
    let rev: UInt64

    /// Whether nobody has set the node since.
    var stands: Bool { node.exists && (node.pending?.rev ?? node.changed.rev) == rev }

    /// Clears what nobody has set since: one commit per graph.
    static func clear(_ claims: [Presence], by principal: String?, _ host: Host) {
        var commits: [Commit] = []
        for claim in claims where claim.stands {
            let node = claim.node
            let place =
                commits.firstIndex { $0.graph === node.graph }
                ?? {
                    commits.append(Commit(graph: node.graph))
                    return commits.count - 1
                }()
            commits[place].clear.append(node)
            commits[place].conditions.append(Condition(node, .changedAt(claim.rev)))
            commits[place].by = principal
        }
        for commit in commits { _ = host.submit(commit) }
    }
}
