internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Values

/// One reload of the folder of graphs: a step for each file, then the graphs whose files are gone.
///
/// Files are read and compiled on another thread, one after the other; the loop only applies the
/// definitions, each in a turn of its own. A file with the same bytes as the graph's present
/// definition is not even compiled. Files that define a graph come first, so that a copy beside
/// one of them never takes its graph over. It ends when the log has answered every change.
final class Reloading {
    private(set) var report: ReloadReport
    let done: (ReloadReport) -> Void
    private unowned let files: GraphFiles
    private var paths: ArraySlice<String> = []
    /// The graph that each file seems to define, by path.
    private var graphs: [String: String] = [:]
    /// Files with a graph that they did not define before, taken when all have been read; nil: they
    /// are not in order yet.
    private var newcomers: [GraphFolder.File] = []
    private var ranked: ArraySlice<GraphFolder.File>?
    /// New files with problems, by the graph that they seem to define.
    private var claims: [String: String] = [:]
    /// Names of graphs that stay.
    private var kept: Set<String> = []
    /// Files that define a graph of another file.
    private var doubles: Set<String> = []
    /// How many changes the log has not answered.
    private var waiting = 0
    private var isApplied = false

    init(_ files: GraphFiles, _ report: ReloadReport, _ done: @escaping (ReloadReport) -> Void) {
        self.files = files
        self.report = report
        self.done = done
    }

    // MARK: - The steps

    /// Does everything at once: for the start, when no client waits.
    ///
    /// ``setOthersAside()`` is called when the log has answered.
    func run() {
        take(GraphFolder.paths(in: files.configuration.graphs))
        while let path = paths.popFirst() {
            takeUp(GraphFolder.file(path, files.host.definitions.accepting(files.configuration)))
        }
        while takeNewcomer() {}
        keepClaimed()
    }

