/// A principal's rights in one graph as a whole, cached for each definition.
///
/// Every message needs them, and finding them takes a look at every node.
final class GraphRights {
    /// The definition that this holds for.
    ///
    /// Retained, so that no other object can get the same address.
    let definition: DefinitionMark
    /// Whether the principal has a right on at least one node.
    var sees: Bool?
    /// Whether it may observe and read every node.
    var observes: Bool?
    /// The number of nodes it may read.
    var readable: Int?

    init(_ definition: DefinitionMark) {
        self.definition = definition
    }
}

struct GraphRightsCache {
    /// The most graphs that are cached; one more clears the cache.
    ///
    /// A host has 1,000 graphs by default, but graphs are removed and created under other names.
    private static var most: Int { 2_000 }

    private var known: [String: GraphRights] = [:]

    subscript(graph: LiveGraph) -> GraphRights {
        mutating get {
            if let rights = known[graph.name], rights.definition === graph.basis.mark { return rights }
            if known.count >= Self.most { known = [:] }
            let rights = GraphRights(graph.basis.mark)
            known[graph.name] = rights
            return rights
        }
    }
}
