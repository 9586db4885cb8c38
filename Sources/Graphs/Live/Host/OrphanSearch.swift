internal import Commits

// Finds graphs of files that have become orphans, and those whose file is back.
extension Host {
    /// This server has files of these graphs, and of no others.
    ///
    /// Graphs whose file has come back are served again, and those without a file at any living
    /// server become orphans.
    ///
    /// - Returns: the new orphans, by name.
    public func note(files: Set<String>) -> [LiveGraph] {
        let former = orphanCare.files
        orphanCare.files = files
        log?.files = files
        return findOrphans(without: files) { !isShared || former?.contains($0.name) != false }
    }

    /// Other servers that share the log have said of which graphs they have files.
    ///
    /// A graph that has just begun may have a file that its server has not announced yet, so a
    /// graph only becomes an orphan when no file is known three times in succession.
    func noteFilesElsewhere() {
        guard let files = orphanCare.files else { return }
        let gone = findOrphans(without: files) { graph in
            graph.standing.looksWithoutFile += 1
            return graph.standing.looksWithoutFile > 2
        }
        if !gone.isEmpty { handlers.onOrphans(gone) }
    }

    private func findOrphans(without files: Set<String>, _ isGone: (LiveGraph) -> Bool) -> [LiveGraph] {
        var gone: [LiveGraph] = []
        for graph in table.all where graph.isLive && graph.origin == .file {
            if files.contains(graph.name) || isFiledElsewhere(graph.name) {
                bringBack(graph)
            } else if !graph.isOrphan, isGone(graph) {
                gone.append(graph)
            }
        }
        for graph in gone { setAside(graph) }
        return gone.sorted { $0.name < $1.name }
    }
}
