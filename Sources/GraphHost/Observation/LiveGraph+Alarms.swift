internal import ReactiveGraph
package import Support

// The alarms and stale values of a graph, for lists of graphs (docs/protocol.md, list).
extension LiveGraph {
    /// The most raised alarms that one entry of a list names.
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
    package func appendAlarms(to buffer: inout ByteBuffer, for access: Access) {
        let alarms = alarmNodes
        host.work += UInt64(alarms.count)
        let raised = alarms.filter { $0.raised != nil && access.rights(on: $0).contains(.read) }
        if !raised.isEmpty {
            let urgent = raised.sorted { ($0.raised?.rank ?? 0) > ($1.raised?.rank ?? 0) }
            buffer.append(",\"alarms\":")
            buffer.append(list: Array(urgent.prefix(Self.mostAlarms))) { $0.appendAlarm(to: &$1) }
            buffer.append(count: ",\"alarmCount\":", raised.count, over: Self.mostAlarms)
        }
        let stale = facets.staleNodes.filter { access.rights(on: $0).contains(.read) }
        if !stale.isEmpty {
            let names = stale.map(\.name).sorted()
            buffer.append(",\"stale\":")
            buffer.append(list: Array(names.prefix(Self.mostStale))) { $1.append(json: $0) }
            buffer.append(count: ",\"staleCount\":", names.count, over: Self.mostStale)
        }
        let missed = removedInputs.filter(\.value).keys.sorted()
        if !missed.isEmpty, access.observes(self) {
            buffer.append(",\"missed\":")
            buffer.append(list: Array(missed.prefix(Self.mostAlarms))) { $1.append(json: $0) }
        }
    }
}

extension LiveGraph {
    /// The most removed nodes that are remembered.
    private static var mostRemoved: Int { 1_000 }

    /// The definition has changed: mutable nodes were removed or added again.
    func noteRemoved(_ gone: [NamedNode]) {
        for name in removedInputs.keys where existing(name) != nil { removedInputs[name] = nil }
        for node in gone where node.isMutable && node.family == nil {
            guard removedInputs.count < Self.mostRemoved else { return }
            removedInputs[node.name] = false
        }
    }

    /// A client sets a node that does not exist; reported the first time after the definition
    /// removed it.
    func noteMissed(_ name: String?) {
        guard let name, removedInputs[name] == false else { return }
        removedInputs[name] = true
        host.onMissed(self.name, name)
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
