public import Commits
internal import Definitions
internal import ReactiveGraph
internal import Values

/// Builds graphs of the log: from a snapshot and the commits after it, at the start, while other
/// servers write them, and as they were in the past.
package struct GraphRestorer {
    let host: Host

    /// Restores the idempotency keys with which a graph was changed before the start.
    func restoreKeys(of graph: LiveGraph, from reader: any LogReader) throws(StoreError) {
        // Their age is counted on the clock that has stamped them.
        let time = graph.stampTime
        let since = time > IdempotencyKeys.lifetime ? time - IdempotencyKeys.lifetime : 0
        for key in try reader.keys(of: graph.name, since: since) {
            host.submissions.keys.restore(key, of: graph, now: host.clock.now, time: time)
        }
    }

    /// Rebuilds a graph as it was right after the commit `rev`.
    ///
    /// - Throws: ``StoreError`` if something is missing or damaged; then the graph is not in the
    ///   host.
    func rebuild(
        _ name: String,
        epochs: Epochs,
        at rev: UInt64,
        from reader: any LogReader
    ) throws(StoreError) -> LiveGraph {
        let found = try look(at: name, epochs: epochs, rev, from: reader) { true }
        if case .graph(let graph) = found { return graph }
        throw StoreError("the log of graph \(name) ends at rev \(rev)")
    }

    /// The result of looking for a graph's past state.
    package enum Found {
        /// The graph, which is in the host.
        case graph(LiveGraph)
        /// That commit ended the graph.
        case ended
        /// The caller cancelled.
        case stopped
    }

    /// Does what ``rebuild(_:epochs:at:from:)`` does while `isWanted` returns true.
    package func look(
        at name: String,
        epochs: Epochs,
        _ rev: UInt64,
        from reader: any LogReader,
        while isWanted: () -> Bool
    ) throws(StoreError) -> Found {
        var graph: LiveGraph?
        do throws(StoreError) {
            let snapshot = try reader.snapshot(of: name, notAfter: rev)
            if let snapshot { graph = try restore(snapshot, of: name, epochs: epochs) }
            let first = (snapshot?.stamp.rev ?? 0) + 1
            var isStopped = false
            if first <= rev {
                try replay(name, first...rev, in: epochs, on: &graph, from: reader) { (_, _) in
                    isStopped = !isWanted()
                    return !isStopped
                }
            }
            if isStopped { return .stopped }
            if let graph, graph.rev == rev { return graph.isLive ? .graph(graph) : .ended }
            let found = graph.map { "ends at rev \($0.rev)" } ?? "is missing"
            throw StoreError("the log of graph \(name) \(found); it should reach rev \(rev)")
        } catch {
            if let graph, graph.isLive { graph.end(.removed) }
            throw error
        }
    }

    /// Applies the stored commits of `revs` to a graph until `visit` returns false.
    ///
    /// The commits may end the graph and define it again; if `graph` is nil, the first one defines
    /// it. `prepare` is called before each commit except the first of a graph, `visit` after each
    /// commit.
    ///
    /// - Throws: ``StoreError`` if the stored data is damaged or unusable.
    package func replay(
        _ name: String,
        _ revs: ClosedRange<UInt64>,
        in epochs: Epochs,
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
                present = try begin(stored: entry, at: stamp, epochs: epochs)
                graph = present
            }
            // A replay may have as many commits as it likes, and ends no turn.
            host.forgetLeftovers()
            return try visit(present, entry)
        }
    }

    /// Applies a stored commit as it was applied originally, to the graph right before it.
    ///
    /// - Throws: ``StoreError`` if the commit does not fit the graph.
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
        _ = host.apply(commit, stamp)
    }

    /// Creates a graph from its stored first commit.
    package func begin(
        stored entry: LogEntry,
        at stamp: LogStamp,
        epochs: Epochs
    ) throws(StoreError) -> LiveGraph {
        guard case .define(let text, let origin) = entry.kind else {
            throw StoreError("the log of graph \(entry.graph) does not begin with its definition")
        }
        let definition = try storedDefinition(of: entry.graph, text)
        do throws(HostError) {
            try host.checkRoom(for: definition)
        } catch {
            throw StoreError("graph \(entry.graph): \(error.message)")
        }
        let position = LogPosition(epochs, rev: stamp.rev - 1, time: stamp.time)
        let graph = LiveGraph(definition, origin, host: host, position: position)
        host.add(graph)
        _ = host.apply(Commit(.define, of: graph), stamp)
        return graph
    }

    /// Clears the values that represent sessions of servers that are gone, or of earlier starts.
    func clearAbandoned(in graph: LiveGraph, by isGone: (_ claimer: String) -> Bool) {
        let claims = (graph.nodes + graph.members.living).filter { node in
            guard let claimer = node.writer?.claimer, node.source?.isEmpty == false else { return false }
            return isGone(claimer)
        }
        host.presences.clear(claims.map { Presence(node: $0, rev: $0.changed.rev) }, by: nil)
    }

    // MARK: - Snapshots

    /// Restores a graph as it was when ``SavedGraph/save()`` was called, at its rev and time.
    ///
    /// It emits nothing and makes no commit. Later commits are applied with
    /// ``apply(stored:at:to:preparing:)``. To give the graph another definition, make a commit
    /// (``Host/redefine(_:as:from:ifHash:by:)``).
    ///
    /// - Throws: ``StoreError`` if the bytes are not a saved graph of a known version, or this
    ///   server refuses the definition. The host is unchanged then.
    func restore(_ saved: [UInt8], epochs: Epochs) throws(StoreError) -> LiveGraph {
        let versions = SavedGraph.firstVersion...SavedGraph.version
        guard let version = saved.first, versions.contains(version) else {
            let found = saved.first.map { "has format \($0)" } ?? "is empty"
            throw StoreError(
                "a snapshot \(found); this server reads formats \(versions.lowerBound) to \(versions.upperBound)"
            )
        }
        let reader = StateReader(saved.dropFirst(), decode: Datum.restore)
        do {
            // In the first format what it says of followers is rarely true.
            if version == SavedGraph.firstVersion,
                let graph = try? restore(reader, epochs, format: version, distrusting: true)
            {
                return graph
            }
            return try restore(reader, epochs, format: version)
        } catch let error as StoreError {
            throw error
        } catch let error as JSONError {
            throw StoreError("a snapshot is damaged: \(error.message)")
        } catch {
            throw StoreError("a snapshot is damaged: \(error)")
        }
    }

    /// Restores the graph of a stored snapshot.
    ///
    /// - Throws: ``StoreError`` as above, and if it is another graph, or of another rev.
    func restore(_ snapshot: GraphSnapshot, of name: String, epochs: Epochs) throws(StoreError) -> LiveGraph {
        let graph = try restore(snapshot.state, epochs: epochs)
        guard graph.name == name, graph.rev == snapshot.stamp.rev else {
            host.forget(graph)
            throw StoreError(
                "the snapshot of graph \(name) at rev \(snapshot.stamp.rev) has graph \(graph.name) at rev \(graph.rev)"
            )
        }
        return graph
    }

    private func restore(
        _ saved: StateReader,
        _ epochs: Epochs,
        format: UInt8,
        distrusting: Bool = false
    ) throws -> LiveGraph {
        var reader = saved
        let definition = try storedDefinition(of: try reader.text(), try reader.text())
        guard let origin = DefinitionOrigin(rawValue: UInt8(try reader.integer(in: 0...255))) else {
            throw StateError.malformed
        }
        do throws(HostError) {
            try host.checkRoom(for: definition)
        } catch {
            throw StoreError("graph \(definition.name): \(error.message)")
        }
        let stamp = try reader.stamp()
        guard stamp.rev > 0 else { throw StateError.malformed }
        let position = LogPosition(epochs, rev: stamp.rev, time: stamp.time)
        let graph = LiveGraph(definition, origin, host: host, position: position)
        do {
            try SavedGraph(graph: graph, format: format).restore(from: &reader, distrusting: distrusting)
        } catch {
            graph.end(.removed)
            throw error
        }
        host.add(graph)
        graph.open()
        graph.audit()
        return graph
    }

    /// A stored definition, which was checked when it was stored.
    func storedDefinition(of name: String, _ text: String) throws(StoreError) -> GraphDefinition {
        let problem: DefinitionProblem?
        var options = host.definitions
        options.refusesMismatches = false
        do throws(DefinitionProblem) {
            let document = try Document.parse(json: text)
            let (definition, problems) = GraphDefinition.read(
                document,
                file: nil,
                named: name,
                options: options
            )
            if let definition { return definition }
            problem = problems.first
        } catch {
            problem = error
        }
        throw StoreError(
            "the stored definition of graph \(name) cannot be used: \(problem?.message ?? "")",
            hint: "limits that were lowered since may refuse it"
        )
    }
}

