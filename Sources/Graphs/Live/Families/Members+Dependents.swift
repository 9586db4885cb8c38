internal import Definitions
internal import ReactiveGraph

// Which members are made from which (F-2, F-3).
extension Members {
    func connectFamilies() {
        for family in families { family.disconnect() }
        for family in families {
            for reference in family.definition.inputs where NamePattern.isPattern(reference) {
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

    /// Visits the members made from a member, directly or indirectly, except those that a declared
    /// node replaces.
    func forEachDependent(
        of name: String,
        in family: NodeFamily?,
        _ visit: (_ name: String, _ family: NodeFamily) -> Void
    ) {
        guard let family, !family.dependents.isEmpty else { return }
        var open = [(name: name, family: family)]
        var seen: Set<String> = []
        while let (name, family) = open.popLast() {
            for dependent in family.dependents {
                guard let made = dependent.member(madeFrom: name), seen.insert(made).inserted else {
                    continue
                }
                if let node = graph.existing(made), node.family == nil { continue }
                visit(made, dependent.family)
                open.append((made, dependent.family))
            }
        }
    }

    /// Whether all mutable members that a member is made from have a value, or will have one after
    /// this commit (F-3).
    func isMade(_ name: String, _ family: NodeFamily, _ coming: Set<String>) -> Bool {
        var open = [(name: name, family: family)]
        var seen: Set<String> = [name]
        while let (name, family) = open.popLast() {
            for reference in family.definition.inputs where NamePattern.isPattern(reference) {
                let input = family.resolve(reference, for: name)
                guard seen.insert(input).inserted else { continue }
                if let node = graph.existing(input), node.family == nil { continue }
                guard let source = family.source(of: reference) else { continue }
                if !source.isMutable {
                    open.append((input, source))
                } else if !coming.contains(input), graph.existing(input)?.source?.isEmpty != false {
                    return false
                }
            }
        }
        return true
    }
}
