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
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{\"graph\":")
        buffer.append(json: graph.name)
        if let title = graph.definition.title {
            buffer.append(",\"title\":")
            buffer.append(json: title)
        }
        Answer.appendCursor(of: graph, to: &buffer)
        buffer.append(",\"nodes\":")
        buffer.append(decimal: access.countReadable(graph))
        buffer.append(",\"listeners\":")
        buffer.append(decimal: graph.subscriptions)
        buffer.append(",\"definition\":")
        buffer.append(json: graph.definition.hash)
        appendAlarms(to: &buffer)
        buffer.append("}")
    }

    /// The most raised alarms that it names.
    static let mostAlarms = 20
    /// The most stale values that it names.
    static let mostStale = 100

    /// Appends
    /// `,"alarms":[{"node":"alarm","severity":"alarm","title":"Alarm","v":"frost"}],"stale":["indoor_c"]`;
    /// nothing if all is well.
    ///
    /// `"missed":["old_name"]` names nodes that the definition no longer has and clients still set.
    /// The most urgent come first. At most ``mostAlarms`` and ``mostStale`` are named; if there are
    /// more, `alarmCount` and `staleCount` give the total.
    package func appendAlarms(to buffer: inout ByteBuffer) {
        let alarms = graph.alarmNodes
        graph.host.work += UInt64(alarms.count)
        let raised = alarms.filter { $0.raised != nil && access.rights(on: $0).contains(.read) }
        if !raised.isEmpty {
            let urgent = raised.sorted { ($0.raised?.rank ?? 0) > ($1.raised?.rank ?? 0) }
            buffer.append(",\"alarms\":")
            buffer.append(list: Array(urgent.prefix(Self.mostAlarms))) { $0.appendAlarm(to: &$1) }
            buffer.append(count: ",\"alarmCount\":", raised.count, over: Self.mostAlarms)
        }
        let stale = graph.facets.staleNodes.filter { access.rights(on: $0).contains(.read) }
        if !stale.isEmpty {
            let names = stale.map(\.name).sorted()
            buffer.append(",\"stale\":")
            buffer.append(list: Array(names.prefix(Self.mostStale))) { $1.append(json: $0) }
            buffer.append(count: ",\"staleCount\":", names.count, over: Self.mostStale)
        }
        let missed = graph.removedInputs.missed
        if !missed.isEmpty, access.observes(graph) {
            buffer.append(",\"missed\":")
            buffer.append(list: Array(missed.prefix(Self.mostAlarms))) { $1.append(json: $0) }
        }
    }
}

extension NamedNode {
    fileprivate func appendAlarm(to buffer: inout ByteBuffer) {
        buffer.append("{\"node\":")
        buffer.append(json: name)
        buffer.append(",\"severity\":")
        buffer.append(json: raised?.rawValue ?? "")
        if let title = definition.title {
            buffer.append(",\"title\":")
            buffer.append(json: title)
        }
        buffer.append(",")
        Subscription.append(living?.value, to: &buffer)
        buffer.append("}")
    }
}

extension ByteBuffer {
    /// Appends the total, if not all are named.
    fileprivate mutating func append(count member: StaticString, _ count: Int, over most: Int) {
        guard count > most else { return }
        append(member)
        append(decimal: count)
    }
}