extension Host {
    public var logStatistics: LogStatistics? { log?.statistics }

    /// Reads the past; nil without a log.
    public var reader: (any LogReader)? { log?.reader }

    /// The graphs in the log, by name, whether or not they were restored.
    public var storedGraphs: [StoredGraph] { log?.graphs ?? [] }

    /// The graph with that name, also if it is an orphan.
    ///
    /// If it is only stored, it is restored from its newest snapshot and the commits after it.
    ///
    /// Values that represent a session (`"presence": true`) are cleared by a commit, because no
    /// session survives a start.
    ///
    /// - Returns: the graph; nil if neither the host nor the log has it.
    /// - Throws: ``StoreError`` if the stored data is damaged or unusable. Then there is no such
    ///   graph.
    public func restore(graph name: String) throws(StoreError) -> LiveGraph? {
        if let graph = held(name) { return graph }
        guard let log, table[name] == nil, log.graphs.contains(where: { $0.name == name }) else {
            return nil
        }
        let position: LogPosition
        do throws(HostError) {
            position = try log.open(graph: name)
        } catch {
            throw StoreError("graph \(name): \(error.message)")
        }
        let graph = try restorer.rebuild(name, epochs: position.epochs, at: position.rev, from: log.reader)
        try restorer.restoreKeys(of: graph, from: log.reader)
        // If other servers may be running, the log reports which ones are gone.
        if !log.isShared { restorer.clearAbandoned(in: graph) { _ in true } }
        return graph
    }

    /// Builds graphs from what is stored.
    package var restorer: GraphRestorer { GraphRestorer(host: self) }
}
