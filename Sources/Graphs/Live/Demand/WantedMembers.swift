package import Definitions
internal import ReactiveGraph
package import Values

/// Counts, for each principal, the members of source families that its listeners keep wanted
/// (S-7).
///
/// A member counts once for a principal, however many of its listeners reach it. Nil stands for all
/// clients without a name together.
final class WantedMembers {
    /// A member by name: its node may come and go while listeners want it.
    fileprivate struct Key: Hashable {
        let graph: String
        let node: String
    }

    /// A member, and how many claims have it.
    fileprivate final class Member {
        let key: Key
        var claims = 0

        init(_ key: Key) { self.key = key }
    }

    private var members: [String?: [Key: Member]] = [:]

    /// How many of them count for a principal.
    func count(of principal: String?) -> Int { members[principal]?.count ?? 0 }

    /// Whether nothing counts for any principal.
    var isEmpty: Bool { members.isEmpty }

    /// Throws if these members are more than the principal has room for beside those that it keeps
    /// wanted.
    fileprivate func checkRoom(
        for names: [String],
        of graph: LiveGraph,
        _ principal: String?
    ) throws(HostError) {
        let most = graph.host.limits.wanted
        let own = members[principal] ?? [:]
        let new = names.count { own[Key(graph: graph.name, node: $0)] == nil }
        guard own.count + new > most else { return }
        let message =
            "this needs \(new) more members of source families; \(own.count) are wanted by this principal"
            + ", and \(most) may be (limits.wanted)"
        var error = HostError(.subLimit, message, retry: names.count <= most)
        error.hint = "listen to fewer of them at once, or raise limits.wanted"
        throw error
    }

    fileprivate func claim(_ names: [String], of graph: LiveGraph, for principal: String?) -> [Member] {
        var own = members.removeValue(forKey: principal) ?? [:]
        let claimed = names.map { name in
            let key = Key(graph: graph.name, node: name)
            let member = own[key] ?? Member(key)
            own[key] = member
            member.claims += 1
            return member
        }
        members[principal] = own
        return claimed
    }

    fileprivate func release(_ claimed: [Member], for principal: String?) {
        var own = members.removeValue(forKey: principal) ?? [:]
        for member in claimed {
            member.claims -= 1
            if member.claims == 0 { own[member.key] = nil }
        }
        if !own.isEmpty { members[principal] = own }
    }
}

/// The members of source families that one listener keeps wanted: they count for its principal as
/// long as this lives.
package final class WantedClaim {
    private let members: [WantedMembers.Member]
    private let principal: String?
    private let table: WantedMembers

    /// A claim of a principal that listens to nodes with these names; nil if no member of a source
    /// family is wanted by that.
    package init?(
        of principal: String?,
        listeningTo names: [String],
        _ source: Source? = nil,
        in graph: LiveGraph
    ) {
        let found = Self.members(under: names, source, in: graph)
        guard !found.isEmpty else { return nil }
        table = graph.host.memory.members.wanted
        self.principal = principal
        members = table.claim(found, of: graph, for: principal)
    }

    deinit { table.release(members, for: principal) }

    /// Throws `sub_limit` if there is no room for such a claim.
    package static func checkRoom(
        for principal: String?,
        listeningTo names: [String],
        _ source: Source? = nil,
        in graph: LiveGraph
    ) throws(HostError) {
        let found = members(under: names, source, in: graph)
        guard !found.isEmpty else { return }
        try graph.host.memory.members.wanted.checkRoom(for: found, of: graph, principal)
    }

    /// The members of source families from which these nodes are made, each once.
    ///
    /// All nodes that a flatten or a switch may choose are among what a node is made from. So it
    /// does not depend on values, and a listener never wants more than was counted when it began.
    /// What follows a computed name counts one, under its own name, or under the text of `source`
    /// in a client's pipeline.
    private static func members(
        under names: [String],
        _ source: Source?,
        in graph: LiveGraph
    ) -> [String] {
        let reach = graph.definition.sourceReach
        guard !reach.isEmpty else { return [] }
        var open = names
        var seen: Set<String> = []
        var members: [String] = []
        if let source, let pattern = source.argument.computedName,
            graph.members.families.contains(where: {
                $0.pattern.overlaps(pattern) && reach.contains($0.definition)
            })
        {
            members.append(source.key)
        }
        while let name = open.popLast() {
            guard seen.insert(name).inserted, let node = graph.node(name), reach.contains(node.definition)
            else { continue }
            if node.isFed { members.append(name) } else { open += node.inputNames }
            if reach.isFollowed(by: node.definition) { members.append(name) }
        }
        graph.host.work += UInt64(seen.count / Self.namesPerWork)
        return members
    }

    /// How many names take about as long as building a node.
    private static var namesPerWork: Int { 4 }
}
