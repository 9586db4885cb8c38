/// One reason why a node is alive: a holder outside the graph, and the nodes over which it holds
/// the node.
///
/// Consumers hold providers, so a path leads from a consumer's consumer down to the node asked
/// about. See ``AnyNode/ownerPaths(limit:)``.
public struct OwnerPath {
    /// The holder at the beginning of a path.
    public enum Holder: Hashable, Sendable {
        /// Listens that one bag holds: how many, and whose.
        ///
        /// The name of the bag, else the type of the owner that was given to `listen`, else
        /// `"a bag"`.
        case listener(of: String, listens: Int)
        /// A ``Registry``, under a name: see ``Retention``.
        case registry(name: String)
        /// An ``AnyEdge`` that is held: its name (G-20).
        case edge(name: String)
        /// A variable, a value, a function: anything that refers to the node and is not part of the
        /// graph.
        case reference
        /// None: the nodes hold each other (G-56).
        case ring
    }

    /// What it is.
    public let holder: Holder
    /// From the node that the holder holds down to the node asked about.
    ///
    /// Of a ring: the node where the ring is entered, once round to the same node, and on.
    public let nodes: [AnyNode]
    /// The names of the edges by which each of `nodes` holds the next: one fewer than nodes.
    ///
    /// `"value"` where the next node is the value of the one before, or kept by its switch.
    public let links: [String]
    /// Where the listens of the holder were attached, in order of addition (G-163).
    public let places: [CodePlace]
    /// The listens of the holder, in order of attachment.
    package let listens: [Edge]
}

extension OwnerPath: CustomStringConvertible {
    /// A line such as `a listen of Gauge → warm ─Filter→ n2 ─Map→ celsius`; of a long path the two
    /// ends.
    public var description: String {
        let labels = nodes.map { $0.name ?? "n\($0.id)" }
        var text = holder.description
        for (place, label) in labels.enumerated() {
            let left = labels.count - place
            if labels.count > 12, place >= 6, left > 5 {
                if place == 6 { text += " → … \(labels.count - 11) more …" }
                continue
            }
            text += place == 0 || (labels.count > 12 && left == 5) ? " → " : " ─\(links[place - 1])→ "
            text += label
        }
        return text
    }
}

extension OwnerPath {
    /// The places in brackets; of many the first three.
    fileprivate var placesText: String {
        guard !places.isEmpty else { return "" }
        let shown = places.prefix(3).map(\.description).joined(separator: ", ")
        return places.count > 3 ? " (\(shown), and \(places.count - 3) more)" : " (\(shown))"
    }
}

extension OwnerPath.Holder: CustomStringConvertible {
    /// What it is called at the beginning of a line.
    public var description: String {
        switch self {
        case .listener(let owner, 1): "a listen of \(owner)"
        case .listener(let owner, let listens): "\(listens) listens of \(owner)"
        case .registry(let name): "registry (\(name))"
        case .edge(let name): "edge \(name), held from outside"
        case .reference: "a reference"
        case .ring: "a ring"
        }
    }
}

extension AnyNode {
    /// Why this node is alive: the paths from everybody outside down to it (G-52, G-53).
    ///
    /// Outside are listens, registries, references that are not part of the graph, and edges that
    /// are held; rings come last, because they hold themselves. The variable through which the
    /// question is asked is a reference too. First comes the shortest path from each holder, then
    /// the other ways by which they hold the node, a path over two edges between the same nodes
    /// once. The time is in proportion to the connected part of the graph, and to the length of
    /// what is returned; nothing recurses. The result holds the nodes.
    ///
    /// - Parameter limit: how many paths at most.
    /// - Returns: never empty, because the caller holds the node.
    public func ownerPaths(limit: Int = 16) -> [OwnerPath] {
        precondition(limit > 0, "ownerPaths: the limit must be positive")
        graph.collect()
        var search = OwnerSearch(of: ref, limit: limit)
        return search.run()
    }

    /// The answer of ``ownerPaths(limit:)`` as text: the node, then a line for each path, of
    /// listens with the places where they were attached (G-163).
    public func whyAlive(limit: Int = 16) -> String {
        let paths = ownerPaths(limit: limit)
        let lines = paths.map { "    \($0)\($0.placesText)\n" }.joined()
        let more = paths.count == limit ? "    … there may be more\n" : ""
        return "\(name ?? "n\(id)") is held by\n\(lines)\(more)"
    }
}
