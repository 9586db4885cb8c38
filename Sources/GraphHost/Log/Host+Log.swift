internal import ReactiveGraph
internal import Support

// The log's reports: answers to pending commits, commits of other servers, health, and lost
// histories.
extension Host: CommitLogFollower {
    public func log(committed ticket: UInt64, at stamp: LogStamp) {
        hear()
        let pending = take(ticket)
        appliedCount &+= 1
        lateCommits.append(pending.submitted)
        let applied = apply(pending.commit, stamp)
        pending.answer(.success(applied))
        submitDeferred(behind: pending.commit)
    }

    public func log(refused ticket: UInt64, because error: HostError) {
        hear()
        let pending = take(ticket)
        let graph = pending.commit.graph
        switch pending.commit.kind {
        case .define: forget(graph)
        case .tick: graph.tickFailed(at: clock.wall)
        case .expire: graph.isExpiring = false
        case .values, .redefine, .remove, .drop: break
        }
        pending.answer(.failure(told(error)))
        submitDeferred(behind: pending.commit)
    }

    public func log(moved ticket: UInt64) {
        hear()
        let pending = take(ticket)
        let graph = pending.commit.graph
        switch pending.commit.kind {
        case .values, .drop: moved.append(pending)
        case .expire: graph.isExpiring = false
        case .tick: graph.tickFailed(at: clock.wall)
        case .define:
            forget(graph)
            pending.answer(.failure(HostError(.inUse, "a graph named \(graph.name) exists")))
        case .redefine, .remove: pending.answer(.failure(Self.isChanging))
        }
        submitDeferred(behind: pending.commit)
    }

    public func log(confirmed ticket: UInt64) {
        hear()
        let pending = take(ticket)
        pending.answer(
            .failure(pending.refusal ?? fault("the log confirms a commit without a pending question"))
        )
    }

    public func log(repeated ticket: UInt64, of key: StoredKey) {
        hear()
        let pending = take(ticket)
        let graph = pending.commit.graph
        guard key.key.digest == pending.commit.digest else {
            return pending.answer(.failure(IdempotencyKeys.isReused))
        }
        pending.answer(.success(key.answer(in: graph.epoch)))
    }

    public func log(received entry: LogEntry, at stamp: LogStamp) -> Bool {
        hear()
        do {
            guard let graph = known(entry.graph), graph.isLive else {
                // Another server defined it first; the pending definition here will be answered
                // accordingly.
                known(entry.graph).map { forget($0) }
                _ = try begin(stored: entry, at: stamp, epoch: position(of: entry.graph).epoch)
                return true
            }
            // Commits that were already applied are reported again after a lost connection.
            if stamp.rev > graph.rev { try apply(stored: entry, at: stamp, to: graph) }
            return true
        } catch {
            _ = fault("the log: \(error)")
            return false
        }
    }

    public func log(reload name: String, at position: LogPosition, from reader: any LogReader) -> Bool {
        hear()
        var isBuilt = true
        keys.forget(graph: name)
        let former = known(name)
        // The new graph is registered before the old one's clients learn that it has ended, so that
        // they find it.
        if let former { forget(former) }
        do throws(StoreError) {
            if position.rev > 0 {
                _ = try look(at: name, epoch: position.epoch, position.rev, from: reader) { true }
            }
        } catch {
            _ = fault("graph \(name) cannot be rebuilt: \(error)")
            isBuilt = false
        }
        unbuilt.removeAll { $0 == name }
        if !isBuilt {
            unbuilt.append(name)
            unbuilt.sort()
        }
        former?.end(.epochLost)
        guard let graph = self[name] else { return isBuilt }
        // Clients may have seen other values under this rev.
        graph.resumesFrom = graph.rev + 1
        // Sessions refer only to the nodes of the former graph.
        clearAbandoned(in: graph) { $0 == instance }
        return isBuilt
    }

    public func log(lost instances: [String]) {
        hear()
        let lost = Set(instances)
        for graph in graphs { clearAbandoned(in: graph) { lost.contains($0) } }
    }

    public func digest(of name: String, passing revs: ClosedRange<UInt64>) -> String? {
        guard let graph = self[name], graph.rev == revs.upperBound else { return nil }
        // It looks at every node: the more there are, the less often.
        let interval = UInt64((graph.nodes.count + graph.livingMembers) / 1_000 + 1) * 1_000
        return revs.upperBound / interval > (revs.lowerBound - 1) / interval ? graph.digest : nil
    }

    public func snapshot(of name: String) -> GraphSnapshot? {
        guard let graph = self[name] else { return nil }
        do {
            return GraphSnapshot(LogStamp(rev: graph.rev, time: graph.time), try graph.save())
        } catch {
            _ = fault("graph \(name) cannot be saved: \(error)")
            return nil
        }
    }

    public func logHealthChanged() {
        hear()
        let present = log?.health ?? .ready
        guard present != health else { return }
        let wasStale = isStale
        health = present
        healthChangedAt = clock.now
        for graph in known { graph.judge() }
        guard isStale != wasStale else { return }
        // A socket on which values are sent gets no heartbeat for a long time.
        for session in sessions.all { session.heartbeat() }
    }

    /// Called at the start of each report of the log.
    private func hear() {
        onLog()
        // Commits checked before this report must be handed over first, marked with the rev of
        // their check.
        if log?.isShared == true { handOver() }
    }

    /// Removes the pending commit that the log answers.
    private func take(_ ticket: UInt64) -> PendingCommit {
        let pending = waiting.take(ticket)
        if pending.refusal == nil { pending.commit.graph.settle(pending) }
        return pending
    }

    /// Whether the graphs may be older than the store.
    var isStale: Bool { health == .catchingUp || health == .outOfReach }

    /// The error for a graph that is not found: `unknown_graph`, or `not_ready` while the log is
    /// catching up.
    public var noGraph: HostError {
        (isCatchingUp ? health.refusal : nil) ?? HostError(.unknownGraph, "no such graph")
    }

    /// Whether the log has not read everything that is stored yet, so that the graphs and their
    /// values are not known.
    public var isCatchingUp: Bool { health == .catchingUp }

    /// Reports an internal fault.
    ///
    /// Every `internal` error is made here.
    ///
    /// - Parameter what: what went wrong, with details for the server's log.
    /// - Returns: the error for the client, which only refers to the log.
    public func fault(_ what: String) -> HostError {
        HostError(.internalError, "the server has a fault; its log has the details under \(onFault(what))")
    }

    /// The error of the log in the form for clients.
    func told(_ error: HostError) -> HostError {
        guard error.code != .internalError, ErrorTable.knows(error.code.rawValue) else {
            return fault("the log: \(error.code.rawValue): \(error.message)")
        }
        return error
    }
}
