internal import EventLoop
internal import GraphHost
internal import Logging

/// The graphs that files define, read at the start and again while the server runs: by SIGHUP, by
/// `watch`, by `POST /v1/reload`.
final class GraphFiles {
    private unowned let server: Server
    /// Which file owns which graph; all others belong to the API.
    var owners: [String: String] = [:]
    /// The digests of these files, by path.
    var knownTexts: [String: KnownText] = [:]
    /// The running reload, and the requests for another one after it.
    private(set) var reloading: Reloading?
    private(set) var requests: [(ReloadReport) -> Void] = []
    private var watch: FolderWatch?

    init(of server: Server) {
        self.server = server
    }

    private var log: Logger { server.log }

    // MARK: - Starting and stopping

    /// Restores what is stored, and reads all files.
    func load() throws(StartFailure) {
        try restore()
        let reading = Reloading(server, ReloadReport()) { _ in }
        reading.run()
        guard reading.report.problems.isEmpty else { throw StartFailure(reading.report.problems) }
        restoreOthers()
        server.host.settle()
        _ = noteOwners()
    }

    /// Reloads whenever the folder changes.
    func watchFolder() throws(UVError) {
        watch = try FolderWatch(server.configuration.graphs, on: server.loop) { [unowned self] in
            server.beginTurn()
            server.reload(because: "watch")
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
        for stored in server.host.storedGraphs where stored.origin == .client || server.host.isShared {
            do throws(StoreError) {
                _ = try server.host.restore(graph: stored.name)
            } catch {
                throw StartFailure(["\(error)"])
            }
        }
    }

    /// Restores stored graphs without a file, which become orphans.
    private func restoreOthers() {
        for stored in server.host.storedGraphs where server.host.held(stored.name) == nil {
            do throws(StoreError) {
                _ = try server.host.restore(graph: stored.name)
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
        let orphans = server.host.note(files: Set(owners.keys))
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
        let reloading = Reloading(server, report, done)
        self.reloading = reloading
        reloading.start()
    }

    /// Requests a reload of its own after the running one; false if none is running.
    func queue(_ done: @escaping (ReloadReport) -> Void) -> Bool {
        if reloading != nil { requests.append(done) }
        return reloading != nil
    }

    /// A reload is finished; the next one serves all requests that came meanwhile.
    func finish(_ reloading: Reloading) {
        self.reloading = nil
        let report = reloading.report
        for problem in report.problems { log.error("not reloaded", metadata: ["problem": "\(problem)"]) }
        log.info(
            "reloaded",
            metadata: ["changes": .number(report.changes), "problems": .number(report.problems.count)]
        )
        reloading.done(report)
        guard !requests.isEmpty else { return }
        let requests = requests
        self.requests = []
        server.reload { report in requests.forEach { $0(report) } }
    }

    /// Defines or redefines one graph by its file.
    func take(_ definition: GraphDefinition, from path: String, _ report: inout ReloadReport) {
        let name = definition.name
        var entry = ReloadReport.Entry(result: "added", graph: name, file: path)
        let submission: Submission
        let present: LiveGraph?
        do throws(StoreError) {
            present = try server.host.restore(graph: name)
        } catch {
            report.problems.append(FileProblem(error.message, file: path, code: "internal", hint: error.hint))
            return
        }
        if let graph = present {
            guard graph.origin == .file else {
                let message = "graph '\(name)' was defined over HTTP"
                let hint = "remove it there, or the file here"
                report.problems.append(FileProblem(message, file: path, code: "in_use", hint: hint))
                return
            }
            let change = graph.change(to: definition)
            let isBack = graph.isOrphan
            server.host.bringBack(graph)
            entry = ReloadReport.Entry(
                result: isBack ? "returned" : change.isEmpty ? "unchanged" : "changed",
                graph: name,
                file: path,
                change: change
            )
            submission = server.host.redefine(graph, as: definition)
        } else {
            submission = server.host.define(definition, from: .file)
        }
        switch submission {
        case .applied(let applied): entry.rev = applied.rev
        case .pending(let pending):
            pending.onAnswer { [weak self] result in
                if case .failure(let error) = result { self?.note(error, of: definition, from: path) }
            }
        case .refused(let error):
            report.problems.append(FileProblem(error, of: name, in: path))
            return
        }
        owners[name] = path
        report.entries.append(entry)
        if let reset = entry.change?.reset, !reset.isEmpty {
            log.warning(
                "values that fail the new checks were reset",
                metadata: ["graph": "\(name)", "nodes": "\(reset.joined(separator: ","))"]
            )
        }
    }

    /// The log has refused a file's definition after the reload was reported.
    ///
    /// Servers that share the log may read the same change at the same time: then the log has taken
    /// the other server's change, and nothing is wrong.
    private func note(_ error: HostError, of definition: GraphDefinition, from path: String) {
        let name = definition.name
        guard server.host[name]?.definition.hash != definition.hash else { return }
        log.warning(
            "the definition in a file is not in force",
            metadata: ["graph": "\(name)", "file": "\(path)", "why": "\(error.message)"]
        )
    }

    /// Whether the graph still has that file's definition.
    func stands(_ known: KnownText, of path: String) -> Bool {
        owners[known.graph] == path && server.host[known.graph]?.definition.hash == known.definition
    }
}

extension FileProblem {
    init(_ error: HostError, of graph: String, in file: String) {
        self.init("graph \(graph): \(error.message)", file: file, code: error.code.rawValue)
    }
}
