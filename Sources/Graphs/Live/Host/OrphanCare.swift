internal import Commits
internal import ReactiveGraph
package import Support
internal import Values

// Graphs of files that no living server has any more (docs/definitions.md, "When a file
// disappears").
//
// An orphan is not served and makes no ticks, but what it holds stays: values are only destroyed
// on request. In a shared log it still applies what other servers write.
extension Host {
    /// The orphans, in the order in which they were added.
    public var orphans: [LiveGraph] { table.all.filter { $0.isLive && $0.isOrphan } }

    /// The graph with that name, served or not.
    public func held(_ name: String) -> LiveGraph? { table[name].flatMap { $0.isLive ? $0 : nil } }

    /// Whether another living server has a file of the graph, or has not said so yet.
    public func isFiledElsewhere(_ name: String) -> Bool { log?.isFiledElsewhere(name) ?? false }

    /// Asks the other servers again of which graphs they have files; without any `done` is called
    /// at once, otherwise in a later turn.
    public func askForFiles(_ done: @escaping () -> Void) {
        guard let log else { return done() }
        log.askForFiles { [weak self] in
            self?.handlers.onLog()
            done()
        }
    }

    /// This server has a file of the graph, which it is about to define.
    public func note(file graph: String) {
        guard orphanCare.files?.insert(graph).inserted == true else { return }
        log?.files.insert(graph)
    }

    /// Stops serving a graph: its subscriptions end with `node_removed`, and its timers stop.
    func setAside(_ graph: LiveGraph) {
        guard !graph.isOrphan else { return }
        graph.setOrphaned(at: clock.now)
        graph.releases.because(.removed) { follower?.ended(graph, .removed) }
        table.setAside(graph)
        orphanCare.begin()
    }

    /// Serves an orphan again.
    public func bringBack(_ graph: LiveGraph) {
        graph.standing.looksWithoutFile = 0
        guard graph.isOrphan else { return }
        graph.setOrphaned(at: nil)
        table.bringBack(graph)
    }

    /// Removes orphans for good after so many milliseconds in which this server ran; 0: never.
    public func expireOrphans(after milliseconds: UInt64) { orphanCare.age = milliseconds }
}

/// Knows of which graphs this server has files, and removes orphans when their time is over, if the
/// configuration has one.
final class OrphanCare {
    /// Milliseconds until it tries again if this server may not remove a graph at the moment.
    private static var pause: UInt64 { 60_000 }

    /// The graphs of which this server has files; nil: it has not looked yet.
    var files: Set<String>?
    /// How many milliseconds an orphan is kept; 0: for ever.
    var age: UInt64 = 0
    private unowned let host: Host
    private lazy var timer = Timer { [unowned self] in
        removeExpired()
        return nil
    }

    init(_ host: Host) {
        self.host = host
    }

    /// A graph has become an orphan.
    func begin() {
        if age > 0, !timer.isRunning { host.timers.set(timer, due: host.clock.now + age) }
    }

    private func removeExpired() {
        let now = host.clock.now
        var next: UInt64?
        for graph in host.orphans {
            guard let since = graph.standing.orphanedAt else { continue }
            if since + age <= now { remove(graph) }
            guard graph.isLive else { continue }
            let due = max(since + age, now + Self.pause)
            next = min(next ?? due, due)
        }
        if let next { host.timers.set(timer, due: next) }
    }

    private func remove(_ graph: LiveGraph) {
        guard host.isLeading else { return }
        let (name, values, onExpired) = (graph.name, graph.valueCount, host.handlers.onExpiredOrphan)
        switch host.remove(graph) {
        case .applied: onExpired(name, values)
        case .refused: break
        case .pending(let pending):
            pending.onAnswer { result in
                if case .success = result { onExpired(name, values) }
            }
        }
    }
}

extension LiveGraph {
    /// How many values it holds: mutable nodes and members that are not empty.
    public var valueCount: Int {
        nodes.count { $0.holdsValue } + members.living.count { $0.holdsValue }
    }
}

extension NamedNode {
    /// Whether it is mutable and not empty.
    var holdsValue: Bool { source?.isEmpty == false }
}

extension Access {
    /// Appends `,"orphans":[{"graph":"home","values":12,"rev":40}]`, if the caller may see any.
    package func appendOrphans(of host: Host, to buffer: inout ByteBuffer) {
        let orphans = host.orphans.filter(sees)
        guard !orphans.isEmpty else { return }
        buffer.member("orphans", list: orphans) { graph, buffer in
            host.work += UInt64(graph.nodes.count / 16 + graph.members.livingCount / 16)
            buffer.append("{")
            buffer.member("graph", graph.name)
            buffer.member("values", graph.valueCount)
            buffer.member("rev", graph.rev)
            buffer.append("}")
        }
    }
}

extension HostError {
    /// The error for clients that use an orphan.
    static func orphaned(_ graph: LiveGraph) -> HostError {
        var error = HostError(.unknownGraph, "graph '\(graph.name)' is not served: no server has its file")
        error.hint = "put the file back, or remove the graph for good with `sluice remove`"
        return error
    }
}
