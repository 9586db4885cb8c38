internal import Support

/// The nodes that listeners at other servers want: for each graph the union over those servers.
public final class DemandElsewhere {
    private var graphs: [String: Wanted] = [:]

    private struct Wanted {
        /// The names by server.
        var servers: [String: Set<String>] = [:]
        /// The union.
        let names = SortedNames()

        /// Puts names right in the union.
        ///
        /// - Returns: those for which it has changed.
        func revise(_ changed: some Sequence<String>) -> [String] {
            changed.filter { name in
                servers.values.contains { $0.contains(name) } ? names.insert(name) : names.remove(name)
            }
        }
    }

    /// Nothing is wanted.
    public init() {}

    /// Whether a listener at any of the servers wants a node.
    public func isWanted(_ node: String, of graph: String) -> Bool {
        graphs[graph]?.names.contains(node) ?? false
    }

    /// The wanted nodes that match a name or glob, in their order.
    public func wanted(in graph: String, matching pattern: String = "*") -> [String] {
        graphs[graph]?.names.matching(pattern) ?? []
    }

    /// A server wants exactly these nodes of a graph; names in order are taken up fastest.
    ///
    /// - Returns: the nodes for which the union has changed.
    public func set(_ nodes: [String], of graph: String, at server: String) -> [String] {
        let (former, new) = (graphs[graph]?.servers[server] ?? [], Set(nodes))
        graphs[graph, default: Wanted()].servers[server] = new
        let changed = nodes.filter { !former.contains($0) } + former.subtracting(new).sorted()
        return graphs[graph]?.revise(changed) ?? []
    }

    /// A server wants some nodes of a graph more, and some no longer.
    ///
    /// - Returns: the nodes for which the union has changed.
    public func change(
        adding added: [String],
        removing removed: [String],
        of graph: String,
        at server: String
    ) -> [String] {
        graphs[graph, default: Wanted()].servers[server, default: []].formUnion(added)
        graphs[graph]?.servers[server]?.subtract(removed)
        return graphs[graph]?.revise(added + removed) ?? []
    }

    /// A server wants nothing any more.
    ///
    /// - Returns: the nodes for which the union has changed, by graph.
    public func forget(server: String) -> [String: [String]] {
        var changed: [String: [String]] = [:]
        for graph in graphs.keys {
            guard let former = graphs[graph]?.servers.removeValue(forKey: server) else { continue }
            changed[graph] = graphs[graph]?.revise(former.sorted())
        }
        return changed.filter { !$0.value.isEmpty }
    }

    /// What is wanted of a graph is not known any more.
    public func forget(graph: String) { graphs[graph] = nil }
}
