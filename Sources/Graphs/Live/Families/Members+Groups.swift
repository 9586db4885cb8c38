internal import Definitions
internal import ReactiveGraph
internal import Support

// Families that join the members of another one by groups.
extension Members {
    /// The groups that a name belongs to, each with its family.
    private func groups(of name: String, in family: NodeFamily?) -> [(name: String, family: NodeFamily)] {
        guard let family, family.isJoined else { return [] }
        return family.dependents.compactMap { dependent in
            guard dependent.family.joinsGroups, let group = dependent.member(madeFrom: name) else {
                return nil
            }
            return (group, dependent.family)
        }
    }

    /// What gathers the living groups that a name belongs to.
    func joins(of name: String, in family: NodeFamily?) -> [AllMembers] {
        guard !joining.isEmpty else { return [] }
        return groups(of: name, in: family).compactMap { graph.existing($0.name)?.members }
            .filter(\.isGroup)
    }

    /// What gathers living groups, each with those of the nodes that it joins.
    func joins(of nodes: [NamedNode]) -> [ObjectIdentifier: [NamedNode]] {
        guard !joining.isEmpty else { return [:] }
        var found: [ObjectIdentifier: [NamedNode]] = [:]
        for node in nodes {
            for join in joins(of: node.name, in: node.family ?? family(of: node.name)) {
                found[ObjectIdentifier(join), default: []].append(node)
            }
        }
        return found
    }

    /// The nodes that a group joins: members that globs match, and declared nodes in the place of
    /// members, by name.
    func nodes(ofGroup name: String, of family: NodeFamily) -> [NamedNode] {
        guard let joined = family.definition.joined else { return [] }
        let dependent = NodeFamily.Dependent(family: family, reference: joined)
        let glob = family.resolve(joined.text, for: name)
        return family.groups.names(of: name, matching: glob, in: names) {
            dependent.member(madeFrom: $0) == name
        }
        .compactMap(graph.node)
    }

    /// Whether the groups are those of the present names, and living ones gather them; looks at all
    /// of them.
    ///
    /// `isSettled`: between commits, when no group has a member that is leaving. Audits may come
    /// during a commit, in which sessions end.
    func areGrouped(isSettled: Bool = true) -> Bool {
        var counts: [ObjectIdentifier: [String: Int]] = [:]
        for name in names.matching("*") + standIns.map(\.name) {
            for (group, family) in groups(of: name, in: family(of: name)) {
                counts[ObjectIdentifier(family), default: [:]][group, default: 0] += 1
            }
        }
        return families.allSatisfy { $0.groups.counts == counts[ObjectIdentifier($0)] ?? [:] }
            && joining.values.allSatisfy { !$0.isGroup || $0.isComplete(isSettled: isSettled) }
    }
}
