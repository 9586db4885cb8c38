internal import Graphs
public import Commits
public import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

/// Answers questions about graphs as they were, on any thread.
///
/// Each answer uses a host of its own, which rebuilds the graph from the nearest earlier snapshot
/// and the commits after it.
///
/// A caller sees a node only if both the graph's present rules and the rules of that time allow it.
/// So a node that is closed now is closed in the past, and a rule that was removed together with
/// its nodes still hides them. Derived nodes that no definition keeps are built when they are asked
/// for, as in the present.
public struct Past: Sendable {
    /// The most commits that one history reads, which takes some tenths of a second.
    ///
    /// The answer says where it stopped, and a client continues from there.
    static var mostCommits: UInt64 { 20_000 }

    /// What it reads.
    public let reader: any LogReader
    private let limits: SessionLimits
    private let definitions: @Sendable () -> DefinitionOptions

    /// The past in a log, under the limits of the server's own host.
    ///
    /// `definitions` is called on the thread that answers, because programs belong to their host.
    public init(
        _ reader: any LogReader,
        limits: SessionLimits,
        definitions: @escaping @Sendable () -> DefinitionOptions
    ) {
        self.reader = reader
        self.limits = limits
        self.definitions = definitions
    }

    /// Answers a question, while `isWanted` says that the client still waits.
    public func answer(_ question: PastQuestion, while isWanted: () -> Bool) -> PastAnswer {
        var question = question
        do {
            question = try placed(question)
            return try look(question, isWanted)
        } catch let error as HostError {
            return .refused(error)
        } catch {
            // The log may have been trimmed meanwhile.
            if let gone = try? gone(question) { return .refused(gone) }
            return .failed(error as? StoreError ?? StoreError("\(error)"))
        }
    }

    /// Why a question cannot be answered from what is kept; nil if it can.
    private func gone(_ question: PastQuestion) throws(StoreError) -> HostError? {
        let kept = try reader.revs(of: question.graph)
        if let kept {
            if kept.contains(question.rev) { return nil }
            if try isBeginning(question, of: kept) { return nil }
        }
        let range = kept.map { "only from rev \($0.lowerBound) to \($0.upperBound)" } ?? "at no rev"
        var error = HostError(.gone, "the past of \(question.graph) is kept \(range)")
        error.kept = kept
        return error
    }

    /// Whether the question is about a history from the graph's first commit on, so that there is
    /// no earlier state to rebuild.
    private func isBeginning(
        _ question: PastQuestion,
        of kept: ClosedRange<UInt64>
    ) throws(StoreError) -> Bool {
        guard case .history = question.subject, question.rev + 1 == kept.lowerBound else { return false }
        var isBeginning = false
        try reader.entries(of: question.graph, in: kept.lowerBound...kept.lowerBound) { (entry, _) in
            if case .define = entry.kind { isBeginning = true }
            return false
        }
        return isBeginning
    }

    /// The question about the last commit at or before its time, if it is about a time.
    ///
    /// - Throws: `gone` if what is kept begins later.
    private func placed(_ question: PastQuestion) throws -> PastQuestion {
        guard let time = question.time, let kept = try reader.revs(of: question.graph) else {
            return question
        }
        var placed = question
        let first = try reader.time(of: question.graph, at: kept.lowerBound)
        guard first <= time else {
            let oldest = CivilTime(secondsSinceEpoch: Int64(first / 1_000))
            var error = HostError(.gone, "the past of \(question.graph) is kept only since \(oldest)Z")
            error.hint = "the oldest state is that of at=@\(first), which is at=\(kept.lowerBound)"
            error.kept = kept
            throw error
        }
        // Times never fall, so the commit is found by halves.
        var (known, above) = (kept.lowerBound, min(kept.upperBound, question.present) + 1)
        while above - known > 1 {
            let middle = known + (above - known) / 2
            let isReached = try reader.time(of: question.graph, at: middle) <= time
            if isReached { known = middle } else { above = middle }
        }
        placed.rev = known
        return placed
    }

