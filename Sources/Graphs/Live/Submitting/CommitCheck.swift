internal import Definitions
internal import ReactiveGraph
internal import Values

/// Checks what a commit sets against the definition: the nodes exist, may be set, and take the
/// values.
enum CommitCheck {
    static func check(_ commit: Commit) throws(HostError) {
        let graph = commit.graph
        guard graph.isLive else { throw HostError.unknown(graph) }
        guard
            !commit.isVoid || !commit.skipped.isEmpty || commit.transaction?.globs.isEmpty == false
        else {
            var error = HostError(.badRequest, "nothing to set or to clear")
            error.hint = #"such as "set":{"indoor_c":21.5} or "clear":["indoor_c"]"#
            throw error
        }
        var budget = CheckBudget()
        defer { graph.host.work += UInt64(budget.spent / NodeBuilder.unitsPerNode) }
        try commit.set.forEach { (assignment) throws(HostError) in
            try check(assignment.node, assignment.value, of: graph, within: &budget)
            try checkFed(assignment.node, commit)
        }
        for node in commit.clear {
            if case .drop = commit.kind, let refusal = node.dropRefusal { throw refusal }
            try checkSettable(node, commit)
        }
        for report in commit.reports { try checkSettable(report.node, commit) }
        try checkDisjoint(commit)
        try graph.members.checkRoom(forMembersOf: commit)
        try checkDrop(commit)
        try Conditions.check(commit)
    }

    @inline(__always)
    static func check(
        _ node: NamedNode,
        _ value: Datum,
        of graph: LiveGraph,
        within budget: inout CheckBudget
    ) throws(HostError) {
        try checkMutable(node, of: graph)
        if let complaint = node.complaint(about: value, within: &budget) {
            throw HostError(.typeMismatch, complaint, node: node.name)
        }
    }

    private static func checkMutable(_ node: NamedNode, of graph: LiveGraph) throws(HostError) {
        guard node.isThere, node.graph === graph else {
            throw HostError(.unknownNode, "no node \(node.name) in \(graph.name)", node: node.name)
        }
        guard node.isMutable else {
            throw HostError(.notMutable, "\(node.name) is derived and cannot be set", node: node.name)
        }
    }

    /// A node that clients may set.
    static func checkSettable(_ node: NamedNode, _ commit: Commit) throws(HostError) {
        try checkMutable(node, of: commit.graph)
        try checkFed(node, commit)
    }

    /// What an upstream sets, no client sets, clears, drops or reports on (S-1).
    private static func checkFed(_ node: NamedNode, _ commit: Commit) throws(HostError) {
        guard node.isFed, !commit.isOfSource else { return }
        if case .expire = commit.kind { return }
        var error = HostError(.notMutable, "\(node.name) has a source and cannot be set", node: node.name)
        error.hint = "its upstream sets it while something listens"
        throw error
    }

    /// A node has one state after a commit: no commit sets and clears the same node.
    private static func checkDisjoint(_ commit: Commit) throws(HostError) {
        guard commit.set.count > 0, !commit.clear.isEmpty else { return }
        let cleared = Set(commit.clear.map(ObjectIdentifier.init))
        try commit.set.forEach { (assignment) throws(HostError) in
            let node = assignment.node
            guard cleared.contains(ObjectIdentifier(node)) else { return }
            throw HostError(.badField, "\(node.name): either set it or clear it", node: node.name)
        }
    }

    /// Only existing members can be dropped: those that have a value, or are about to.
    private static func checkDrop(_ commit: Commit) throws(HostError) {
        guard case .drop = commit.kind else { return }
        for node in commit.clear {
            let holds =
                if case .known(let value)? = node.pending?.value { value != nil } else {
                    node.source?.isEmpty == false
                }
            guard holds else {
                throw HostError(
                    .unknownNode,
                    "no member \(node.name) in \(commit.graph.name)",
                    node: node.name
                )
            }
        }
    }
}

extension HostError {
    static var isChanging: HostError {
        HostError(.conflict, "another change of this definition is pending", retry: true)
    }

    static func unknown(_ graph: LiveGraph) -> HostError {
        HostError(.unknownGraph, "no graph \(graph.name)")
    }
}
