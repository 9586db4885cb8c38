/// What the comparison of two definitions needs of one of them; it can go to any thread.
///
/// A *place* is the index of a node among all nodes and families, nodes first, in the order of the
/// definition.
public struct DefinitionOutline: Sendable {
    /// What must be equal if a node stays as it is.
    package struct Entry: Sendable, Equatable {
        let canonical: String
        let matches: [String]
        let followable: [String]
        let linkClass: OperatorRow.StateClass?

        init(_ node: NodeDefinition) {
            (canonical, linkClass) = (node.canonical, node.linkClass)
            (matches, followable) = (node.matches, node.followable)
        }
    }

    /// The hash of the definition.
    let hash: String
    package let places: [String: Int]
    let entries: [Entry]
    /// How many of the entries are nodes; the others are families.
    let nodeCount: Int
    /// The settings other than nodes, each as canonical text.
    let settings: [String: String]

    init(hash: String, nodes: [NodeDefinition], families: [NodeDefinition], settings: [String: String]) {
        self.hash = hash
        let all = nodes + families
        places = Dictionary(all.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        entries = all.map(Entry.init)
        nodeCount = nodes.count
        self.settings = settings
    }
}

/// How a definition differs from a former one, as places in both.
///
/// Found on the thread that reads the definition, because that takes time in proportion to the
/// whole graph. To apply it takes time in proportion to the difference.
package struct DefinitionDelta: Sendable {
    /// The hash of the former definition.
    let formerHash: String
    /// For each place, the place of the same name in the former definition; -1: it is new.
    package let former: [Int32]
    /// Places of the new definition, in order.
    package private(set) var added: [Int] = []
    /// Places of the former definition, in order.
    package let removed: [Int]
    /// Places of nodes and families whose text has changed, in order.
    package private(set) var changed: [Int] = []
    /// Places of those whose text is the same, but not what it means: what a glob matches, what a
    /// computed name may choose, and which links lead to them.
    package private(set) var altered: [Int] = []
    /// The keys of the graph itself that have changed, in alphabetical order.
    package let settings: [String]
    /// Whether some node has another place than before.
    package let isReordered: Bool
    /// Whether members of families may get another definition.
    package let reachesMembers: Bool
    /// Whether a name may mean another node than before.
    package let changesNames: Bool

    init(from old: DefinitionOutline, to new: DefinitionOutline) {
        formerHash = old.hash
        var former = [Int32](repeating: -1, count: new.entries.count)
        var isKept = [Bool](repeating: false, count: old.entries.count)
        for (name, place) in new.places {
            guard let formerPlace = old.places[name] else { continue }
            former[place] = Int32(formerPlace)
            isKept[formerPlace] = true
        }
        for place in new.entries.indices {
            guard former[place] >= 0 else {
                added.append(place)
                continue
            }
            let (before, now) = (old.entries[Int(former[place])], new.entries[place])
            if before.canonical != now.canonical {
                changed.append(place)
            } else if before != now {
                altered.append(place)
            }
        }
        self.former = former
        removed = isKept.indices.filter { !isKept[$0] }
        settings = Set(old.settings.keys).union(new.settings.keys)
            .filter { old.settings[$0] != new.settings[$0] }.sorted()
        isReordered = (0..<new.nodeCount).contains { former[$0] != $0 }
        changesNames = !added.isEmpty || !removed.isEmpty
        reachesMembers = changesNames || (changed + altered).contains { $0 >= new.nodeCount }
    }
}
