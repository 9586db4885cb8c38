/// Which nodes of a graph some listener reaches, directly or over other nodes (D-1).
///
/// Edges that begin and end only leave a note. What they have changed is found out by
/// ``settle(atMost:)``, once per turn: what comes and goes within one turn changes nothing. A graph
/// without one of these pays for a look at an empty property per edge.
///
/// Between two calls of ``settle(atMost:)`` that return true, a node is wanted exactly when it is
/// kept, when a listen that counts listens to it, or when an edge leads from it to a node that is
/// wanted. What gathers nodes may be taken not to want them.
package final class Demand {
    private let counts: (Edge) -> Bool
    /// Whether a node that gathers others wants them.
    private let passesGathers: Bool
    /// Called by ``settle(atMost:)``, and when a wanted node dies: a node is wanted now, or no
    /// longer.
    ///
    /// It must not change the graph.
    package var changed: (AnyNode) -> Void = { _ in }
    /// The wanted nodes, by number.
    private var wanted: Set<UInt64> = []
    /// Those that will be, unless what made them so has ended again.
    private var coming: [UInt64: NodeRef] = [:]
    /// Those that something wanted no longer wants.
    private var going: [UInt64: NodeRef] = [:]
    /// Those that are wanted without a listen.
    private var kept: [UInt64: NodeRef] = [:]
    /// How many nodes have been looked at.
    private var steps = 0

    /// The demand for the nodes of a graph; there is none until ``began(_:)`` was called for the
    /// listens that it has.
    ///
    /// - Parameters:
    ///   - passesGathers: whether a node that gathers others wants them when it is wanted.
    ///   - counts: whether a listen makes its node wanted. When that changes, call ``began(_:)`` or
    ///     ``ended(_:)``.
    package init(passingGathers passesGathers: Bool = true, where counts: @escaping (Edge) -> Bool) {
        self.counts = counts
        self.passesGathers = passesGathers
    }

    /// Whether some listener reaches the node, as far as that was settled.
    package func wants(_ node: AnyNode) -> Bool { wanted.contains(node.id) }

    /// Whether there is something to settle.
    package var isDue: Bool { !coming.isEmpty || !going.isEmpty }

    /// An edge has both ends now, or counts from now on.
    package func began(_ edge: Edge) {
        guard let source = edge.source, isWanting(edge), !wanted.contains(source.id) else { return }
        coming[source.id] = source
    }

    /// An edge is about to lose an end, or counts no longer.
    package func ended(_ edge: Edge) {
        guard let source = edge.source, wanted.contains(source.id) || coming[source.id] != nil else { return }
        going[source.id] = source
    }

    /// From now on exactly these nodes are wanted without a listen, as long as they live.
    package func keep(_ nodes: [AnyNode]) {
        let former = kept
        kept = Dictionary(nodes.map { ($0.id, $0.ref) }, uniquingKeysWith: { first, _ in first })
        for (id, node) in kept where !wanted.contains(id) { coming[id] = node }
        for (id, node) in former where kept[id] == nil { going[id] = node }
    }

    /// The node is being freed.
    func died(_ id: UInt64, _ node: AnyNode?) {
        kept[id] = nil
        coming[id] = nil
        going[id] = nil
        if wanted.remove(id) != nil, let node { changed(node) }
    }

    /// Finds out which nodes are wanted.
    ///
    /// - Parameter most: about how many nodes are looked at.
    /// - Returns: how many were. Where ``isDue`` still, some are left for the next call.
    package func settle(atMost most: Int) -> Int {
        steps = 0
        while steps < most, let (number, node) = coming.popFirst() {
            steps += 1
            guard wanted.insert(number).inserted else { continue }
            node.with { node in
                if let node = node.node { changed(node) }
                forEachNeed(of: node) { provider in
                    if !wanted.contains(provider.id) { coming[provider.id] = provider }
                }
            }
        }
        // What is wanted has to be known, or the search downwards would miss ways.
        guard coming.isEmpty else { return steps }
        var known: Set<UInt64> = []
        while steps < most, let (number, node) = going.popFirst() {
            guard wanted.contains(number), !known.contains(number) else { continue }
            guard let unwanted = searched(from: node, known) else {
                known.insert(number)
                continue
            }
            for node in unwanted {
                wanted.remove(node.id)
                going[node.id] = nil
                if let node = node.node { changed(node) }
            }
            for node in unwanted {
                node.with { node in
                    forEachNeed(of: node) { if wanted.contains($0.id) { going[$0.id] = $0 } }
                }
            }
        }
        return steps
    }

    /// Whether a listen that `isMeant` picks, among those that count, reaches a node.
    package func reaches(_ node: AnyNode, where isMeant: (Edge) -> Bool) -> Bool {
        searched(from: node.ref, [], takesKept: false, where: isMeant) == nil
    }

    /// What makes a node wanted: listens that count, and nodes that are kept, at most so many of
    /// both.
    package func reasons(for node: AnyNode, atMost most: Int) -> (listens: [Edge], kept: [AnyNode]) {
        guard wanted.contains(node.id) else { return ([], []) }
        var seen: Set<UInt64> = [node.id]
        var nodes = [node.ref]
        var place = 0
        var (listens, kept): ([Edge], [AnyNode]) = ([], [])
        while place < nodes.count, listens.count + kept.count < most {
            let isKept = self.kept[nodes[place].id] != nil
            nodes[place].with { node in
                if isKept, let node = node.node { kept.append(node) }
                node.forEachOutgoing { edge in
                    guard edge.traits.contains(.complete), passes(edge) else { return }
                    if let target = edge.target {
                        if wanted.contains(target.id), seen.insert(target.id).inserted {
                            nodes.append(target)
                        }
                    } else if listens.count + kept.count < most, isWanting(edge) {
                        listens.append(edge)
                    }
                }
            }
            place += 1
        }
        return (listens, kept)
    }

    /// Looks for a listen that counts, downwards over nodes that are wanted or were.
    ///
    /// Nodes that are `known` lead to one. Kept nodes count as much, if `takesKept`.
    ///
    /// - Returns: nil where there is one; otherwise all nodes that were looked at, none of which
    ///   leads to one.
    private func searched(
        from start: NodeRef,
        _ known: Set<UInt64>,
        takesKept: Bool = true,
        where isMeant: (Edge) -> Bool = { _ in true }
    ) -> [NodeRef]? {
        var seen: Set<UInt64> = [start.id]
        var nodes = [start]
        var place = 0
        while place < nodes.count {
            steps += 1
            var isFound = takesKept && kept[nodes[place].id] != nil
            nodes[place].with { node in
                node.forEachOutgoing { edge in
                    guard !isFound, edge.traits.contains(.complete), passes(edge) else { return }
                    guard let target = edge.target else {
                        isFound = !edge.traits.contains(.own) && counts(edge) && isMeant(edge)
                        return
                    }
                    if known.contains(target.id) { isFound = true }
                    if wanted.contains(target.id), seen.insert(target.id).inserted { nodes.append(target) }
                }
            }
            if isFound { return nil }
            place += 1
        }
        return nodes
    }

    /// Whether the target of an edge needs its source.
    private func passes(_ edge: Edge) -> Bool { passesGathers || !edge.traits.contains(.gathers) }

    /// Every node that a wanted one makes wanted.
    private func forEachNeed(of node: NodeCore, _ body: (NodeRef) -> Void) {
        node.forEachHeld { edge in
            if let source = edge.source, passes(edge) { body(source) }
        }
    }

    private func isWanting(_ edge: Edge) -> Bool {
        if let target = edge.target { return passes(edge) && wanted.contains(target.id) }
        return !edge.traits.contains(.own) && counts(edge)
    }
}
