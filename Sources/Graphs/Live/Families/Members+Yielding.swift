internal import Commits
internal import Support

// Members that are kept until memory is short (F-4). They have values, so they end by a commit of
// the server that makes the ticks.
extension Members {
    /// Memory is short: drops members with `retain: untilPressure` that nothing needs, a limited
    /// number per turn, from the names after `last` on.
    @discardableResult
    func dropUnneeded(matching pattern: String = "*", after last: String? = nil) -> [String] {
        let host = graph.host
        guard graph.isServed, host.isLeading, host.health == .ready,
            families.contains(where: \.yieldsToPressure)
        else { return [] }
        var commit = Commit(.drop, of: graph)
        var (looks, goesOn) = (0, true)
        var last = last
        names.visit(prefix: Glob.prefix(of: pattern), after: last) { name in
            looks += 1
            last = name
            if let member = graph.existing(name), member.family?.yieldsToPressure == true,
                member.pending == nil, NodeSelection.matches(pattern, name), !isNeeded(member)
            {
                commit.clear.append(member)
            }
            goesOn = looks < Self.mostLooks && commit.clear.count < Self.mostDropped
            return goesOn
        }
        host.work += UInt64(looks / 10)
        let dropped = commit.clear.map(\.name)
        if !dropped.isEmpty { _ = host.submit(commit) }
        if !goesOn, let last {
            host.later { [weak graph] in graph?.members.dropUnneeded(matching: pattern, after: last) }
        }
        return dropped
    }

    /// How many members one turn looks at, and drops, at most.
    private static var mostLooks: Int { 5_000 }
    private static var mostDropped: Int { 1_000 }
}
