internal import Commits

/// Finds graphs of files that have become orphans, and those whose file is back.
struct OrphanSearch {
    private let host: Host

    init(in host: Host) { self.host = host }

    /// This server has files of these graphs, and of no others.
    ///
    /// Graphs whose file has come back are served again, and those without a file at any living
    /// server become orphans.
    ///
    /// - Returns: the new orphans, by name.
    func note(files: Set<String>) -> [LiveGraph] {
        let former = host.orphanCare.files
        host.orphanCare.files = files
        host.log?.files = files
        var gone: [LiveGraph] = []
        for graph in host.table.all where graph.isLive && graph.origin == .file {
            if files.contains(graph.name) || host.isFiledElsewhere(graph.name) {
                host.bringBack(graph)
            } else if !graph.isOrphan, !host.isShared || former?.contains(graph.name) != false {
                gone.append(graph)
            }
        }
        for graph in gone { host.setAside(graph) }
        return gone.sorted { $0.name < $1.name }
    }

    /// Other servers that share the log have said of which graphs they have files.
    ///
    /// A graph that has just begun may have a file that its server has not announced yet, so a
    /// graph only becomes an orphan when no file is known three times in succession.
    func noteElsewhere() {
        guard let files = host.orphanCare.files else { return }
        var gone: [LiveGraph] = []
        for graph in host.table.all where graph.isLive && graph.origin == .file {
            if files.contains(graph.name) || host.isFiledElsewhere(graph.name) {
                host.bringBack(graph)
            } else if !graph.isOrphan {
                graph.standing.looksWithoutFile += 1
                if graph.standing.looksWithoutFile > 2 { gone.append(graph) }
            }
        }
        for graph in gone { host.setAside(graph) }
        if !gone.isEmpty { host.handlers.onOrphans(gone.sorted { $0.name < $1.name }) }
    }
}
