internal import GraphHost
internal import Logging

// Reloads the configuration's files while the server runs: by SIGHUP, by `watch`, by
// `POST /v1/reload`.
extension Server {
    /// Reloads graphs, tokens and the certificate.
    ///
    /// A file with problems changes nothing. Each graph's change is one commit. The files are read
    /// and compiled on another thread, and the loop applies one graph per turn, so that no client
    /// waits longer than for the largest change, however many graphs there are. Requests that
    /// arrive meanwhile get a reload of their own afterwards.
    ///
    /// - Parameter done: called with the changes and all problems, which are also in the log; never
    ///   before this returns.
    public func reload(_ done: @escaping (ReloadReport) -> Void = { _ in }) {
        guard reloading == nil else {
            reloadRequests.append(done)
            return
        }
        beginTurn()
        var report = ReloadReport()
        report.problems += reloadCertificate() + reloadTokens()
        let reloading = Reloading(self, report, done)
        self.reloading = reloading
        reloading.start()
    }

    /// A reload is finished; the next one serves all requests that came meanwhile.
    func finish(_ reloading: Reloading) {
        self.reloading = nil
        let report = reloading.report
        for problem in report.problems { log.error("not reloaded", metadata: ["problem": "\(problem)"]) }
        log.info(
            "reloaded",
            metadata: ["changes": "\(report.changes)", "problems": "\(report.problems.count)"]
        )
        reloading.done(report)
        guard !reloadRequests.isEmpty else { return }
        let requests = reloadRequests
        reloadRequests = []
        reload { report in requests.forEach { $0(report) } }
    }

    /// Defines or redefines one graph by its file.
    func take(_ definition: GraphDefinition, from path: String, _ report: inout ReloadReport) {
        let name = definition.name
        var entry = ReloadReport.Entry(result: "added", graph: name, file: path)
        let submission: Submission
        let present: LiveGraph?
        do throws(StoreError) {
            present = try host.restore(graph: name)
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
            entry = ReloadReport.Entry(
                result: change.isEmpty ? "unchanged" : "changed",
                graph: name,
                file: path,
                change: change
            )
            submission = host.redefine(graph, as: definition)
        } else {
            submission = host.define(definition, from: .file)
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
        fileOwners[name] = path
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
        guard host[name]?.definition.hash != definition.hash else { return }
        log.warning(
            "the definition in a file is not in force",
            metadata: ["graph": "\(name)", "file": "\(path)", "why": "\(error.message)"]
        )
    }
}

extension FileProblem {
    /// The host's error about a graph of a file.
    init(_ error: HostError, of graph: String, in file: String) {
        self.init("graph \(graph): \(error.message)", file: file, code: error.code.rawValue)
    }
}
