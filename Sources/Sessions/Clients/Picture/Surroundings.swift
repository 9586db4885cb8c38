public import Graphs
internal import CEL
internal import Definitions
internal import ReactiveGraph
public import Values

/// The nodes near one of them, for pictures of a part of a graph (I-1).
///
/// A node is near if a path of at most `depth` lines of the picture leads to it, upstream or
/// downstream.
public struct Surroundings: Hashable, Sendable {
    public static let depths = 1...16
    public static let customaryDepth = 2

    /// The name of the node in the middle.
    public let node: String
    /// The largest distance, in lines.
    public let depth: Int

    /// The surroundings of `node`; the caller has checked that `depth` is one of ``depths``.
    public init(of node: String, depth: Int?) {
        self.node = node
        self.depth = depth ?? Self.customaryDepth
    }

    public static var depthAlone: HostError {
        HostError(.badField, "depth: belongs to 'around', which is missing")
    }

    /// The named nodes that may be near: all that are, and some more.
    ///
    /// Those of the definition are in its order.
    /// Each step leads from named nodes to named nodes, over any number of others, so that none of
    /// them takes more steps than lines. It ends early above `most` nodes.
    func candidates(in graph: LiveGraph, most: Int = .max) -> [NamedNode] {
        guard let middle = graph.existing(node) else { return [] }
        var found = [middle]
        var seen: Set<ObjectIdentifier> = [ObjectIdentifier(middle)]
        var edge = found[...]
        for _ in 0..<depth where !edge.isEmpty && found.count <= most {
            let start = found.count
            for node in edge where found.count <= most {
                for next in Self.neighbours(of: node) where seen.insert(ObjectIdentifier(next)).inserted {
                    found.append(next)
                }
            }
            edge = found[start...]
        }
        let places = found.map { graph.definition.place(of: $0.name) ?? .max }
        return found.indices.sorted { (places[$0], $0) < (places[$1], $1) }.map { found[$0] }
    }

    /// The named nodes next to one: by its definition, and if it lives over nodes without a name.
    private static func neighbours(of node: NamedNode) -> [NamedNode] {
        let graph = node.graph
        var found: [NamedNode] = []
        if node.definition.matches.count <= NodeLookup.mostGathered {
            found = node.inputNames.compactMap { graph.existing($0) }
        }
        found += graph.definition.dependents(of: node.name).compactMap { graph.existing($0.name) }
        guard let living = node.living else { return found }
        var open: [AnyNode] = [living]
        var seen: Set<UInt64> = [living.id]
        while let next = open.popLast() {
            // A node that joins many has no edges in pictures.
            let sources = Picture.joinsMany(next) ? [] : next.neededNodes
            for other in sources + next.downstreamNodes.filter({ !Picture.joinsMany($0) })
            where seen.insert(other.id).inserted {
                if let named = graph.name(of: other) { found.append(named) } else { open.append(other) }
            }
        }
        return found
    }

    /// The indices of the near entries in a picture of everything.
    func places(in picture: Picture) -> Set<Int> {
        var byNumber: [UInt64: Int] = [:]
        var byName: [String: Int] = [:]
        for (place, entry) in picture.entries.enumerated() {
            if let number = entry.number { byNumber[number] = place }
            if let named = entry.named { byName[named.name] = place }
        }
        guard let middle = byName[node] else { return [] }
        var neighbours: [Int: [Int]] = [:]
        func connect(_ one: Int?, _ other: Int?) {
            guard let one, let other else { return }
            neighbours[one, default: []].append(other)
            neighbours[other, default: []].append(one)
        }
        for link in picture.links { connect(byNumber[link.from], byNumber[link.to]) }
        // For a node that does not live, the nodes it would be made from.
        for (place, entry) in picture.entries.enumerated() where entry.node == nil {
            for input in entry.inputs { connect(byName[input], place) }
        }
        var near: Set<Int> = [middle]
        var edge = [middle]
        for _ in 0..<depth where !edge.isEmpty {
            edge = edge.flatMap { neighbours[$0] ?? [] }.filter { near.insert($0).inserted }
        }
        return near
    }
}

extension GraphView {
    /// Throws `unknown_node`, with a similar name as a hint, if the node in the middle does not
    /// exist for the caller; `too_large` if too many nodes are near.
    public func require(_ surroundings: Surroundings) throws(HostError) {
        let name = surroundings.node
        if let node = graph.node(name), access.rights(on: node).contains(.read) {
            let most = graph.host.limits.pictureNodes
            guard surroundings.candidates(in: graph, most: most).count > most else { return }
            var error = HostError(
                .tooLarge,
                "more than \(most) nodes are around \(name) (limits.picture)",
                node: name
            )
            error.hint = "ask for a smaller depth"
            throw error
        }
        var error = HostError(.unknownNode, "around: no such node in \(graph.name)", node: name)
        error.hint = Spelling.hint(for: name, among: nodes.lazy.map(\.name))
        throw error
    }
}
