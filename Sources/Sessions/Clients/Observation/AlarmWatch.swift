internal import Graphs
internal import Commits
internal import Definitions
internal import ReactiveGraph
internal import Support

/// Notifies clients that follow the list of graphs when something begins or ends to call for
/// attention.
///
/// They receive the names of these graphs, and ask for the list again (docs/protocol.md, `list`
/// with `changes`).
///
/// It holds no node and costs nothing until a client follows the list. Then the nodes with a
/// `severity` of a graph are looked at after its commits, at most every ``interval``.
final class AlarmWatch {
    /// Milliseconds between two looks at least.
    static let interval: UInt64 = 250

    private struct Follower {
        weak var session: Session?
        let id: UInt64
        /// The graphs of which it does not know yet: its connection was full.
        var owed: Set<String> = []
    }

    /// What a graph was like when it was looked at.
    private struct Known {
        let position: LogPosition
        let raised: [String: Alarm.Severity]
    }

    /// Nodes of a graph that are raised now or are not any more.
    private typealias Change = (graph: LiveGraph, nodes: [NamedNode])

    private unowned let clients: Clients
    private var host: Host { clients.host }
    private lazy var timer = Timer { [unowned self] in
        look()
        return nil
    }
    private var followers: [Follower] = []
    /// By name: another graph may have the address of one that is gone.
    private var known: [String: Known] = [:]
    private var lookedAt: UInt64 = 0

    init(_ clients: Clients) { self.clients = clients }

    /// A session asked for the list and for its changes; this replaces its earlier request.
    func add(_ session: Session, id: UInt64) {
        followers.removeAll { $0.session === session }
        // What has changed until now is in the answer.
        notify(of: findChanges())
        followers.append(Follower(session: session, id: id))
    }

    @inline(__always)
    func noteCommit() {
        if !timer.isRunning { schedule(after: 0) }
    }

    private func schedule(after pause: UInt64) {
        host.timers.set(timer, due: max(host.clock.now + pause, lookedAt + Self.interval))
    }

    private func look() {
        followers.removeAll { $0.session?.isClosed != false }
        guard !followers.isEmpty else {
            clients.alarmWatch = nil
            return
        }
        notify(of: findChanges())
    }

    /// Looks at the graphs with commits since the last look.
    private func findChanges() -> [Change] {
        lookedAt = host.clock.now
        var present: [String: Known] = [:]
        var changes: [Change] = []
        for graph in host.graphs {
            let former = known[graph.name]
            if let former, former.position == graph.position {
                present[graph.name] = former
                continue
            }
            let nodes = graph.alarmNodes
            guard !nodes.isEmpty else { continue }
            host.work += UInt64(nodes.count)
            var raised: [String: Alarm.Severity] = [:]
            for node in nodes { if let severity = node.raised { raised[node.name] = severity } }
            present[graph.name] = Known(position: graph.position, raised: raised)
            let others = nodes.filter { raised[$0.name] != former?.raised[$0.name] }
            if !others.isEmpty { changes.append((graph, others)) }
        }
        known = present
        return changes
    }

    private func notify(of changes: [Change]) {
        for place in followers.indices { notify(&followers[place], of: changes) }
        if followers.contains(where: { !$0.owed.isEmpty }) { schedule(after: Self.interval) }
    }

    /// What it may know, when its connection has room for it.
    private func notify(_ follower: inout Follower, of changes: [Change]) {
        guard let session = follower.session, let access = session.access else { return }
        for (graph, nodes) in changes where nodes.contains(where: { access.rights(on: $0).contains(.read) }) {
            follower.owed.insert(graph.name)
        }
        guard !follower.owed.isEmpty, session.hasRoom else { return }
        let names = follower.owed.sorted()
        follower.owed = []
        session.answer(id: nil, bytes: 0) { [id = follower.id] buffer in
            Answer.begin("changes", id: id, to: &buffer)
            buffer.member("graphs", list: names) { $1.append(json: $0) }
            buffer.append("}")
        }
    }
}
