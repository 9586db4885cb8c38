internal import ReactiveGraph

// What the log tells: commits that were pending or made elsewhere, its health, and histories that broke off.
extension Host: CommitLogFollower {
    public func log(committed ticket: UInt64, at stamp: LogStamp) {
        onLog()
        let pending = waiting.take(ticket)
        pending.commit.graph.settle(pending)
        let applied = apply(pending.commit, stamp)
        pending.answer(.success(applied))
        submitDeferred(behind: pending.commit)
    }

    public func log(refused ticket: UInt64, because error: HostError) {
        onLog()
        let pending = waiting.take(ticket)
        let graph = pending.commit.graph
        graph.settle(pending)
        switch pending.commit.kind {
        case .define: forget(graph)
        case .tick: graph.tickFailed(at: clock.wall)
        case .values, .redefine, .remove: break
        }
        pending.answer(.failure(told(error)))
        submitDeferred(behind: pending.commit)
    }

    public func log(received entry: LogEntry, at stamp: LogStamp) {
        onLog()
        do {
            guard let graph = known(entry.graph) else {
                _ = try begin(stored: entry, at: stamp, epoch: position(of: entry.graph).epoch)
                return
            }
            // What was applied already comes again after a lost connection.
            if stamp.rev > graph.rev { try apply(stored: entry, at: stamp, to: graph) }
        } catch {
            _ = fault("the log: \(error)")
        }
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
        let present = log?.health ?? .ready
        guard present != health else { return }
        onLog()
        let wasStale = isStale
        health = present
        healthChangedAt = clock.now
        for graph in known { graph.judge() }
        guard isStale != wasStale else { return }
        // A socket on which values flow hears no heartbeat for a long time.
        for session in sessions.all { session.heartbeat() }
    }

    public func log(lostEpochOf name: String) {
        guard let former = known(name) else { return }
        onLog()
        precondition(former.pending == 0, "the log answers what is pending before it begins another epoch")
        keys.forget(graph: name)
        // The new one is found before the old one's clients hear that theirs has ended.
        forget(former)
        switch define(former.definition, from: former.origin) {
        case .pending(let pending): pending.onAnswer { _ in former.end(.epochLost) }
        case .applied: former.end(.epochLost)
        case .refused(let error):
            _ = fault("graph \(name) has no new epoch: \(error.message)")
            former.end(.epochLost)
        }
    }

    /// Whether what graphs show may be behind what is stored.
    var isStale: Bool { health == .catchingUp || health == .outOfReach }

    /// What is answered where no graph of a name is found: `unknown_graph`, or `not_ready` while the log is catching up.
    public var noGraph: HostError {
        (isCatchingUp ? health.refusal : nil) ?? HostError(.unknownGraph, "no such graph")
    }

    /// Whether the log has not read all that is stored yet, so that nobody knows which graphs there are and what they hold.
    public var isCatchingUp: Bool { health == .catchingUp }

    /// A mistake of the server's own: the one place where `internal` comes from.
    ///
    /// - Parameter what: what went wrong, for the server's log, with all that helps to find it.
    /// - Returns: what clients are told, which is no more than where it stands in the log.
    public func fault(_ what: String) -> HostError {
        HostError(.internalError, "the server made a mistake; its log has it as \(onFault(what))")
    }

    /// What a client is told of an error of the log.
    func told(_ error: HostError) -> HostError {
        guard error.code != .internalError, HostError.Code.all.contains(error.code) else {
            return fault("the log: \(error.code.rawValue): \(error.message)")
        }
        return error
    }
}
