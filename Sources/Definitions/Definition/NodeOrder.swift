internal import Values

/// Sorts nodes so that each comes after those it is made from, and finds the cycles that prevent
/// it.
struct NodeOrder {
    /// Nodes each made from the next, the first named again at the end.
    struct Cycle {
        let names: [String]
        /// The place where the first node names the second.
        let position: Position
    }

    /// Indices of the nodes that are neither in a cycle nor made from one: sources first, otherwise
    /// in their given order.
    private(set) var sorted: [Int] = []
    /// One cycle for each group of connected cycles, in order.
    package private(set) var cycles: [Cycle] = []

    /// Sorts in time linear in nodes and references; every reference must be to a node of `index`.
    init(names: [String], upstream: [[NodeReference]], index: [String: Int]) {
        var waiting = upstream.map(\.count)
        var downstream: [[Int]] = Array(repeating: [], count: names.count)
        for (node, references) in upstream.enumerated() {
            for reference in references {
                if let source = index[reference.node] {
                    downstream[source].append(node)
                }
            }
        }
        sorted = waiting.indices.filter { waiting[$0] == 0 }
        var next = 0
        while next < sorted.count {
            for node in downstream[sorted[next]] {
                waiting[node] -= 1
                if waiting[node] == 0 {
                    sorted.append(node)
                }
            }
            next += 1
        }
        guard sorted.count < names.count else { return }
        findCycles(names: names, upstream: upstream, index: index, waiting: waiting)
    }

    /// Walks upstream from each remaining node: every such walk ends in a cycle.
    private mutating func findCycles(
        names: [String],
        upstream: [[NodeReference]],
        index: [String: Int],
        waiting: [Int]
    ) {
        // 0: not visited; otherwise the number of the walk that visited it.
        var seenBy = Array(repeating: 0, count: names.count)
        var walk = 0
        for start in waiting.indices where waiting[start] > 0 && seenBy[start] == 0 {
            walk += 1
            var path: [(node: Int, reference: NodeReference)] = []
            var node = start
            while seenBy[node] == 0 {
                seenBy[node] = walk
                let reference = upstream[node].first { index[$0.node].map { waiting[$0] > 0 } ?? false }
                guard let reference, let source = index[reference.node] else { break }
                path.append((node, reference))
                node = source
            }
            guard seenBy[node] == walk, let first = path.firstIndex(where: { $0.node == node }) else {
                continue
            }
            let circle = path[first...]
            let turn = circle.indices.min { circle[$0].node < circle[$1].node } ?? first
            let turned = Array(circle[turn...] + circle[..<turn])
            cycles.append(
                Cycle(
                    names: turned.map { names[$0.node] } + [names[turned[0].node]],
                    position: turned[0].reference.position
                )
            )
        }
    }
}
