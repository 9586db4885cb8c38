internal import EventLoop
internal import GraphHost

/// One reading of the folder of graphs: a step for each file, then the graphs whose files are gone.
///
/// The texts are read and taken apart on another thread. Expressions are compiled on the loop's, because programs belong to
/// their host: one graph a turn, or as many small ones as make ``nodesPerTurn`` nodes. A file whose bytes are those that made
/// the graph as it is now is not even taken apart.
final class Reloading {
    /// After as many nodes others have their turn; some five milliseconds.
    static let nodesPerTurn = 250

    private(set) var report: ReloadReport
    let done: (ReloadReport) -> Void
    private unowned let server: Server
    private var timer: Timer?
    private var texts: ArraySlice<GraphFolder.Text> = []
    /// Names of graphs that stay.
    private var kept: Set<String> = []

    init(_ server: Server, _ report: ReloadReport, _ done: @escaping (ReloadReport) -> Void) {
        self.server = server
        self.report = report
        self.done = done
    }

    /// Reads and takes up everything at once: for the start, when nobody waits.
    func run() {
        take(GraphFolder.texts(of: server.configuration.graphs))
        while step() != nil {}
    }

    /// Begins; the server hears of the end by ``Server/finish(_:)``.
    func start() {
        let folder = server.configuration.graphs
        let known = server.knownTexts.filter { server.stands($0.value, of: $0.key) }.mapValues(\.digest)
        FileTask.run(on: server.loop) { () throws(UVError) in
            GraphFolder.texts(of: folder, known: known)
        } answer: { [weak self] result in
            // Who has stopped meanwhile has let go of this.
            guard let self else { return }
            take((try? result.get()) ?? nil)
            // A timer that is due at once would be called again before libuv looks at the sockets.
            timer = try? Timer(on: server.loop) { [unowned self] in goOn() }
            guard let timer else {
                // Without memory for a timer: rather all at once than never.
                while step() != nil {}
                return server.finish(self)
            }
            timer.start(after: .milliseconds(1), every: .milliseconds(1))
        }
    }

    private func take(_ texts: [GraphFolder.Text]?) {
        if let texts {
            self.texts = texts[...]
            return
        }
        report.problems.append(GraphFolder.missing(server.configuration.graphs))
        kept = Set(server.fileOwners.keys)
    }

    private func goOn() {
        server.beginTurn()
        var nodes = 0
        while nodes < Self.nodesPerTurn {
            guard let count = step() else {
                timer = nil
                return server.finish(self)
            }
            nodes += count
        }
    }

    /// Takes up the next file; nil when there is none, and all is done.
    ///
    /// - Returns: how many nodes were read, one at least.
    private func step() -> Int? {
        if let text = texts.popFirst() { return max(1, takeUp(text)) }
        removeOthers()
        return nil
    }

    /// Returns how many nodes were read.
    private func takeUp(_ text: GraphFolder.Text) -> Int {
        var text = text
        if text.document == nil, text.problems.isEmpty {
            if let known = server.knownTexts[text.path], known.digest == text.digest,
                server.stands(known, of: text.path), kept.insert(known.graph).inserted
            {
                report.keep(known.graph, of: text.path, at: server.host[known.graph]?.rev)
                return 1
            }
            // Something else has come between since it was read.
            text = GraphFolder.text(of: text.path)
        }
        let file = GraphFolder.file(text, server.host.definitions)
        report.problems += file.problems
        guard let definition = file.definition else {
            // Nobody knows what it will say: what it said last goes on.
            kept.formUnion(server.fileOwners.filter { $0.value == file.path }.keys)
            return Self.nodesPerTurn
        }
        guard kept.insert(definition.name).inserted else {
            let other = server.fileOwners[definition.name] ?? "another file"
            report.problems.append(GraphFolder.double(definition.name, in: file.path, and: other))
            return definition.nodes.count
        }
        server.take(definition, from: file.path, &report)
        if let digest = text.digest, server.fileOwners[definition.name] == file.path {
            server.knownTexts[file.path] = KnownText(
                digest: digest,
                graph: definition.name,
                definition: definition.hash
            )
        }
        return definition.nodes.count
    }

    /// Ends the graphs whose files are gone, and forgets what was in them.
    private func removeOthers() {
        for (name, path) in server.fileOwners.sorted(by: { $0.key < $1.key }) where !kept.contains(name) {
            server.fileOwners[name] = nil
            guard let graph = server.host[name] else { continue }
            if case .refused(let error) = server.host.remove(graph) {
                server.fileOwners[name] = path
                report.problems.append(FileProblem(error, of: name, in: path))
                continue
            }
            report.entries.append(ReloadReport.Entry(result: "removed", graph: name, file: path))
        }
        server.knownTexts = server.knownTexts.filter { server.fileOwners[$0.value.graph] == $0.key }
    }
}

/// A file that was taken up: by its digest it is known again.
struct KnownText {
    let digest: UInt128
    let graph: String
    /// The hash of the definition that it made.
    let definition: String
}

extension Server {
    /// Whether the graph still is what that file made of it.
    func stands(_ known: KnownText, of path: String) -> Bool {
        fileOwners[known.graph] == path && host[known.graph]?.definition.hash == known.definition
    }
}
