internal import Definitions
internal import ReactiveGraph
internal import Support

/// The nodes that a commit may change through ties, found by names: nothing has to live for it.
final class TieReach {
    private unowned let graph: LiveGraph
    /// The declared nodes that use a name, or a family by its pattern; ties included.
    private var users: [String: [String]] = [:]
    /// The declared nodes that join all matches of a glob.
    private var joins: [(glob: String, node: String)] = []
    /// The families whose members follow members of others by computed names.
    private let followers: [NodeFamily.Dependent]
    /// Of declared nodes.
    private var known: [String: [NamedNode]] = [:]

    init(of graph: LiveGraph) {
        self.graph = graph
        followers = graph.members.families.compactMap { family in
            family.definition.computedName.map { NodeFamily.Dependent(family: family, reference: $0) }
        }
        for node in graph.nodes {
            for input in node.inputNames + node.definition.followable {
                users[input, default: []].append(node.name)
            }
            if let glob = node.definition.glob { joins.append((glob, node.name)) }
        }
        for tie in graph.ties.all { users[tie.from.name, default: []].append(tie.to.name) }
    }

    /// The mutable nodes that may change when a mutable one does.
    func nodes(after node: NamedNode) -> [NamedNode] {
        if let known = known[node.name] { return known }
        var open: [Place] = [(node.name, graph.members.family(of: node.name))]
        var seen: Set<String> = [node.name]
        var found: [NamedNode] = []
        while let place = open.popLast() {
            for name in users(of: place) where seen.insert(name).inserted {
                open.append((name, graph.members.family(of: name)))
                if let target = graph.existing(name), target.isMutable { found.append(target) }
            }
            open += members(madeFrom: place).filter { seen.insert($0.name).inserted }
        }
        // There may be very many members.
        if node.family == nil { known[node.name] = found }
        return found
    }

    /// A name; or a glob for members of a family, where it is not known which of them.
    private typealias Place = (name: String, family: NodeFamily?)

    private func users(of place: Place) -> [String] {
        let isExact = !Glob.isGlob(place.name)
        let direct =
            isExact
            ? users[place.name] ?? []
            : users.filter { Glob.matches($0.key, place.name) }.flatMap(\.value)
        guard let family = place.family else { return direct }
        let joining = joins.filter { Glob.meet($0.glob, place.name) }.map(\.node)
        return direct + (users[family.pattern.text] ?? []) + joining
    }

    private func members(madeFrom place: Place) -> [Place] {
        guard let family = place.family else { return [] }
        let isExact = !Glob.isGlob(place.name)
        return (family.dependents + followers).compactMap { dependent in
            let other = dependent.family
            guard isExact else {
                return Glob.meet(dependent.reference.glob, place.name) ? (other.pattern.glob, other) : nil
            }
            guard let name = dependent.member(madeFrom: place.name) else { return nil }
            // A declared node that stands in the place of the member is made otherwise.
            return graph.existing(name).map { $0.family == nil } ?? false ? nil : (name, other)
        }
    }
}
