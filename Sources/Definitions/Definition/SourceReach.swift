internal import ReactiveGraph

/// Which nodes of a definition are made from members of source families, or are such a family
/// (S-7).
///
/// A listener to one of the others makes no member wanted, however many nodes it reaches. Members
/// that `all` gathers are not among what a node is made from here: they are there because others
/// have asked for them.
package struct SourceReach {
    private var names: Set<String> = []

    /// Looks through nodes that are each made from those before them.
    init(of nodes: [NodeDefinition]) {
        guard nodes.contains(where: { $0.feed != nil && $0.pattern != nil }) else { return }
        let places = Dictionary(
            nodes.enumerated().map { ($0.element.name, $0.offset) },
            uniquingKeysWith: { first, _ in first }
        )
        let families = FamilyIndex(of: nodes.map(\.name), places)
        for node in nodes {
            guard node.feed == nil else {
                if node.pattern != nil { names.insert(node.name) }
                continue
            }
            guard node.glob == nil else { continue }
            let isMadeFromMembers = (node.inputs + node.followable).contains { input in
                let place = places[input] ?? families.place(of: input)
                return place.map { names.contains(nodes[$0].name) } ?? false
            }
            if isMadeFromMembers { names.insert(node.name) }
        }
    }

    /// Whether there are none.
    package var isEmpty: Bool { names.isEmpty }

    package func contains(_ node: NodeDefinition) -> Bool { names.contains(node.name) }

    /// Whether a node may follow one of them by a computed name.
    package func isFollowed(by node: NodeDefinition) -> Bool {
        node.followable.contains(where: names.contains)
    }
}
