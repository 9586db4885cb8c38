internal import Commits
internal import Values

/// Handles the log's reports: answers to pending commits, commits of other servers, health, and
/// lost histories.
final class LogReports: CommitLogFollower {
    private unowned var owner: Host?
    /// The host, which outlives its reports.
    var host: Host { owner! }
    let log: any CommitLog
    /// The log's health, as last reported.
    private(set) var health: LogHealth

    init(_ log: any CommitLog) {
        self.log = log
        health = log.health
    }

    /// The host has been made.
    func begin(in host: Host) {
        owner = host
        log.follower = self
        log.demand?.follower = self
    }

    func log(committed ticket: UInt64, at stamp: LogStamp) {
        begin()
        host.submissions.commit(ticket, at: stamp)
    }

    func log(refused ticket: UInt64, because error: HostError) {
        begin()
        host.submissions.refuse(ticket, because: error)
    }

    func log(moved ticket: UInt64) {
        begin()
        host.submissions.move(ticket)
    }

    func log(confirmed ticket: UInt64) {
        begin()
        host.submissions.confirm(ticket)
    }

    func log(repeated ticket: UInt64, of key: StoredKey) {
        begin()
        host.submissions.answer(ticket, repeating: key)
    }

    func log(received entry: LogEntry, at stamp: LogStamp) -> Bool {
        begin()
        do {
            guard let graph = host.table[entry.graph], graph.isLive else {
                // Another server defined it first; the pending definition here will be answered
                // accordingly.
                host.table[entry.graph].map { host.forget($0) }
                let position = try host.position(of: entry.graph)
                _ = try host.restorer.begin(stored: entry, at: stamp, epochs: position.epochs)
                return true
            }
            // Commits that were already applied are reported again after a lost connection.
            if stamp.rev > graph.rev { try host.restorer.apply(stored: entry, at: stamp, to: graph) }
            return true
        } catch {
            _ = host.fault("the log: \(error)")
            return false
        }
    }

    func log(reload name: String, at position: LogPosition, from reader: any LogReader) -> Bool {
        begin()
        var isBuilt = true
        host.submissions.keys.forget(graph: name)
        let former = host.table[name]
        // The new graph is registered before the old one's clients learn that it has ended, so that
        // they find it.
        if let former { host.forget(former) }
        do throws(StoreError) {
            if position.rev > 0 {
                let restorer = host.restorer
                _ = try restorer.look(at: name, epochs: position.epochs, position.rev, from: reader) { true }
            }
        } catch {
            _ = host.fault("graph \(name) cannot be rebuilt: \(error)")
            isBuilt = false
        }
        host.table.note(name, isBuilt: isBuilt)
        former?.end(.epochLost)
        guard let graph = host.held(name) else { return isBuilt }
        if former?.isOrphan == true { host.setAside(graph) }
        // Clients may have seen other values under this rev.
        graph.course.resumesFrom = graph.rev + 1
        // Sessions refer only to the nodes of the former graph.
        host.restorer.clearAbandoned(in: graph) { $0 == host.instance }
        return isBuilt
    }

    func log(lost instances: [String]) {
        begin()
        let lost = Set(instances)
        for graph in host.table.all where graph.isLive {
            host.restorer.clearAbandoned(in: graph) { lost.contains($0) }
        }
    }

    func digest(of name: String, passing revs: ClosedRange<UInt64>) -> String? {
        guard let graph = host.held(name), graph.rev == revs.upperBound else { return nil }
        // It looks at every node: the more there are, the less often.
        let interval = UInt64((graph.nodes.count + graph.members.livingCount) / 1_000 + 1) * 1_000
        return revs.upperBound / interval > (revs.lowerBound - 1) / interval ? graph.digest : nil
    }

    func snapshot(of name: String) -> GraphSnapshot? {
        guard let graph = host.held(name) else { return nil }
        do {
            let state = try SavedGraph(graph: graph).save()
            let history = log.keepsHistory ? HistoryChange(of: graph) : nil
            return GraphSnapshot(graph.stamp, state, history: history)
        } catch {
            _ = host.fault("graph \(name) cannot be saved: \(error)")
            return nil
        }
    }

    func log(saved name: String, at rev: UInt64) {
        guard log.keepsHistory, let graph = host.held(name) else { return }
        graph.forgetHistories(storedAt: rev)
    }

    func logFilesChanged() {
        begin()
        host.noteFilesElsewhere()
    }

    func logHealthChanged() {
        begin()
        guard log.health != health else { return }
        let wasStale = host.isStale
        health = log.health
        for graph in host.table.all { graph.judge() }
        guard host.isStale != wasStale else { return }
        host.follower?.stalenessChanged()
    }

    /// Called at the start of each report of the log.
    private func begin() {
        host.handlers.onLog()
        // Commits checked before this report must be handed over first, marked with the rev of
        // their check.
        if log.isShared { host.submissions.handOver() }
    }
}
