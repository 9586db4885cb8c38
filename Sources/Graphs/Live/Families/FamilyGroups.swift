internal import Definitions
internal import ReactiveGraph
internal import Support

/// The groups of a family that joins the members of another one: which of the names that
/// globs match each of them joins.
struct FamilyGroups {
    private struct Group {
        var count = 0
        /// The names that are not found by their beginning.
        var names: Set<String> = []
    }

    private var groups: [String: Group] = [:]
    /// Whether the names of a group begin in a way in which no others do, so that the names of the
    /// graph, which are sorted, need not be kept here.
    private let areSorted: Bool

    /// Those of a family, without names.
    init(of family: NodeDefinition) {
        let own = Set(family.pattern?.placeholders ?? [])
        areSorted = family.joined.map { own.isSuperset(of: $0.placeholders.prefix(own.count)) } ?? false
    }

    /// How many names each group has.
    var counts: [String: Int] { groups.mapValues(\.count) }

    /// A name has come; `isMember`: it is among the names of the graph's members.
    ///
    /// - Returns: whether it is the first of its group.
    mutating func insert(_ name: String, in group: String, isMember: Bool) -> Bool {
        let isListed = !areSorted || !isMember
        return {
            $0.count += 1
            if isListed { $0.names.insert(name) }
            return $0.count == 1
        }(&groups[group, default: Group()])
    }

    /// The name of a member has gone.
    ///
    /// - Returns: whether it was the last of its group.
    mutating func remove(_ name: String, from group: String) -> Bool {
        guard let count = groups[group]?.count else { return false }
        guard count > 1 else {
            groups[group] = nil
            return true
        }
        groups[group]?.count = count - 1
        if !areSorted { groups[group]?.names.remove(name) }
        return false
    }

    /// The names of a group in their order; `glob` matches them, and `isMeant` knows them among the
    /// names of the graph's members.
    func names(
        of group: String,
        matching glob: String,
        in members: SortedNames,
        _ isMeant: (String) -> Bool
    ) -> [String] {
        guard let known = groups[group] else { return [] }
        guard areSorted else { return known.names.sorted() }
        let found = members.matching(glob).filter(isMeant)
        return known.names.isEmpty ? found : known.names.union(found).sorted()
    }
}
