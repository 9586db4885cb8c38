internal import Definitions
internal import ReactiveGraph
internal import Support

// Which members are made from which (F-2, F-3).
extension Members {
    func connectFamilies() {
        for family in families { family.disconnect() }
        for family in families {
            let definition = family.definition
            let references = definition.joined.map { [$0.text] } ?? definition.inputs
            for reference in references where NamePattern.isPattern(reference) {
                guard let pattern = family.reference(reference) else { continue }
                let source = graph.registry.family(covering: pattern)
                source.map { $0 as! NodeFamily }?.connect(family, by: pattern)
            }
        }
    }

    /// Declared nodes that replace members of families that other families are made from (F-2).
    var standIns: [(name: String, family: NodeFamily?)] {
        guard families.contains(where: { !$0.dependents.isEmpty }) else { return [] }
        return graph.nodes.compactMap { node in family(of: node.name).map { (node.name, $0) } }
    }

    /// The names that may come or go because a name comes or goes: those of the members made from
    /// it, except those that a declared node replaces.
    ///
    /// A group comes with its first name, and goes with its last one.
    func follow(
        _ name: String,
        of family: NodeFamily?,
        _ change: NameChange
    ) -> [(name: String, family: NodeFamily)] {
        guard let family, !family.dependents.isEmpty else { return [] }
        return family.dependents.compactMap { dependent in
            guard let made = dependent.member(madeFrom: name) else { return nil }
            let other = dependent.family
            if other.joinsGroups {
                let isAll =
                    switch change {
                    case .comes(let isMember): other.groups.insert(name, in: made, isMember: isMember)
                    case .goes: other.groups.remove(name, from: made)
                    }
                if case .goes = change { other.emptied = graph.stamp }
                guard isAll else { return nil }
            } else if case .comes = change, !isMade(made, other) {
                return nil
            }
            if let node = graph.existing(made), node.family == nil { return nil }
            return (made, other)
        }
    }

    /// Whether globs match all members that a member is made from (F-3).
    private func isMade(_ name: String, _ family: NodeFamily) -> Bool {
        family.definition.inputs.allSatisfy { reference in
            guard NamePattern.isPattern(reference), family.source(of: reference) != nil else { return true }
            let input = family.resolve(reference, for: name)
            return names.contains(input) || graph.existing(input).map { $0.family == nil } ?? false
        }
    }
}

/// How names change that globs match.
enum NameChange {
    /// A member, or a declared node in the place of one.
    case comes(isMember: Bool)
    case goes
}
