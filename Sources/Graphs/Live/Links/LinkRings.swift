internal import Definitions
internal import ReactiveGraph
internal import Support
package import Values

/// Looks for rings over links of clients with a stage that waits: a value would go round them for
/// ever.
///
/// It goes upstream from what a link reads, by names. A glob stands for what it may match, and the
/// members of a family for each other where a glob leads to them, so it may find a ring that values
/// never close, but misses none.
package struct LinkRings {
    private struct Way: Hashable {
        /// A name or a glob.
        let name: String
        /// Whether there is a stage that waits from here on.
        let waits: Bool
    }

    private let graph: LiveGraph
    /// Links that the graph does not have yet.
    private let more: [ClientLink]

    /// The rings of a graph, with these links besides those that it has.
    package init(of graph: LiveGraph, with more: [ClientLink] = []) {
        (self.graph, self.more) = (graph, more)
    }

    /// What leads into a node besides its definition: ties and links.
    private func ways(into name: String) -> [Way] {
        let links = graph.clients.links.leading(to: name) + more.filter { $0.toName == name }
        return graph.ties.leading(to: name).map { Way(name: $0.from.name, waits: $0.waits) }
            + links.map { Way(name: $0.fromName, waits: $0.waits) }
    }

    /// Whether a ring with a stage that waits leads over the link.
    package func holds(_ link: ClientLink) -> Bool {
        let target = link.toName
        var open = [Way(name: link.fromName, waits: link.waits)]
        var seen = Set(open)
        while let way = open.popLast() {
            if way.waits, NodeSelection.matches(way.name, target) { return true }
            graph.host.work += 1
            for next in Glob.isGlob(way.name) ? before(glob: way.name) : before(node: way.name) {
                let next = Way(name: next.name, waits: next.waits || way.waits)
                if seen.insert(next).inserted { open.append(next) }
            }
        }
        return false
    }

    private func before(node name: String) -> [Way] {
        let ways = ways(into: name)
        guard let node = graph.node(name) else { return ways }
        let waits = node.definition.waits
        return ways + (node.definition.otherInputs + node.inputNames).map { Way(name: $0, waits: waits) }
    }

    /// What leads into any of the nodes that a glob may match.
    private func before(glob: String) -> [Way] {
        let targets = Set(graph.ties.targets).union(graph.clients.links.targets)
            .union(more.map(\.toName))
        var ways = targets.filter { Glob.matches($0, glob) }.map { Way(name: $0, waits: false) }
        for node in graph.nodes where !node.isMutable && Glob.matches(node.name, glob) {
            ways.append(Way(name: node.name, waits: false))
        }
        for family in graph.members.families where !family.isMutable && Glob.meet(family.pattern.glob, glob) {
            for input in family.definition.otherInputs + family.definition.inputs {
                let name = (try? NamePattern(input))?.glob ?? input
                ways.append(Way(name: name, waits: family.definition.waits))
            }
        }
        return ways
    }

    /// The refusal of such a link.
    package static var refusal: HostError {
        let message = "the link closes a ring with a stage that waits: it would never settle"
        var error = HostError(.cycleLimit, message)
        error.hint = "remove that stage from the ring; without one, a value stops where it began"
        return error
    }
}
