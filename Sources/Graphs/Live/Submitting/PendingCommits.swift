internal import DequeModule

/// The commits that the log has not answered, by ticket.
struct PendingCommits {
    private var commits: Deque<PendingCommit?> = []
    private var first: UInt64 = 1

    var next: UInt64 { first + UInt64(commits.count) }

    /// Adds a commit under the ticket ``next``.
    mutating func append(_ commit: PendingCommit) { commits.append(commit) }

    /// The newest of a graph.
    func newest(of graph: LiveGraph) -> PendingCommit? {
        commits.last { $0?.commit.graph === graph } ?? nil
    }

    /// The family members without a value that commits of a graph set.
    func coming(in graph: LiveGraph) -> [NamedNode] {
        guard graph.members.comingCount > 0 else { return [] }
        return commits.flatMap { pending in
            guard let commit = pending?.commit, commit.graph === graph else { return [] as [NamedNode] }
            return commit.setNodes.filter { $0.isUnsetMember }
        }
    }

    /// Removes the commit with that ticket, which the log answers.
    mutating func take(_ ticket: UInt64) -> PendingCommit {
        guard ticket >= first, ticket < next, let commit = commits[Int(ticket - first)] else {
            preconditionFailure("the log answered ticket \(ticket) twice, or never got it")
        }
        commits[Int(ticket - first)] = nil
        while let oldest = commits.first, oldest == nil {
            commits.removeFirst()
            first += 1
        }
        return commit
    }
}
