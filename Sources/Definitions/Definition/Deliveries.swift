internal import ReactiveGraph
internal import Values

/// The number of values that one commit can bring to the nodes of a graph at most, counted before
/// the graph exists.
///
/// Where branches meet again, a merge passes on every value of every branch; so does a combine in
/// immediate mode. A stack of either doubles the values with each step. Syncs and links are counted
/// while a commit is applied (``Tie/mostInCommit``).
enum Deliveries {
    /// The limit, besides ten for each node and stage: about 0.1 s.
    static let most = 1_000_000.0

    /// Reports a graph in which one commit could cause too much work, at the first node, in order,
    /// that exceeds the limit.
    static func check(_ section: NodeSection, _ mode: GraphDefinition.Mode, _ reader: DocumentReader) {
        let nodes = section.nodes
        var values: [String: Double] = [:]
        func valuesOf(_ input: String) -> Double? {
            values[input] ?? section.families.place(of: input).flatMap { values[nodes[$0].name] }
        }
        var total = 0.0
        let stages = nodes.reduce(0) { $0 + 1 + $1.stageCount }
        for place in section.order {
            let node = nodes[place]
            let count = count(node, mode, valuesOf)
            values[node.name] = count
            total += count * Double(1 + node.stageCount)
            guard total > most + 10 * Double(stages) else { continue }
            return reader.add(
                "one commit could bring '\(node.name)' and the nodes before it more than \(Int(most)) values",
                code: .cycleLimit,
                at: node.position,
                hint: mode == .immediate
                    ? "branches that meet in a combine double the values; with 'mode: settled' it passes on one"
                    : "branches that meet in a merge double the values; a combine passes on one"
            )
        }
    }

    private static func count(
        _ node: NodeDefinition,
        _ mode: GraphDefinition.Mode,
        _ values: (String) -> Double?
    ) -> Double {
        guard case .derived(let derived) = node.kind else { return 1 }
        let source = derived.source
        let inputs = (source.argument.inputs + node.matches + [node.joined?.text].compactMap(\.self)).map {
            values($0) ?? 0
        }
        switch source.operator.emission {
        case .forEachValue:
            // Only one of the nodes that a value may choose is followed at a time.
            return inputs.reduce(0, +)
                + ((source.argument.choices + node.followable).compactMap(values).max() ?? 0)
        case .onceSettled: return mode == .settled ? 1 : inputs.reduce(0, +)
        case .forEachRow: return inputs.max() ?? 0
        }
    }
}

extension NodeDefinition {
    fileprivate var stageCount: Int {
        if case .derived(let derived) = kind { derived.pipe.count } else { 0 }
    }
}
