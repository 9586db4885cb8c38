internal import EventLoop
internal import GraphHost

/// One reload of the folder of graphs: a step for each file, then the graphs whose files are gone.
///
/// Files are read and compiled on another thread, one after the other; the loop only applies the
/// definitions, each in a turn of its own. A file with the same bytes as the graph's present
/// definition is not even compiled. Files that define a graph come first, so that a copy beside
/// one of them never takes its graph over.
final class Reloading {
    var report: ReloadReport
    let done: (ReloadReport) -> Void
    private unowned let server: Server
    private var files: GraphFiles { server.graphFiles }
    private var paths: ArraySlice<String> = []
    /// Files with a graph that they did not define before, taken when all have been read.
    private var newcomers: ArraySlice<GraphFolder.File> = []
    private var isRanked = false
    /// Names of graphs that stay.
    private var kept: Set<String> = []
    /// Whether a new file has problems: it may be that of any graph, under another name.
    private var isUnclear = false

    init(_ server: Server, _ report: ReloadReport, _ done: @escaping (ReloadReport) -> Void) {
        self.server = server
        self.report = report
        self.done = done
    }

    /// Does everything at once: for the start, when no client waits.
    func run() {
        take(GraphFolder.paths(in: server.configuration.graphs))
        while let path = paths.popFirst() {
            takeUp(GraphFolder.file(path, server.host.definitions.accepting(server.configuration)))
        }
        while takeNewcomer() {}
    }

    /// Starts with the tokens; ``GraphFiles/finish(_:)`` is called at the end, in a later turn.
    func start() {
        do throws(UVError) {
            // The server may have stopped meanwhile; then this object is gone.
            try server.reloadTokens { [weak self] problems in
                guard let self else { return }
                report.problems += problems
                list()
            }
        } catch {
            fail(error)
        }
    }

    private func list() {
        do throws(UVError) {
            try server.definitions.list { [weak self] paths in
                guard let self else { return }
                take(paths)
                goOn()
            }
        } catch {
            fail(error)
        }
    }

    private func take(_ paths: [String]?) {
        if let paths {
            let owning = Set(files.owners.values)
            self.paths = (paths.filter(owning.contains) + paths.filter { !owning.contains($0) })[...]
            return
        }
        report.problems.append(GraphFolder.missing(server.configuration.graphs))
        kept = Set(files.owners.keys)
    }

    /// Reads the next file, or takes the next newcomer, or ends.
    private func goOn() {
        server.beginTurn()
        guard let path = paths.popFirst() else {
            guard takeNewcomer() else {
                setOthersAside()
                return files.finish(self)
            }
            return server.host.later { [weak self] in self?.goOn() }
        }
        let known = files.knownTexts[path].flatMap { files.stands($0, of: path) ? $0.digest : nil }
        read(path, known: known)
    }

    private func read(_ path: String, known: UInt128?) {
        do throws(UVError) {
            try server.definitions.read(file: path, known: known) { [weak self] file in
                guard let self else { return }
                server.beginTurn()
                if file.definition != nil || !file.problems.isEmpty {
                    takeUp(file)
                } else if !keep(file) {
                    // The graph was changed in the meantime.
                    return read(path, known: nil)
                }
                goOn()
            }
        } catch {
            fail(error)
        }
    }

    /// Without a thread to read the files, nothing changes.
    private func fail(_ error: UVError) {
        let message = "graphs: no thread can be started to read them (\(error.message))"
        report.problems.append(FileProblem(message))
        server.host.later { [weak self] in
            guard let self else { return }
            files.finish(self)
        }
    }

    private func takeUp(_ file: GraphFolder.File) {
        report.problems += file.problems
        guard let definition = file.definition else {
            // The file's contents are unknown: its last definition stays.
            let owned = files.owners.filter { $0.value == file.path }.keys
            kept.formUnion(owned)
            if owned.isEmpty { isUnclear = true }
            return
        }
        if files.owners[definition.name] == file.path {
            apply(definition, file)
        } else {
            newcomers.append(file)
        }
    }

    /// Takes the next file with a graph that it did not define before; false: there is none.
    private func takeNewcomer() -> Bool {
        if !isRanked {
            isRanked = true
            newcomers = GraphFolder.ranked(Array(newcomers)) { name in
                (try? server.host.restore(graph: name))?.definition.hash
            }[...]
        }
        guard let file = newcomers.popFirst(), let definition = file.definition else { return false }
        apply(definition, file)
        return true
    }

    private func apply(_ definition: GraphDefinition, _ file: GraphFolder.File) {
        guard kept.insert(definition.name).inserted else {
            let owner = files.owners[definition.name] ?? "another file"
            report.problems.append(GraphFolder.double(definition.name, in: file.path, and: owner))
            return
        }
        files.take(definition, from: file.path, &report)
        if let digest = file.digest, files.owners[definition.name] == file.path {
            files.knownTexts[file.path] = KnownText(
                digest: digest,
                graph: definition.name,
                definition: definition.hash
            )
        }
    }

    /// Keeps the graph of a file with known bytes; false if the file must be read.
    private func keep(_ file: GraphFolder.File) -> Bool {
        guard let known = files.knownTexts[file.path], known.digest == file.digest,
            files.stands(known, of: file.path), kept.insert(known.graph).inserted
        else { return false }
        report.keep(known.graph, of: file.path, at: server.host[known.graph]?.rev)
        return true
    }

    /// Stops serving the graphs whose files are gone, unless other servers have them.
    private func setOthersAside() {
        if isUnclear { kept.formUnion(files.owners.keys) }
        let gone = files.owners.filter { !kept.contains($0.key) }
        for name in gone.keys { files.owners[name] = nil }
        files.knownTexts = files.knownTexts.filter { files.owners[$0.value.graph] == $0.key }
        let orphans = Set(files.noteOwners().map(\.name))
        for (name, path) in gone.sorted(by: { $0.key < $1.key }) {
            guard let graph = server.host.held(name) else { continue }
            if orphans.contains(name) {
                let entry = ReloadReport.Entry(result: "orphaned", graph: name, file: path, rev: graph.rev)
                report.entries.append(entry)
            } else {
                report.keep(name, of: path, at: graph.rev)
            }
        }
    }
}

/// The digest of a file that was applied.
struct KnownText {
    let digest: UInt128
    let graph: String
    /// The hash of the resulting definition.
    let definition: String
}
