internal import EventLoop
internal import GraphHost

/// One reload of the folder of graphs: a step for each file, then the graphs whose files are gone.
///
/// Files are read and compiled on another thread, one after the other; the loop only applies the
/// definitions, each in a turn of its own. A file with the same bytes as the graph's present
/// definition is not even compiled.
final class Reloading {
    private(set) var report: ReloadReport
    let done: (ReloadReport) -> Void
    private unowned let server: Server
    private var files: GraphFiles { server.graphFiles }
    private var paths: ArraySlice<String> = []
    /// Names of graphs that stay.
    private var kept: Set<String> = []

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
        removeOthers()
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
            self.paths = paths[...]
            return
        }
        report.problems.append(GraphFolder.missing(server.configuration.graphs))
        kept = Set(files.owners.keys)
    }

    /// Reads the next file, or ends.
    private func goOn() {
        server.beginTurn()
        guard let path = paths.popFirst() else {
            removeOthers()
            return files.finish(self)
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
            kept.formUnion(files.owners.filter { $0.value == file.path }.keys)
            return
        }
        guard kept.insert(definition.name).inserted else {
            let other = files.owners[definition.name] ?? "another file"
            report.problems.append(GraphFolder.double(definition.name, in: file.path, and: other))
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

    /// Removes the graphs whose files are gone.
    private func removeOthers() {
        for (name, path) in files.owners.sorted(by: { $0.key < $1.key }) where !kept.contains(name) {
            files.owners[name] = nil
            guard let graph = server.host[name] else { continue }
            if case .refused(let error) = server.host.remove(graph) {
                files.owners[name] = path
                report.problems.append(FileProblem(error, of: name, in: path))
                continue
            }
            report.entries.append(ReloadReport.Entry(result: "removed", graph: name, file: path))
        }
        files.knownTexts = files.knownTexts.filter { files.owners[$0.value.graph] == $0.key }
    }
}

/// The digest of a file that was applied.
struct KnownText {
    let digest: UInt128
    let graph: String
    /// The hash of the resulting definition.
    let definition: String
}
