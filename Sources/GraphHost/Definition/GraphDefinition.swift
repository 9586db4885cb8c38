/// A graph as its file or an administrator describes it; checked, with every expression compiled.
public struct GraphDefinition {
    /// How changes travel (G-50).
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        case settled, immediate
    }

    /// The graph's name.
    public let name: String
    /// For people.
    public let title: String?
    public let mode: Mode
    /// The nodes in the order of the definition.
    public let nodes: [NodeDefinition]
    /// Positions in `nodes`, every node behind those it is made from.
    public let order: [Int]
    /// Who may do what; empty: whatever a token grants.
    public let access: [AccessRule]
    /// Pairs of nodes that follow each other, in the order of the definition.
    public let syncs: [SyncDefinition]
    /// Further edges, in the order of the definition.
    public let links: [LinkDefinition]
    private let index: [String: Int]

    init(
        name: String,
        title: String?,
        mode: Mode,
        nodes: [NodeDefinition],
        order: [Int],
        access: [AccessRule] = [],
        ties: TieDefinitions = TieDefinitions()
    ) {
        self.name = name
        self.title = title
        self.mode = mode
        self.nodes = nodes
        self.order = order
        self.access = access
        syncs = ties.syncs
        links = ties.links
        index = Dictionary(nodes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The node of that name.
    public subscript(name: String) -> NodeDefinition? {
        index[name].map { nodes[$0] }
    }
}
