public import Commits
public import Definitions
internal import Values

// Graphs that begin, change and end.
extension Host {
    /// Creates a graph: its first commit.
    ///
    /// Refused with `in_use` if a graph with that name exists, and with `too_large` at the limit of
    /// graphs. Use ``restore(graph:)`` for a graph that the log has: defining it would start it
    /// from its initial values.
    public func define(
        _ definition: GraphDefinition,
        from origin: DefinitionOrigin = .client
    ) -> Submission {
        // While the log is catching up it decides itself about a first commit.
        if health != .catchingUp, let error = health.refusal { return .refused(error) }
        do throws(HostError) {
            try checkRoom(for: definition)
            let position = try position(of: definition.name)
            let graph = LiveGraph(definition, origin, host: self, position: position)
            // Another graph with that name may have ended before the start.
            if position.rev > 0 { try restoreKeys(of: graph) }
            add(graph)
            return submissions.append(Commit(.define, of: graph))
        } catch {
            return .refused(answer(for: error))
        }
    }

    private func restoreKeys(of graph: LiveGraph) throws(HostError) {
        guard let log else { return }
        do throws(StoreError) {
            try restorer.restoreKeys(of: graph, from: log.reader)
        } catch {
            throw fault("graph \(graph.name): \(error.message)")
        }
    }

    func checkRoom(for definition: GraphDefinition) throws(HostError) {
        guard table[definition.name] == nil else {
            throw HostError(.inUse, "a graph named \(definition.name) exists")
        }
        guard definition.name == Host.ownGraph || graphs.count < limits.graphs else {
            let message = "there are \(limits.graphs) graphs, the most that are allowed (limits.graphs)"
            throw HostError(.tooLarge, message)
        }
    }

    /// The position of a graph's history before its next commit.
    func position(of name: String) throws(HostError) -> LogPosition {
        if let log { return try log.open(graph: name) }
        return table.takePosition(of: name)
    }

    /// From now on the graph is found by its name.
    func add(_ graph: LiveGraph) {
        table.add(graph)
        graph.reviseDemand()
    }

    /// Removes a graph that has ended or never started; a new one may have its name already.
    func forget(_ graph: LiveGraph) {
        graph.endDemand()
        table.remove(graph, endsAt: log == nil ? graph.position : nil)
    }

    /// Changes the definition of a running graph: unchanged nodes keep their values, state,
    /// history, listeners and edges.
    ///
    /// The change is one commit. Without a difference there is no commit, and the answer has the
    /// present rev. Without an origin, the former one stays. If `hash` is given and is not the
    /// present ``GraphDefinition/hash``, the answer is `conflict`.
    public func redefine(
        _ graph: LiveGraph,
        as definition: GraphDefinition,
        from origin: DefinitionOrigin? = nil,
        ifHash hash: String? = nil,
        by: String? = nil
    ) -> Submission {
        precondition(definition.name == graph.name, "a graph keeps its name")
        guard graph.isLive else { return .refused(.unknown(graph)) }
        guard !graph.isChanging else { return .refused(.isChanging) }
        if let hash, hash != graph.definition.hash {
            return .refused(HostError(.conflict, "the definition has changed meanwhile", rev: graph.rev))
        }
        let origin = origin ?? graph.origin
        guard definition.hash != graph.definition.hash || origin != graph.origin else {
            return .applied(Applied(epoch: graph.epoch, rev: graph.rev, time: graph.time, changed: 0))
        }
        if let error = health.refusal { return .refused(error) }
        var commit = Commit(.redefine(definition, origin), of: graph)
        commit.by = by
        let submission = submissions.append(commit)
        if case .pending = submission { graph.beginChange() }
        return submission
    }

    /// Ends a graph: its last commit.
    ///
    /// Its subscriptions end with `node_removed`.
    public func remove(_ graph: LiveGraph) -> Submission {
        guard graph.isLive else { return .refused(.unknown(graph)) }
        if let error = health.refusal { return .refused(error) }
        guard !graph.isChanging else { return .refused(.isChanging) }
        let submission = submissions.append(Commit(.remove, of: graph))
        if case .pending = submission { graph.beginChange() }
        return submission
    }
}