    /// Starts with tokens and issuers; ``GraphFiles/finish(_:)`` is called at the end, in a later
    /// turn.
    func start() {
        do throws(UVError) {
            // The server may have stopped meanwhile; then this object is gone.
            try files.reloadTokens(dryRun: report.isDryRun) { [weak self] problems in
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
            try files.queue.list { [weak self] paths in
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
        report.problems.append(GraphFolder.missing(files.configuration.graphs))
        kept = Set(files.owners.keys)
    }

    /// Reads the next file, or takes the next newcomer, or ends.
    private func goOn() {
        files.turns.begin()
        if let path = paths.popFirst() {
            let known = files.knownTexts[path].flatMap { files.stands($0, of: path) ? $0.digest : nil }
            read(path, known: known)
        } else if takeNewcomer() {
            files.host.later { [weak self] in self?.goOn() }
        } else {
            keepClaimed()
            guard files.owners.keys.contains(where: { !kept.contains($0) }) else { return end() }
            // Another server may have started with the file a moment ago.
            files.host.askForFiles { [weak self] in self?.end() }
        }
    }

    private func end() {
        setOthersAside()
        guard !report.isDryRun else { return finishApplied() }
        // After the answer the file may go elsewhere: the other servers must know of it.
        files.host.askForFiles { [weak self] in self?.finishApplied() }
    }

    private func finishApplied() {
        isApplied = true
        finishIfAnswered()
    }

    private func finishIfAnswered() {
        if isApplied, waiting == 0 { files.finish(self) }
    }

    private func read(_ path: String, known: UInt128?) {
        do throws(UVError) {
            let name = files.owners.first { $0.value == path }?.key
            let former = name.flatMap(files.host.held)?.definition.outline
            try files.queue.read(file: path, known: known, former: former) { [weak self] file in
                guard let self else { return }
                files.turns.begin()
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
        isApplied = true
        files.host.later { [weak self] in self?.finishIfAnswered() }
    }

    // MARK: - Files

    private func takeUp(_ file: GraphFolder.File) {
        report.problems += file.problems
        graphs[file.path] = file.graph
        guard let definition = file.definition else {
            // The file's contents are unknown: its last definition stays.
            let owned = files.owners.filter { $0.value == file.path }.keys
            kept.formUnion(owned)
            if owned.isEmpty { claims[file.graph] = file.path }
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
        if ranked == nil {
            ranked =
                GraphFolder.ranked(newcomers) { name in
                    (try? files.host.restore(graph: name))?.definition.hash
                }[...]
        }
        guard let file = ranked?.popFirst(), let definition = file.definition else { return false }
        apply(definition, file)
        return true
    }

    private func apply(_ definition: GraphDefinition, _ file: GraphFolder.File) {
        let (name, path) = (definition.name, file.path)
        if let problem = refusal(of: definition, from: path) {
            doubles.insert(path)
            report.problems.append(problem)
            return
        }
        kept.insert(name)
        guard !report.isDryRun else { return files.plan(definition, from: path, &report) }
        if let pending = files.take(definition, from: path, &report) {
            waiting += 1
            pending.onAnswer { [weak self] result in
                guard let self else { return }
                waiting -= 1
                take(result, for: definition, from: path)
                finishIfAnswered()
            }
        }
        if let digest = file.digest, files.owners[name] == path {
            files.knownTexts[path] = KnownText(digest: digest, graph: name, definition: definition.hash)
        }
    }

    /// Why a file does not define its graph: another one does, or did and is gone.
    private func refusal(of definition: GraphDefinition, from path: String) -> FileProblem? {
        let name = definition.name
        if kept.contains(name) {
            return GraphFolder.double(name, in: path, and: files.owners[name] ?? "another file")
        }
        guard files.doubles.contains(path), let graph = files.host.held(name) else { return nil }
        let values = graph.change(to: definition).lostValues
        guard values > 0 else { return nil }
        return FileProblem(
            "graph '\(name)' came from another file, which is gone; this one lacks nodes with \(values) of its values",
            file: path,
            code: "in_use",
            hint: "put the other file back, or rename this one to take the graph over"
        )
    }

    /// The log has answered the change that a file makes.
    ///
    /// Servers that share the log may read the same change at the same time: then the log has taken
    /// the other server's change, and nothing is wrong.
    private func take(
        _ result: Result<Applied, HostError>,
        for definition: GraphDefinition,
        from path: String
    ) {
        let name = definition.name
        let graph = files.host[name].flatMap { $0.definition.hash == definition.hash ? $0 : nil }
        switch (result, graph) {
        case (.success(let applied), _): report.note(applied.rev, of: name)
        case (.failure, let graph?): report.note(graph.rev, of: name)
        case (.failure(let error), nil):
            report.entries.removeAll { $0.graph == name }
            report.problems.append(FileProblem(error, of: name, in: path))
            if isApplied { files.note(report.problems, of: graphs) }
        }
    }

    /// Keeps the graph of a file with known bytes; false if the file must be read.
    private func keep(_ file: GraphFolder.File) -> Bool {
        guard let known = files.knownTexts[file.path], known.digest == file.digest,
            files.stands(known, of: file.path), kept.insert(known.graph).inserted
        else { return false }
        report.keep(known.graph, of: file.path, at: files.host[known.graph]?.rev)
        return true
    }

    // MARK: - The end

    /// Keeps graphs whose files seem to be there, but have problems: they are served by their
    /// stored definitions.
    private func keepClaimed() {
        for (name, path) in claims where !kept.contains(name) {
            guard let graph = try? files.host.restore(graph: name), graph.origin == .file else {
                // Under another name, it may be the file of any graph.
                kept.formUnion(files.owners.keys)
                continue
            }
            kept.insert(name)
            guard !report.isDryRun else { continue }
            files.owners[name] = path
            files.host.bringBack(graph)
        }
    }

    /// Stops serving the graphs whose files are gone, unless other servers have them.
    func setOthersAside() {
        let gone = files.owners.filter { !kept.contains($0.key) }
        var orphans = Set(gone.keys.filter { !files.host.isFiledElsewhere($0) })
        if !report.isDryRun {
            for name in gone.keys { files.owners[name] = nil }
            files.knownTexts = files.knownTexts.filter { files.owners[$0.value.graph] == $0.key }
            files.doubles = doubles
            files.note(report.problems, of: graphs)
            orphans = Set(files.noteOwners().map(\.name))
        }
        for (name, path) in gone.sorted(by: { $0.key < $1.key }) {
            guard let graph = files.host.held(name) else { continue }
            if orphans.contains(name) {
                let entry = ReloadReport.Entry(result: .orphaned, graph: name, file: path, rev: graph.rev)
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
