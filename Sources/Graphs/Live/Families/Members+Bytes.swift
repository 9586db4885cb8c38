internal import Definitions
internal import ReactiveGraph
internal import Values

// What a member holds counts for the principal that set it last (F-7): its value, the context of
// its last change, and its history.
extension Members {
    /// That principal has set or cleared a node; nothing if it is no member.
    @inline(__always)
    func weigh(_ node: NamedNode, for principal: String?) {
        guard node.family != nil else { return }
        weigh(node, graph.host.memory.members.account(of: principal))
    }

    /// A member has another history.
    func weigh(_ member: NamedNode) { weigh(member, member.payer ?? member.account) }

    private func weigh(_ member: NamedNode, _ account: MemberAccount?) {
        let host = graph.host
        let present = Self.bytes(of: member.source?.value) + Self.bytes(of: member.writer?.context)
        if member.ring != nil || member.steps != nil, let account {
            // The oldest go first, as in any history; values have the other half for themselves.
            let others = account.bytes - (account === member.payer ? Int(member.charged) : 0)
            let room = host.limits.memberBytes / 2 - others - present
            member.steps?.shrink(to: room)
            member.ring?.shrink(to: room - (member.steps?.bytes ?? 0))
        }
        host.memory.members.charge(member, present + member.historyBytes, to: account)
    }

    /// Throws if what a commit sets has more bytes than there is room for.
    func checkBytes(ofMembersIn commit: Commit) throws(HostError) {
        let account = graph.host.memory.members.account(of: commit.by)
        let context = Self.bytes(of: commit.context)
        var (new, old) = (0, 0)
        commit.set.forEach { assignment in
            let node = assignment.node
            guard node.family != nil else { return }
            new += Self.bytes(of: assignment.value) + context
            if node.payer === account { old += Int(node.charged) }
        }
        let most = graph.host.limits.memberBytes
        guard new > old, account.bytes + new - old > most else { return }
        throw HostError(
            .subLimit,
            "members hold \(account.bytes) bytes for this principal; \(most) are allowed (twice limits.held)"
        )
    }

    private static func bytes(of value: Datum?) -> Int { value?.heldBytes ?? 0 }
}
