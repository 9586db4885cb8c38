internal import ReactiveGraph

// The end of members that were not set for too long (F-4): a commit, made by the server that makes the ticks.
extension LiveGraph {
    /// When the first member expires, in milliseconds since 1970; later where somebody needs it then.
    var nextExpiry: UInt64? { families.lazy.compactMap(\.leases.due).min() }

    /// The commit that drops what has expired by `now`; nil where nothing has.
    ///
    /// A member that somebody needs is looked at again after the time that it may hold its value.
    func expired(by now: UInt64) -> Commit? {
        guard takesExpiries, let due = nextExpiry, due <= now else { return nil }
        var commit = Commit(graph: self)
        commit.kind = .expire
        var room = Self.mostExpiring
        for family in families {
            for (lease, member) in family.leases.those(dueBy: now, atMost: room) {
                room -= 1
                if member.pending == nil, !isNeeded(member) {
                    commit.clear.append(member)
                } else {
                    family.leases.start(lease, at: now)
                }
            }
        }
        return commit.clear.isEmpty ? nil : commit
    }

    /// As many members expire in one commit at most.
    private static var mostExpiring: Int { 1_000 }

    /// Whether somebody reaches a member by its name, or through a node that is no `all`: what knows it by a glob needs no member.
    func isNeeded(_ member: NamedNode) -> Bool {
        guard let living = member.living, living.hasEdges else { return false }
        var open: [AnyNode] = [living]
        var seen: Set<UInt64> = [living.id]
        while let node = open.popLast() {
            if node.hasListener(where: { !(($0 as? GroupMember)?.isByGlob ?? false) }) { return true }
            for next in node.downstreamNodes where !(next is any Gathering) && seen.insert(next.id).inserted {
                // A declared node that is held, whoever listens.
                if let named = name(of: next), named.family == nil, named.isHeld { return true }
                open.append(next)
            }
        }
        return false
    }
}
