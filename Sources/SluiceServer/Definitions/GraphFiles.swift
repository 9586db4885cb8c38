internal import Sessions
internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Logging
internal import Support
internal import Values

/// The graphs that files define, read at the start and again while the server runs: by SIGHUP, by
/// `watch`, by `POST /v1/reload`.
final class GraphFiles {
    let clients: Clients
    let configuration: Configuration
    let turns: Turns
    let queue: DefinitionQueue
    let credentials: Credentials
    let log: Logger
    /// Reloads everything that the server reads, as a request for it does.
    var onRequest: (_ isDryRun: Bool, _ done: @escaping (ReloadReport) -> Void) -> Void = { _, _ in }
    /// Which file owns which graph; all others belong to the API.
    var owners: [String: String] = [:]
    /// The files with problems, as of the last reading.
    private(set) var failed: [FailedFile] = []
    /// Files that define a graph of another file.
    var doubles: Set<String> = []
    /// The digests of these files, by path.
    var knownTexts: [String: KnownText] = [:]
    /// The running reload, and the requests for another one after it.
    private(set) var reloading: Reloading?
    private(set) var requests: [(isDryRun: Bool, done: (ReloadReport) -> Void)] = []
    private var watch: FolderWatch?

    init(
        _ configuration: Configuration,
        _ clients: Clients,
        _ turns: Turns,
        _ queue: DefinitionQueue,
        _ credentials: Credentials,
        _ log: Logger
    ) {
        (self.configuration, self.clients, self.turns) = (configuration, clients, turns)
        (self.queue, self.credentials, self.log) = (queue, credentials, log)
    }

    var host: Host { clients.host }

    // MARK: - Starting and stopping

    /// Restores what is stored, and reads all files.
    ///
    /// A file with problems does not keep the server from starting, unless the configuration is
    /// strict: its graph is served by the stored definition if there is one.
    func load() throws(StartFailure) {
        try restore()
        let reading = Reloading(self, ReloadReport()) { _ in }
        reading.run()
        let problems = reading.report.problems
        // What is stored cannot be read, or there is no such folder.
        let isFatal = problems.contains { $0.file == nil || $0.code == "internal" }
        guard problems.isEmpty || !(isFatal || configuration.isStrict) else {
            throw StartFailure(problems)
        }
        restoreOthers()
        host.settle()
        reading.setOthersAside()
        for file in failed {
            let isServed = host[file.graph] != nil && owners[file.graph] == file.path
            log.error(
                isServed
                    ? "a graph file has problems: its graph is served by the stored definition"
                    : "a graph file has problems and is not served",
                metadata: [
                    "file": "\(file.path)", "graph": "\(file.graph)",
                    "problem": "\(file.problems[0])", "problems": "\(file.problems.count)",
                ]
            )
        }
    }

    /// Calls `onChange` whenever the folder has changed.
    func watchFolder(_ onChange: @escaping () -> Void) throws(UVError) {
        watch = try FolderWatch(configuration.graphs, on: turns.loop) { [turns] in
            turns.begin()
            onChange()
        }
    }

    /// The server stops: no reload begins or goes on.
    func stop() {
        watch = nil
        reloading = nil
        requests = []
    }

    /// Restores the graphs that clients have defined.
    ///
    /// Graphs of files are restored with their files, or if other servers have the file.
    private func restore() throws(StartFailure) {
        for stored in host.storedGraphs where stored.origin == .client || host.isShared {
            do throws(StoreError) {
                _ = try host.restore(graph: stored.name)
            } catch {
                throw StartFailure(["\(error)"])
            }
        }
    }

    /// Restores stored graphs without a file, which become orphans.
    private func restoreOthers() {
        for stored in host.storedGraphs where host.held(stored.name) == nil {
            do throws(StoreError) {
                _ = try host.restore(graph: stored.name)
            } catch {
                log.warning(
                    "a stored graph has no file any more and cannot be restored; what is stored is kept",
                    metadata: ["graph": "\(stored.name)", "why": "\(error)"]
                )
            }
        }
    }

    /// Tells the host of which graphs there are files, and reports the new orphans.
    func noteOwners() -> [LiveGraph] {
        let orphans = host.note(files: Set(owners.keys))
        report(orphans: orphans)
        return orphans
    }

    func report(orphans: [LiveGraph]) {
        for graph in orphans {
            log.warning(
                "a graph has no file any more and is not served; its values are kept until its file is back",
                metadata: ["graph": "\(graph.name)", "values": "\(graph.valueCount)"]
            )
        }
    }

    // MARK: - Reloading

    /// Reads the files again, after the problems of other files have been noted in `report`.
    ///
    /// A file with problems changes nothing. Each graph's change is one commit. The files are read
    /// and compiled on another thread, and the loop applies one graph per turn, so that no client
    /// waits longer than for the largest change, however many graphs there are.
    func reload(_ report: ReloadReport, _ done: @escaping (ReloadReport) -> Void) {
        let reloading = Reloading(self, report, done)
        self.reloading = reloading
        reloading.start()
    }

