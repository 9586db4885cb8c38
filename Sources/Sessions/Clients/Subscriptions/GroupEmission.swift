internal import Graphs
internal import Support
internal import Values

/// The content of one entry of a frame in mode `all`, if it is more than a value.
class WideEmission {
    /// How much of its subscription's limits it uses.
    var size: (count: Int, bytes: Int) { preconditionFailure("said by each form of it") }

    /// Appends `{"id":…,…}`.
    func append(id: UInt64, to buffer: inout ByteBuffer) { preconditionFailure("said by each form of it") }
}

/// The emissions of a group's members in one commit, in mode `all`: each member once.
///
/// A member that emits again in the same commit starts another `GroupEmission`.
final class GroupEmission: WideEmission {
    let commit: CommitInfo
    /// How many nodes match besides the members, if that changed.
    var more: Int?
    private var members: [(name: String, value: Datum?, provenance: [UInt8]?, isGone: Bool)] = []
    /// The changed facets of nodes: `"state":{…}` by name.
    private var states: [String: [UInt8]] = [:]

    init(_ commit: CommitInfo) {
        self.commit = commit
    }

    override var size: (count: Int, bytes: Int) {
        let extra = more == nil ? 0 : 1
        var bytes = members.reduce(0) { $0 + ($1.value?.byteCount ?? 12) + ($1.provenance?.count ?? 0) }
        for state in states.values { bytes += state.count }
        return (members.count + states.count + extra, bytes + 12 * extra)
    }

    func append(_ name: String, _ value: Datum?, _ provenance: [UInt8]?, isGone: Bool) {
        members.append((name, value, provenance, isGone))
    }

    /// Adds a node's facets.
    ///
    /// - Returns: how many more bytes it takes; nil if there were no facets of this node before.
    func append(_ name: String, state: [UInt8]) -> Int? {
        states.updateValue(state, forKey: name).map { state.count - $0.count }
    }

    /// Appends `{"id":…,"m":{…}}`.
    override func append(id: UInt64, to buffer: inout ByteBuffer) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",\"m\":{")
        var alone = states
        buffer.append(separated: members) { member, buffer in
            let state = alone.removeValue(forKey: member.name)
            GroupSubscription.append(
                member.name,
                member.value,
                isGone: member.isGone,
                provenance: member.provenance,
                state: state,
                to: &buffer
            )
        }
        if !members.isEmpty, !alone.isEmpty { buffer.append(",") }
        buffer.append(separated: alone.sorted { $0.key < $1.key }) { entry, buffer in
            buffer.append(json: entry.key)
            buffer.append(":{")
            buffer.append(entry.value)
            buffer.append("}")
        }
        buffer.append("}")
        if let more {
            buffer.append(",\"more\":")
            buffer.append(decimal: more)
        }
        buffer.append("}")
    }
}
