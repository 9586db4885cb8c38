public import Definitions
internal import ReactiveGraph
package import Support

/// The structural difference between two definitions of a running graph (docs/definitions.md,
/// Changing a graph that runs).
///
/// Nodes are compared by meaning: format, comments and the order of keys make no difference.
/// Changed blanks in an expression make a node `changed`, because clients can read its definition,
/// but not `rebuilt`.
public struct DefinitionChange {
    /// New nodes, in the order of the new definition.
    public internal(set) var added: [String] = []
    /// Removed nodes, in the order of the old definition.
    public internal(set) var removed: [String] = []
    /// Nodes whose definition has changed, in the order of the new definition.
    public internal(set) var changed: [String] = []
    /// Those of `changed` whose source or operators have changed, or that become mutable or
    /// derived: their value is computed again, and their state is lost.
    public internal(set) var rebuilt: [String] = []
    /// Mutable nodes whose value fails the new checks: they get their initial value, or become
    /// empty.
    public internal(set) var reset: [String] = []
    /// The nodes and families whose values go, because they are removed or become derived, with the
    /// number of their values; in the order of the old definition.
    public internal(set) var lost: [Lost] = []
    /// Keys of the graph itself that have changed: `title`, `mode`, `access` and so on.
    public internal(set) var settings: [String] = []
    /// How many nodes stay as they are.
    public internal(set) var unchanged = 0
    /// Whether the order of the nodes has changed.
    public internal(set) var isReordered = false

    /// A node or family whose values go.
    public struct Lost: Hashable, Sendable {
        public let name: String
        public let values: Int
    }

    /// How many values go.
    public var lostValues: Int { lost.reduce(0) { $0 + $1.values } }

    /// Whether nothing has changed.
    public var isEmpty: Bool {
        added.isEmpty && removed.isEmpty && changed.isEmpty && settings.isEmpty && !isReordered
    }

    public init(from old: GraphDefinition, to new: GraphDefinition) {
        let delta = new.delta(from: old)
        removed = delta.removed.map { old[place: $0].name }
        added = delta.added.map { new[place: $0].name }
        for place in delta.changed {
            let node = new[place: place]
            changed.append(node.name)
            if !node.isBuilt(as: old[place: Int(delta.former[place])]) { rebuilt.append(node.name) }
        }
        unchanged = delta.former.count - added.count - changed.count
        settings = delta.settings
        isReordered = removed.isEmpty && added.isEmpty && delta.isReordered
    }

    /// The difference from nothing: every node is new.
    public init(toNew definition: GraphDefinition) {
        added = (definition.nodes + definition.families).map(\.name)
    }

    /// Appends
    /// `{"added":[…],"removed":[…],"changed":[…],"rebuilt":[…],"reset":[…],"settings":[…],
    /// "lost":[{"name","values"}],"unchanged":n}`.
    package func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        for (key, names) in [
            ("added", added), ("removed", removed), ("changed", changed), ("rebuilt", rebuilt),
            ("reset", reset),
            ("settings", settings),
        ] {
            buffer.append(json: key)
            buffer.append(":")
            buffer.append(list: names) { $1.append(json: $0) }
            buffer.append(",")
        }
        buffer.append("\"lost\":")
        buffer.append(list: lost) { lost, buffer in
            buffer.append("{")
            buffer.member("name", lost.name)
            buffer.member("values", lost.values)
            buffer.append("}")
        }
        buffer.append(",\"unchanged\":")
        buffer.append(decimal: unchanged)
        buffer.append("}")
    }
}

extension LiveGraph {
    /// The changes that a new definition would make now, including values that fail its checks.
    public func change(to new: GraphDefinition) -> DefinitionChange {
        var change = DefinitionChange(from: definition, to: new)
        change.reset = change.changed.filter { name in
            guard let node = node(name), let value = node.source?.value,
                case .mutable(let rules)? = new[name]?.kind
            else { return false }
            return rules.check.complaint(about: value) != nil
        }
        change.lost = losses(to: new)
        return change
    }

    private func losses(to new: GraphDefinition) -> [DefinitionChange.Lost] {
        let delta = new.delta(from: definition)
        let places = delta.removed + delta.changed.map { Int(delta.former[$0]) }
        let concerned = places.filter { $0 < nodes.count }.map { nodes[$0] }
        var counts: [String: Int] = [:]
        for node in concerned + (delta.reachesMembers ? members.living : []) where node.holdsValue {
            if case .mutable? = new.definition(of: node)?.kind { continue }
            counts[node.family?.pattern.text ?? node.name, default: 0] += 1
        }
        return counts.map { DefinitionChange.Lost(name: $0, values: $1) }
            .sorted { definition.outline.places[$0.name] ?? 0 < definition.outline.places[$1.name] ?? 0 }
    }
}

extension NodeDefinition {
    /// Whether it builds the same edges, and keeps the same state, as a former definition.
    func isBuilt(as former: NodeDefinition) -> Bool {
        switch (kind, former.kind) {
        case (.mutable, .mutable): true
        case (.derived(let new), .derived(let old)):
            new.source.isSame(as: old.source) && matches == former.matches
                && followable == former.followable
                && new.pipe.elementsEqual(old.pipe) { $0.key == $1.key }
        case (.mutable, .derived), (.derived, .mutable): false
        }
    }
}
