internal import Support

/// What the members of a group emitted in one commit, in mode `all`: each member once.
///
/// A member that emits again in the same commit begins a further emission.
final class GroupEmission {
    let commit: CommitInfo
    /// How many nodes the patterns mean besides the members, where that changed.
    var more: Int?
    private var members: [(name: String, value: Datum?, isGone: Bool)] = []

    init(_ commit: CommitInfo) {
        self.commit = commit
    }

    /// How much it takes of its subscription's bounds.
    var size: (count: Int, bytes: Int) {
        let extra = more == nil ? 0 : 1
        let bytes = members.reduce(0) { $0 + ($1.value?.byteCount ?? 12) }
        return (members.count + extra, bytes + 12 * extra)
    }

    func append(_ name: String, _ value: Datum?, isGone: Bool) {
        members.append((name, value, isGone))
    }

    /// Appends `{"id":…,"m":{…}}`.
    func append(id: UInt64, to buffer: inout ByteBuffer) {
        buffer.append("{\"id\":")
        buffer.append(decimal: id)
        buffer.append(",\"m\":{")
        buffer.append(separated: members) { member, buffer in
            GroupSubscription.append(member.name, member.value, isGone: member.isGone, to: &buffer)
        }
        buffer.append("}")
        if let more {
            buffer.append(",\"more\":")
            buffer.append(decimal: more)
        }
        buffer.append("}")
    }
}
