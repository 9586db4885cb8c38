internal import ReactiveGraph

// Expiry of members that were not set for too long (F-4): a commit, made by the server that makes
// the ticks.
extension LiveGraph {
    /// When the first member expires, in milliseconds since 1970.
    ///
    /// A member that is needed then is kept longer.
    var nextExpiry: UInt64? { families.lazy.compactMap(\.leases.due).min() }

    /// The commit that drops the members expired by `now`; nil if there are none.
    ///
    /// A member that is still needed is checked again after another lifetime.
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

    /// The most members that expire in one commit.
    private static var mostExpiring: Int { 1_000 }

    /// Whether something uses a member by its name, or through a node other than an `all`.
    ///
    /// A glob does not count, because it needs no member.
    func isNeeded(_ member: NamedNode) -> Bool {
        guard let living = member.living, living.hasEdges else { return false }
        var open: [AnyNode] = [living]
        var seen: Set<UInt64> = [living.id]
        while let node = open.popLast() {
            if node.hasListener(where: { !(($0 as? GroupMember)?.isByGlob ?? false) }) { return true }
            for next in node.downstreamNodes where !(next is any Gathering) && seen.insert(next.id).inserted {
                // A declared node that is always held, whether or not clients listen.
                if let named = name(of: next), named.family == nil, named.isHeld { return true }
                open.append(next)
            }
        }
        return false
    }
}
