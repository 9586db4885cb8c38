internal import ReactiveGraph

extension GraphDefinition {
    /// The nodes whose values are the same wherever the same commits are replayed: the always held
    /// nodes that depend on no others.
    ///
    /// A node with a state of its own that is not always held starts anew when it is needed. So its
    /// value, and that of everything made from it, depends on when clients needed it.
    package var replayedNodes: [NodeDefinition] {
        var dependents: [String: [String]] = [:]
        for node in nodes { for input in node.inputs { dependents[input, default: []].append(node.name) } }
        for link in links { dependents[link.from, default: []].append(link.to) }
        for sync in syncs {
            dependents[sync.a, default: []].append(sync.b)
            dependents[sync.b, default: []].append(sync.a)
        }
        var rest = nodes.filter { $0.retain != .always && $0.stateClass != .none }.map(\.name)
        var varying = Set(rest)
        while let name = rest.popLast() {
            for dependent in dependents[name] ?? [] where varying.insert(dependent).inserted {
                rest.append(dependent)
            }
        }
        return nodes.filter { $0.retain == .always && !varying.contains($0.name) }
    }
}
