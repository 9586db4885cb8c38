internal import Definitions
internal import ReactiveGraph

/// Moves the `sync` and `links` of a graph to another definition.
///
/// Unchanged ones stay, with the state of their stages; others are removed, and new ones are
/// connected after everything else is in place.
///
/// Links are disconnected while nodes are rebuilt: they may form cycles, for which there is no
/// order of building.
struct Retying {
    private let graph: LiveGraph
    private var kept: [String: [Tie]] = [:]

    /// Removes the ties that `graph`, which has its new definition already, no longer has.
    init(_ graph: LiveGraph, from old: GraphDefinition, _ rebuilding: Rebuilding) {
        self.graph = graph
        var wanted: [String: Int] = [:]
        for sync in graph.definition.syncs {
            for key in [sync.keys.toA, sync.keys.toB] { wanted[key, default: 0] += 1 }
        }
        for link in graph.definition.links { wanted[link.key, default: 0] += 1 }
        for tie in graph.ties.all {
            let isSame = Self.isSame(tie.from, old) && Self.isSame(tie.to, old)
            guard isSame, !rebuilding.contains(tie.to), let count = wanted[tie.key], count > 0 else {
                tie.disconnect()
                continue
            }
            wanted[tie.key] = count - 1
            kept[tie.key, default: []].append(tie)
            if tie.kind == .links, !rebuilding.isEmpty { tie.suspend() }
        }
        graph.ties.removeAll()
    }

    /// Whether a node still exists, and is still mutable or still derived.
    private static func isSame(_ node: NamedNode, _ old: GraphDefinition) -> Bool {
        guard node.exists, let former = old[node.name] else { return false }
        return former.kindName == node.definition.kindName
    }

    /// Reconnects the unchanged ties and connects the new ones, in the order of the definition.
    mutating func finish() {
        for (number, sync) in graph.definition.syncs.enumerated() {
            let (toA, toB) = (take(sync.keys.toA), take(sync.keys.toB))
            graph.ties.connectSync(number, of: graph, toA: toA, toB: toB)
        }
        for (number, link) in graph.definition.links.enumerated() {
            guard let tie = take(link.key) else {
                graph.ties.connectLink(number, of: graph)
                continue
            }
            graph.ties.add(tie)
            if let target = tie.to.source ?? tie.to.living { tie.resume(to: target, in: graph) }
        }
    }

    private mutating func take(_ key: String) -> Tie? {
        guard let tie = kept[key]?.first else { return nil }
        kept[key]?.removeFirst()
        return tie
    }
}

extension SyncDefinition {
    /// A text for each direction, equal for directions that do the same.
    var keys: (toA: String, toB: String) {
        ("sync(\(b)>\(a);\(toA?.key ?? ""))", "sync(\(a)>\(b);\(toB?.key ?? ""))")
    }
}

extension LinkDefinition {
    /// A text, equal for links that do the same.
    var key: String { pipe.reduce("link(\(from)>\(to))") { $0 + "|" + $1.key } }
}
