internal import GraphHost
internal import Logging

// The files of the configuration, read again while the server runs: by SIGHUP, by `watch`, by `POST /v1/reload`.
extension Server {
    /// Reads graphs, tokens and certificate again.
    ///
    /// A file that something is wrong with changes nothing: what it is about goes on as it was. Each graph's change
    /// is one commit.
    ///
    /// - Returns: what has changed, and all problems; both stand in the log too.
    @discardableResult
    public func reload() -> ReloadReport {
        beginTurn()
        var report = ReloadReport()
        report.problems += reloadCertificate() + reloadTokens()
        reloadGraphs(&report)
        for problem in report.problems { log.error("not reloaded", metadata: ["problem": "\(problem)"]) }
        log.info(
            "reloaded",
            metadata: ["changes": "\(report.changes)", "problems": "\(report.problems.count)"]
        )
        return report
    }

    /// Reads the folder of graphs again.
    func reloadGraphs(_ report: inout ReloadReport) {
        guard let files = GraphFolder.files(of: configuration.graphs, host.definitions) else {
            report.problems.append(GraphFolder.missing(configuration.graphs))
            return
        }
        var kept: Set<String> = []
        for file in files {
            report.problems += file.problems
            guard let definition = file.definition else {
                // Nobody knows what it will say: what it said last goes on.
                kept.formUnion(fileOwners.filter { $0.value == file.path }.keys)
                continue
            }
            guard kept.insert(definition.name).inserted else {
                let other = fileOwners[definition.name] ?? "another file"
                report.problems.append(GraphFolder.double(definition.name, in: file.path, and: other))
                continue
            }
            take(definition, from: file.path, &report)
        }
        for (name, path) in fileOwners.sorted(by: { $0.key < $1.key }) where !kept.contains(name) {
            fileOwners[name] = nil
            guard let graph = host[name] else { continue }
            if case .refused(let error) = host.remove(graph) {
                fileOwners[name] = path
                report.problems.append(FileProblem(error, of: name, in: path))
                continue
            }
            report.entries.append(ReloadReport.Entry(result: "removed", graph: name, file: path))
        }
    }

    /// Defines or redefines one graph as its file says.
    private func take(_ definition: GraphDefinition, from path: String, _ report: inout ReloadReport) {
        let name = definition.name
        var entry = ReloadReport.Entry(result: "added", graph: name, file: path)
        let submission: Submission
        if let graph = host[name] {
            guard fileOwners[name] != nil else {
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
            submission = host.define(definition)
        }
        switch submission {
        case .applied(let applied): entry.rev = applied.rev
        case .pending: break
        case .refused(let error):
            report.problems.append(FileProblem(error, of: name, in: path))
            return
        }
        fileOwners[name] = path
        report.entries.append(entry)
        if let reset = entry.change?.reset, !reset.isEmpty {
            log.warning(
                "values that the new checks do not pass were reset",
                metadata: ["graph": "\(name)", "nodes": "\(reset.joined(separator: ","))"]
            )
        }
    }
}

extension FileProblem {
    /// What the host said about a graph of a file.
    init(_ error: HostError, of graph: String, in file: String) {
        self.init("graph \(graph): \(error.message)", file: file, code: error.code.rawValue)
    }
}