    private func look(_ question: PastQuestion, _ isWanted: () -> Bool) throws -> PastAnswer {
        if let gone = try gone(question) { throw gone }
        let host = Host(
            store: .memory(epoch: ""),
            clock: ManualHostClock(wall: 0),
            limits: limits,
            definitions: definitions()
        )
        // A graph does not hold its host.
        defer { withExtendedLifetime(host) {} }
        let graph: LiveGraph?
        if let kept = try reader.revs(of: question.graph), question.rev < kept.lowerBound {
            graph = nil
        } else {
            switch try host.restorer.look(
                at: question.graph,
                epochs: question.epochs,
                question.rev,
                from: reader,
                while: isWanted
            ) {
            case .stopped: return .stopped
            case .ended: graph = nil
            case .graph(let found): graph = found
            }
        }
        let access = question.access.received()
        switch question.subject {
        case .values(let patterns, let limit, let page, let hasFacets):
            let view = try GraphView(graph, for: access)
            return .body(try view.values(of: patterns, limit: limit, page: page, facets: hasFacets))
        case .node(let name, let hasFacets):
            return .node(PastReading(try node(name, of: graph, for: access), facets: hasFacets))
        case .picture(let format, let isLive, let surroundings):
            let view = try GraphView(graph, for: access)
            // Keeps everything that the caller may see alive while the picture is drawn.
            let living = view.nodes.map(view.graph.builder.materialise)
            return try withExtendedLifetime(living) {
                .body(try view.picture(format, live: isLive, around: surroundings))
            }
        case .explanation(let name):
            return try explanation(of: node(name, of: graph, for: access), to: access)
        case .history(let name, let limit, let hasFacets):
            let recorder = PastRecorder(of: name, for: access, facets: hasFacets, in: graph)
            return try history(limit, question, recorder, host, isWanted)
        }
    }

    private func node(
        _ name: String,
        of graph: LiveGraph?,
        for access: Access
    ) throws(HostError) -> NamedNode {
        let view = try GraphView(graph, for: access)
        return try view.node(view.graph.node(name), named: name, to: .read)
    }

    /// The live explanation, with the commits that made the values of its nodes, newest first, from
    /// the log.
    private func explanation(of node: NamedNode, to access: Access) throws -> PastAnswer {
        let graph = node.graph
        let explanation = Explanation(of: node) { access.rights(on: $0).contains(.read) }
        var commits: [(entry: LogEntry, stamp: LogStamp)] = []
        let kept = try reader.revs(of: graph.name)
        for rev in explanation.revs.sorted(by: >) where kept?.contains(rev) == true {
            try reader.entries(of: graph.name, in: rev...rev) { (entry, stamp) in
                commits.append((entry, stamp))
                return true
            }
        }
        var buffer = ByteBuffer()
        explanation.append(to: &buffer) { buffer in
            buffer.append(",\"commits\":")
            buffer.append(list: commits) { commit, buffer in
                commit.entry.append(at: commit.stamp, to: &buffer) { name in
                    graph.node(name).map { access.rights(on: $0).contains(.read) } ?? false
                }
            }
        }
        return .body(Array(buffer.bytes))
    }

    /// The emissions of a node after the commit of the question, found by replaying later commits.
    private func history(
        _ limit: Int,
        _ question: PastQuestion,
        _ recorder: PastRecorder,
        _ host: Host,
        _ isWanted: () -> Bool
    ) throws -> PastAnswer {
        let end = min(question.present, question.rev + Self.mostCommits)
        var graph = host[question.graph]
        var (reached, isStopped) = (question.rev, false)
        if question.rev < end {
            let revs = question.rev + 1...end
            try host.restorer.replay(
                question.graph,
                revs,
                in: question.epochs,
                on: &graph,
                from: reader,
                preparing: recorder.prepare
            ) { (graph, entry) in
                recorder.note(entry, graph)
                reached = graph.rev
                isStopped = !isWanted()
                return !isStopped && recorder.count <= limit && recorder.bytes < limits.historyBytes
            }
        }
        guard !isStopped, let graph else { return .stopped }
        return .body(
            HistoryAnswer(in: graph).json(
                recorder.ring(since: question.rev),
                recorder.states,
                since: question.rev,
                limit: limit,
                rev: question.present,
                end: reached < question.present ? reached : nil
            )
        )
    }
}
