public import Graphs
public import Commits
internal import Definitions
internal import Values

extension ClientRequest {
    /// `load`: the client reports on a node besides its value (L-1).
    func load() throws(HostError) {
        let view = try graph()
        guard let field = fields[.node] else { throw HostError(.badField, "node: a name is needed") }
        let known = try field.name(.node).flatMap { view.graph.node(named: $0) }
        let node = try view.node(known, named: field.string, to: .set)
        var commit = Commit(graph: view.graph)
        commit.report(try FacetChange(fields), of: node)
        try CommitReader.readRemarks(
            fields,
            into: &commit,
            for: view,
            try FormulaText.all(in: fields),
            pipeline
        )
        commit.by = session.access?.name
        try submit(commit)
    }
}

extension Commit {
    /// Adds a producer's report.
    public mutating func report(_ change: FacetChange, of node: NamedNode) {
        reports.append(FacetReport(node: node, change: change))
    }
}
