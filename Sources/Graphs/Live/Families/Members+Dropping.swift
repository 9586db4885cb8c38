internal import Commits
internal import ReactiveGraph

// Members end when a client drops them, and when they were not set for too long: then by a commit
// of the server that makes the ticks (F-4).
extension Members {
    /// Drops members: they are gone, or empty if something still needs them.
    func drop(_ commit: Commit, _ stamp: LogStamp) {
        let nodes = commit.clear.map(\.present).filter { $0.source != nil }
        var reason = ReleaseReason.dropped
        if case .expire = commit.kind { reason = .expired }
        let gone = hide(nodes)
        let notifyOfEnds = graph.endSubscriptions(to: nodes)
        graph.releases.because(reason) {
            graph.core.batch { batch in
                for node in nodes {
                    guard let source = node.source else { continue }
                    node.noteChange(stamp, graph.present.origin)
                    node.writer = nil
                    node.stopExpiry()
                    if node.hasFacets { graph.facets.clear(of: node, at: stamp.time, isSet: false) }
                    batch.clear(source)
                }
            }
            for node in nodes { weigh(node, for: commit.by) }
            settle(gone, stamp)
        }
        graph.audit()
        // Clients may send a request as soon as they receive the end.
        notifyOfEnds()
    }

    // MARK: - Expiry

    /// Members that have values but no running lease count as set at the time of their last change.
    func startLeases(of members: [NamedNode]) {
        let valued = members.filter { $0.family != nil && $0.isMutable && $0.isHeld && !$0.isLeased }
        for member in valued.sorted(by: { $0.changed.time < $1.changed.time }) {
            member.startExpiry(at: member.changed.time)
        }
    }

    /// When the first member expires, in milliseconds since 1970.
    ///
    /// A member that is needed then is kept longer.
    var nextExpiry: UInt64? { families.lazy.compactMap(\.leases.due).min() }

    /// The commit that drops the members expired by `now`; nil if there are none.
    ///
    /// A member that is still needed is checked again after another lifetime.
    func expired(by now: UInt64) -> Commit? {
        guard graph.takesExpiries, let due = nextExpiry, due <= now else { return nil }
        var commit = Commit(.expire(now), of: graph)
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

    private static var mostExpiring: Int { 1_000 }

    /// Whether something uses a member by its name, or through a node other than an `all`.
    ///
    /// A glob does not count, because it needs no member.
    func isNeeded(_ member: NamedNode) -> Bool {
        guard let living = member.living, living.hasEdges else { return false }
        var open: [AnyNode] = [living]
        var seen: Set<UInt64> = [living.id]
        while let node = open.popLast() {
            if node.hasListener(where: { !(($0 as? ClientListen)?.isByGlob ?? false) }) { return true }
            for next in node.downstreamNodes where !(next is any Gathering) && seen.insert(next.id).inserted {
                // A declared node that is always held, whether or not clients listen.
                if let named = graph.name(of: next), named.family == nil, named.isHeld { return true }
                open.append(next)
            }
        }
        return false
    }
}