    /// Requests a reload of its own after the running one; false if none is running.
    func queue(_ done: @escaping (ReloadReport) -> Void, isDryRun: Bool) -> Bool {
        if reloading != nil { requests.append((isDryRun, done)) }
        return reloading != nil
    }

    /// A reload is finished; the next one serves all requests that came meanwhile.
    func finish(_ reloading: Reloading) {
        self.reloading = nil
        let report = reloading.report
        if !report.isDryRun { write(report) }
        reloading.done(report)
        guard let isDryRun = requests.first?.isDryRun else { return }
        let next = requests.filter { $0.isDryRun == isDryRun }
        requests.removeAll { $0.isDryRun == isDryRun }
        onRequest(isDryRun) { report in next.forEach { $0.done(report) } }
    }

    private func write(_ report: ReloadReport) {
        for problem in report.problems { log.error("not reloaded", metadata: ["problem": "\(problem)"]) }
        log.info(
            "reloaded",
            metadata: ["changes": .number(report.changes), "problems": .number(report.problems.count)]
        )
    }

    /// Reports what a file would change.
    func plan(_ definition: GraphDefinition, from path: String, _ report: inout ReloadReport) {
        guard let (entry, _) = plan(definition, path, &report) else { return }
        report.entries.append(entry)
    }

    /// What a file changes, and the graph that there is; nil: it has problems.
    private func plan(
        _ definition: GraphDefinition,
        _ path: String,
        _ report: inout ReloadReport
    ) -> (ReloadReport.Entry, LiveGraph?)? {
        let name = definition.name
        let present: LiveGraph?
        do throws(StoreError) {
            present = try host.restore(graph: name)
        } catch {
            report.problems.append(FileProblem(error.message, file: path, code: "internal", hint: error.hint))
            return nil
        }
        guard let graph = present else {
            return (ReloadReport.Entry(result: .added, graph: name, file: path), nil)
        }
        guard graph.origin == .file else {
            let message = "graph '\(name)' was defined over HTTP"
            let hint = "remove it there, or the file here"
            report.problems.append(FileProblem(message, file: path, code: "in_use", hint: hint))
            return nil
        }
        let change = graph.change(to: definition)
        let entry = ReloadReport.Entry(
            result: graph.isOrphan ? .returned : change.isEmpty ? .unchanged : .changed,
            graph: name,
            file: path,
            rev: graph.rev,
            change: change
        )
        return (entry, graph)
    }

    /// Defines or redefines one graph by its file.
    ///
    /// - Returns: the commit that the log has not answered yet; nil: there is none.
    func take(
        _ definition: GraphDefinition,
        from path: String,
        _ report: inout ReloadReport
    ) -> PendingCommit? {
        guard let (planned, graph) = plan(definition, path, &report) else { return nil }
        var entry = planned
        let submission: Submission
        if let graph {
            host.bringBack(graph)
            submission = host.redefine(graph, as: definition)
        } else {
            host.note(file: definition.name)
            submission = host.define(definition, from: .file)
        }
        var waiting: PendingCommit?
        switch submission {
        case .applied(let applied): entry.rev = applied.rev
        case .pending(let pending): waiting = pending
        case .refused(let error):
            report.problems.append(FileProblem(error, of: definition.name, in: path))
            // Its last definition stays.
            if graph != nil { owners[definition.name] = path }
            return nil
        }
        owners[definition.name] = path
        report.entries.append(entry)
        for warning in definition.warnings {
            log.warning("a graph file may mean something else", metadata: ["warning": "\(warning)"])
        }
        if let change = entry.change { warn(of: change, in: definition.name) }
        return waiting
    }

    private func warn(of change: DefinitionChange, in name: String) {
        if !change.reset.isEmpty {
            log.warning(
                "values that fail the new checks were reset",
                metadata: ["graph": "\(name)", "nodes": "\(change.reset.joined(separator: ","))"]
            )
        }
        if change.lostValues > 0 {
            log.warning(
                "values go with nodes that the file no longer defines",
                metadata: ["graph": "\(name)", "values": "\(change.lostValues)"]
            )
        }
    }

    /// Notes which files have problems, after a reading in which they seemed to define `graphs`.
    func note(_ problems: [FileProblem], of graphs: [String: String]) {
        failed = Dictionary(grouping: problems) { $0.file ?? "" }
            .compactMap { path, problems in
                graphs[path].map { FailedFile(path: path, graph: $0, problems: problems) }
            }
            .sorted { $0.path < $1.path }
    }

    /// Whether the graph still has that file's definition.
    func stands(_ known: KnownText, of path: String) -> Bool {
        owners[known.graph] == path && host[known.graph]?.definition.hash == known.definition
    }
}

/// A graph file with problems.
struct FailedFile {
    let path: String
    /// The graph that it seems to define.
    let graph: String
    let problems: [FileProblem]

    func append(to out: inout ByteBuffer) {
        out.append("{")
        out.member("graph", graph)
        out.member("file", path)
        out.member("problems", list: problems) { $0.append(to: &$1) }
        out.append("}")
    }
}

extension FileProblem {
    init(_ error: HostError, of graph: String, in file: String) {
        self.init("graph \(graph): \(error.message)", file: file, code: error.code.rawValue)
    }
}
