package import Graphs
internal import Definitions
internal import ReactiveGraph
package import Support

/// One entry of a list of graphs (docs/protocol.md, list): what a graph is, and what calls for
/// attention.
package struct GraphSummary {
    private let graph: LiveGraph
    private let access: Access

    /// What the caller may see of a graph.
    package init(of graph: LiveGraph, for access: Access) {
        self.graph = graph
        self.access = access
    }

    /// One entry of `list` and of `GET /v1/graphs`.
    package func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        appendMembers(to: &buffer)
        buffer.append("}")
    }

    package func appendMembers(to buffer: inout ByteBuffer) {
        buffer.member("graph", graph.name)
        buffer.member("title", graph.definition.title)
        buffer.member("epoch", graph.epoch)
        buffer.member("rev", graph.rev)
        buffer.member("nodes", access.countReadable(graph))
        buffer.member("listeners", graph.clients.subscriptions)
        buffer.member("definition", graph.definition.hash)
        appendAlarms(to: &buffer)
    }

    static let mostAlarms = 20
    static let mostStale = 100

    /// Appends
    /// `,"alarms":[{"node":"alarm","severity":"alarm","title":"Alarm","v":"frost"}],"stale":["indoor_c"]`;
    /// nothing if all is well.
    ///
    /// `"missed":["old_name"]` names nodes that the definition no longer has and clients still set.
    /// The most urgent come first. At most ``mostAlarms`` and ``mostStale`` are named; if there are
    /// more, `alarmCount` and `staleCount` give the total.
    func appendAlarms(to buffer: inout ByteBuffer) {
        let alarms = graph.alarmNodes
        graph.host.work += UInt64(alarms.count)
        let raised = alarms.filter { $0.raised != nil && access.rights(on: $0).contains(.read) }
        if !raised.isEmpty {
            let urgent = raised.sorted { ($0.raised?.rank ?? 0) > ($1.raised?.rank ?? 0) }
            buffer.member("alarms", list: Array(urgent.prefix(Self.mostAlarms))) { $0.appendAlarm(to: &$1) }
            if raised.count > Self.mostAlarms { buffer.member("alarmCount", raised.count) }
        }
        let stale = graph.facets.staleNodes.filter { access.rights(on: $0).contains(.read) }
        if !stale.isEmpty {
            let names = stale.map(\.name).sorted()
            buffer.member("stale", list: Array(names.prefix(Self.mostStale))) { $1.append(json: $0) }
            if names.count > Self.mostStale { buffer.member("staleCount", names.count) }
        }
        let missed = graph.missedInputs
        if !missed.isEmpty, access.observes(graph) {
            buffer.member("missed", list: Array(missed.prefix(Self.mostAlarms))) { $1.append(json: $0) }
        }
    }
}

extension NamedNode {
    fileprivate func appendAlarm(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("node", name)
        buffer.member("severity", raised?.rawValue ?? "")
        buffer.member("title", definition.title)
        buffer.append(",")
        Subscription.append(living?.value, to: &buffer)
        buffer.append("}")
    }
}
