internal import Graphs
internal import Support
public import Values

/// The result of reading the configuration's files again.
public struct ReloadReport {
    enum Result: String, CaseIterable {
        case added, changed, unchanged
        /// Its file is gone.
        case orphaned
        /// Its file is back.
        case returned
    }

    /// What happened to one graph.
    struct Entry {
        let result: Result
        let graph: String
        let file: String
        /// The rev of the change, or the present one; nil: there is no graph yet.
        var rev: UInt64?
        var change: DefinitionChange?
    }

    /// Whether nothing was changed.
    var isDryRun = false
    var entries: [Entry] = []
    /// All problems; whatever these files are about has not changed.
    public internal(set) var problems: [FileProblem] = []

    /// How many graphs were changed or added, lost their file or got it back.
    public var changes: Int { entries.count { $0.result != .unchanged } }

    /// What the audit says of it.
    var subjects: [AuditEntry.Field] {
        [AuditEntry.Field("changes", changes), AuditEntry.Field("problems", problems.count)]
    }

    mutating func keep(_ graph: String, of file: String, at rev: UInt64?) {
        entries.append(Entry(result: .unchanged, graph: graph, file: file, rev: rev, change: nil))
    }

    /// The change of a graph has this rev.
    mutating func note(_ rev: UInt64, of graph: String) {
        if let place = entries.firstIndex(where: { $0.graph == graph }) { entries[place].rev = rev }
    }

    func append(to out: inout ByteBuffer) {
        out.append("{")
        if isDryRun { out.member("dryRun", true) }
        out.member("graphs", objects: entries) { entry, out in
            out.member("graph", entry.graph)
            out.member("file", entry.file)
            out.member("result", entry.result.rawValue)
            out.member("rev", entry.rev)
            if let change = entry.change, !change.isEmpty {
                out.member("diff")
                change.append(to: &out)
            }
        }
        out.member("problems", list: problems) { $0.append(to: &$1) }
        out.append("}\n")
    }
}
