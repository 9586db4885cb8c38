public import Graphs
internal import Commits
public import Definitions
internal import ReactiveGraph
internal import Values

extension KeptSamples {
    /// What one answer may compute, in the units of expressions: about a second of another thread.
    static var mostUnits: Int { 50_000_000 }

    /// Computes the node's past, on any thread: sets the sources to their samples, commit by
    /// commit, in a host of its own with the same limits.
    ///
    /// `definitions` must be made on this thread.
    public func answer(
        limits: SessionLimits,
        definitions: DefinitionOptions,
        while isWanted: () -> Bool
    ) -> PastAnswer {
        do {
            return try compute(limits, definitions, isWanted)
        } catch let error as HostError {
            return .refused(error)
        } catch {
            return .failed(error as? StoreError ?? StoreError("\(error)"))
        }
    }

    private func compute(
        _ limits: SessionLimits,
        _ definitions: DefinitionOptions,
        _ isWanted: () -> Bool
    ) throws -> PastAnswer {
        var options = definitions
        options.trialUnits = Self.mostUnits
        let clock = ManualHostClock(wall: 0)
        let host = Host(store: .memory(epoch: ""), clock: clock, limits: limits, definitions: options)
        // A graph does not hold its host.
        defer { withExtendedLifetime(host) {} }
        let begin = LogEntry(graph: graph, kind: .define(text: definition, .client))
        let graph = try host.restorer.begin(
            stored: begin,
            at: LogStamp(rev: 1, time: 0),
            epochs: Epochs(epoch)
        )
        var rest = samples[...]
        while let next = rest.first, next.stamp.rev <= base.rev {
            try apply(takeCommit(from: &rest), next.stamp, to: graph)
        }
        // What expressions see as `time` is that of the definition, or of the newest input.
        for (name, time) in defined { graph.node(name)?.changed = LogStamp(rev: 1, time: time) }
        let time = max(graph.time, base.time, defined.map(\.time).max() ?? 0)
        _ = host.apply(Commit(graph: graph), LogStamp(rev: base.rev, time: time))
        let recorder = PastRecorder(of: node, for: .full, facets: false, in: graph)
        var (start, first) = (start, HistoryRing.Entry?.none)
        if beginsWithBase {
            let value = graph.node(node).flatMap { graph.builder.materialise($0).value }
            // Whether the node was empty before is not known: it is only
            // reported if the client asks for it.
            if value == nil, since == nil {
                start = base.rev
            } else {
                let cause = samples.last { $0.stamp.rev == base.rev }?.cause
                first = HistoryRing.Entry(
                    stamp: base,
                    value: value,
                    cause: cause ?? Cause.of(.initial, by: nil)
                )
            }
        }
        var reached = base.rev
        while let next = rest.first, host.pipelines.total <= Self.mostUnits {
            guard isWanted() else { return .stopped }
            let commit = takeCommit(from: &rest)
            recorder.cause = commit.last?.cause
            try apply(commit, next.stamp, to: graph)
            if host.pipelines.total <= Self.mostUnits { reached = next.stamp.rev }
        }
        let isDear = host.pipelines.total > Self.mostUnits
        if isDear, reached == base.rev {
            throw HostError(
                .gone,
                "computing the past of \(node) costs more than \(Self.mostUnits) units; its definition can have a 'history'",
                node: node
            )
        }
        let end = isDear ? reached : self.end
        return .body(
            HistoryAnswer(in: graph).json(
                recorder.ring(since: start, beginningWith: first, through: end),
                since: since,
                limit: limit,
                rev: present,
                end: end < present ? end : nil
            )
        )
    }

    /// The samples of the next commit.
    private func takeCommit(from rest: inout ArraySlice<Sample>) -> ArraySlice<Sample> {
        let rev = rest.first?.stamp.rev
        let commit = rest.prefix { $0.stamp.rev == rev }
        rest = rest.dropFirst(commit.count)
        return commit
    }

    private func apply(
        _ samples: ArraySlice<Sample>,
        _ stamp: LogStamp,
        to graph: LiveGraph
    ) throws(StoreError) {
        var entry = LogEntry(graph: graph.name)
        for sample in samples {
            let name = sources[sample.source]
            if let value = sample.value {
                entry.set.append(LogEntry.Assignment(name, Array(bytes[value])))
            } else if let node = graph.node(name), node.family == nil || node.source?.isEmpty == false {
                entry.clear.append(name)
            }
        }
        _ = graph.host.apply(try Commit(entry, of: graph), stamp)
    }
}
