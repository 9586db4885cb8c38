internal import ReactiveGraph

// Graphs that a log has: brought back at the start, followed while others write them, and looked at as they were.

extension Host {
    /// The counters of the log; nil where nothing is kept.
    public var logStatistics: LogStatistics? { log?.statistics }

    /// What is stored, for looking back; nil where nothing is kept.
    public var reader: (any LogReader)? { log?.reader }

    /// The graphs that the log has, by name, also those that have not been brought back.
    public var storedGraphs: [StoredGraph] { log?.graphs ?? [] }

    /// The graph of that name.
    ///
    /// Where it is only stored it is brought back: from its newest snapshot, and every commit after it.
    ///
    /// Whatever stood for a session (`"presence": true`) is cleared by a commit: no session has outlived the start.
    ///
    /// - Returns: the graph; nil: there is none of that name, nor has the log one.
    /// - Throws: ``StoreError`` where what is stored is damaged or cannot be used. There is no such graph then.
    public func restore(graph name: String) throws(StoreError) -> LiveGraph? {
        if let graph = self[name] { return graph }
        guard let log, known(name) == nil, log.graphs.contains(where: { $0.name == name }) else {
            return nil
        }
        let position: LogPosition
        do throws(HostError) {
            position = try log.open(graph: name)
        } catch {
            throw StoreError("graph \(name): \(error.message)")
        }
        let graph = try rebuild(name, epoch: position.epoch, at: position.rev, from: log.reader)
        try restoreKeys(of: graph, from: log.reader)
        // Where other servers may live, it is said which are lost.
        if !log.isShared { clearAbandoned(in: graph) { _ in true } }
        return graph
    }

    /// Remembers the idempotency keys with which a graph of that name was changed before the start.
    func restoreKeys(of graph: LiveGraph, from reader: any LogReader) throws(StoreError) {
        let wall = clock.wall
        let since = wall > IdempotencyKeys.lifetime ? wall - IdempotencyKeys.lifetime : 0
        for key in try reader.keys(of: graph.name, since: since) {
            keys.restore(key, of: graph, now: clock.now, wall: wall)
        }
    }

    /// Builds a graph as it was right after the commit `rev`.
    ///
    /// - Throws: ``StoreError`` where something is missing or damaged; the graph is not in the host then.
    func rebuild(
        _ name: String,
        epoch: String,
        at rev: UInt64,
        from reader: any LogReader
    ) throws(StoreError) -> LiveGraph {
        let found = try look(at: name, epoch: epoch, rev, from: reader) { true }
        if case .graph(let graph) = found { return graph }
        throw StoreError("the log of graph \(name) has its end at rev \(rev)")
    }

    /// What is found where a graph is looked for as it was right after a commit.
    enum Found {
        /// The graph, which is in the host.
        case graph(LiveGraph)
        /// The commit had ended it.
        case ended
        /// The caller wanted it no longer.
        case stopped
    }

    /// Looks for a graph as it was right after the commit `rev`, as long as `isWanted` says so.
    ///
    /// - Throws: ``StoreError`` where something is missing or damaged; the graph is not in the host then.
    func look(
        at name: String,
        epoch: String,
        _ rev: UInt64,
        from reader: any LogReader,
        while isWanted: () -> Bool
    ) throws(StoreError) -> Found {
        var graph: LiveGraph?
        do throws(StoreError) {
            let snapshot = try reader.snapshot(of: name, notAfter: rev)
            if let snapshot { graph = try restore(snapshot.state, epoch: epoch) }
            let first = (snapshot?.stamp.rev ?? 0) + 1
            var isStopped = false
            if first <= rev {
                try replay(name, first...rev, in: epoch, on: &graph, from: reader) { (_, _) in
                    isStopped = !isWanted()
                    return !isStopped
                }
            }
            if isStopped { return .stopped }
            if let graph, graph.rev == rev { return graph.isLive ? .graph(graph) : .ended }
            let found = graph.map { "ends at rev \($0.rev)" } ?? "is missing"
            throw StoreError("the log of graph \(name) \(found); it should reach rev \(rev)")
        } catch {
            if let graph { forget(graph) }
            throw error
        }
    }

    /// Applies the stored commits of `revs` to a graph, which may end and begin again by them, until `visit` returns false.
    ///
    /// - Parameters:
    ///   - name: the graph's.
    ///   - revs: which commits.
    ///   - epoch: the history they belong to.
    ///   - graph: the graph right before them; nil: it begins with the first of them.
    ///   - reader: where they are stored.
    ///   - prepare: called before each commit but the first of a graph.
    ///   - visit: called after each commit with the graph and what was applied.
    /// - Throws: ``StoreError`` where what is stored is damaged or cannot be used.
    func replay(
        _ name: String,
        _ revs: ClosedRange<UInt64>,
        in epoch: String,
        on graph: inout LiveGraph?,
        from reader: any LogReader,
        preparing prepare: (Commit) -> Void = { _ in },
        _ visit: (LiveGraph, LogEntry) throws(StoreError) -> Bool
    ) throws(StoreError) {
        try reader.entries(of: name, in: revs) { (entry, stamp) throws(StoreError) in
            let present: LiveGraph
            if let graph, graph.isLive {
                present = graph
                try apply(stored: entry, at: stamp, to: present, preparing: prepare)
            } else {
                present = try begin(stored: entry, at: stamp, epoch: epoch)
                graph = present
            }
            return try visit(present, entry)
        }
    }

    /// Applies a commit that is stored, as it was applied first.
    ///
    /// - Parameters:
    ///   - entry: the commit.
    ///   - stamp: its number and time.
    ///   - graph: the graph, right before it.
    ///   - prepare: called before it is applied.
    /// - Throws: ``StoreError`` where the commit does not fit the graph.
    func apply(
        stored entry: LogEntry,
        at stamp: LogStamp,
        to graph: LiveGraph,
        preparing prepare: (Commit) -> Void = { _ in }
    ) throws(StoreError) {
        guard stamp.rev == graph.rev + 1 else {
            throw StoreError(
                "the log of graph \(graph.name) has rev \(stamp.rev) after rev \(graph.rev)"
            )
        }
        let commit = try Commit(entry, of: graph)
        prepare(commit)
        _ = apply(commit, stamp)
    }

    /// A graph whose first commit is stored.
    func begin(
        stored entry: LogEntry,
        at stamp: LogStamp,
        epoch: String
    ) throws(StoreError) -> LiveGraph {
        guard case .define(let text, let origin) = entry.kind else {
            throw StoreError("the log of graph \(entry.graph) does not begin with its definition")
        }
        let definition = try storedDefinition(of: entry.graph, text)
        do throws(HostError) {
            try checkRoom(for: definition)
        } catch {
            throw StoreError("graph \(entry.graph): \(error.message)")
        }
        let position = LogPosition(epoch: epoch, rev: stamp.rev - 1, time: stamp.time)
        let graph = LiveGraph(definition, origin, host: self, position: position)
        add(graph)
        var commit = Commit(graph: graph)
        commit.kind = .define
        _ = apply(commit, stamp)
        return graph
    }

    /// Clears what stands for sessions of servers that are no more, or not what they were.
    func clearAbandoned(in graph: LiveGraph, by isGone: (_ claimer: String) -> Bool) {
        let claims = (graph.nodes + graph.bornMembers).filter { node in
            guard let claimer = node.writer?.claimer, node.source?.isEmpty == false else { return false }
            return isGone(claimer)
        }
        presences.clear(claims.map { Presence(node: $0, rev: $0.changed.rev) }, by: nil)
    }
}
