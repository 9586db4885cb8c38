internal import ReactiveGraph
public import Values

/// A graph as described by its file or an administrator: checked, with every expression compiled.
public struct GraphDefinition {
    /// How changes travel (G-50).
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        case settled, immediate
    }

    public let name: String
    public let title: String?
    public let mode: Mode
    /// The nodes in the order of the definition; families are not among them.
    public private(set) var nodes: [NodeDefinition]
    /// Indices into `nodes`, every node after those it is made from.
    public let order: [Int]
    /// The families, in the order of the definition (F-1).
    public private(set) var families: [NodeDefinition]
    /// The access rules; empty: whatever a token grants.
    public let access: [AccessRule]
    /// Pairs of nodes that follow each other, in the order of the definition.
    public let syncs: [SyncDefinition]
    /// Further edges, in the order of the definition.
    public let links: [LinkDefinition]
    public let sinks: [SinkDefinition]
    /// The upstreams of its sources, in the order of the definition.
    public let upstreams: [UpstreamDefinition]
    /// Whether it has a source node, or a family of them.
    package let hasSources: Bool
    /// Which nodes are made from members of source families.
    package let sourceReach: SourceReach
    /// The whole definition as JSON on one line, every key as it was given.
    ///
    /// Reading it gives an equal definition.
    public let text: String
    /// Equal for definitions with the same meaning, whatever their format, comments and order of
    /// keys: 32 hexadecimal digits.
    ///
    /// The order of the nodes counts, because clients see it.
    public let hash: String
    /// What comparing it needs.
    public let outline: DefinitionOutline
    /// Its difference from the definition that it was compared with.
    private var delta: DefinitionDelta?
    /// What in its file may not mean what it seems to.
    public internal(set) var warnings: [DefinitionProblem] = []
    package let lookup: NodeLookup

    init(
        name: String,
        title: String?,
        mode: Mode,
        nodes all: [NodeDefinition],
        access: [AccessRule] = [],
        ties: TieDefinitions = TieDefinitions(),
        sinks: [SinkDefinition] = [],
        upstreams: [UpstreamDefinition] = [],
        document: Document
    ) {
        self.name = name
        self.title = title
        self.mode = mode
        nodes = all.filter { $0.pattern == nil }
        families = all.filter { $0.pattern != nil }
        order = nodes.indices.sorted { [nodes] in nodes[$0].rank < nodes[$1].rank }
        self.access = access
        syncs = ties.syncs
        links = ties.links
        self.sinks = sinks
        self.upstreams = upstreams
        hasSources = all.contains { $0.feed != nil }
        sourceReach = SourceReach(of: hasSources ? all.sorted { $0.rank < $1.rank } : [])
        text = document.json()
        var settings: [String: String] = [:]
        for entry in document.entries ?? [] {
            guard let key = entry.key.scalar?.text, key != "nodes", key != "graph" else { continue }
            settings[key] = entry.value.json(isCanonical: true)
        }
        hash = Self.hash(name, settings, all)
        outline = DefinitionOutline(hash: hash, nodes: nodes, families: families, settings: settings)
        lookup = NodeLookup(nodes) { [places = outline.places, count = nodes.count] name in
            places[name].flatMap { $0 < count ? $0 : nil }
        }
    }

    /// The place in ``nodes`` of the node with that name; nil for families and unknown names.
    package func place(of name: String) -> Int? {
        outline.places[name].flatMap { $0 < nodes.count ? $0 : nil }
    }

    /// The node with that name, or the family with that name with placeholders.
    public subscript(name: String) -> NodeDefinition? {
        outline.places[name].map { self[place: $0] }
    }

    /// The node or family at that place of the ``outline``.
    package subscript(place place: Int) -> NodeDefinition {
        place < nodes.count ? nodes[place] : families[place - nodes.count]
    }

    /// The family that a node with that name would belong to.
    package func family(of name: String) -> NodeDefinition? {
        families.first { $0.pattern?.values(of: name) != nil }
    }

    /// Whether there is, or can be, a node with that name.
    package func means(_ name: String) -> Bool { outline.places[name] != nil || family(of: name) != nil }

    // MARK: - Changes

    /// Finds its difference from another definition now, on the thread that reads it: then
    /// changing a graph from that one to this one takes less time.
    public mutating func compare(with former: DefinitionOutline) {
        delta = DefinitionDelta(from: former, to: outline)
    }

    /// Its difference from a former definition of the graph.
    package func delta(from former: GraphDefinition) -> DefinitionDelta {
        if let delta, delta.formerHash == former.hash { return delta }
        return DefinitionDelta(from: former.outline, to: outline)
    }

    /// Takes over the parts of a former definition that are the same, to which nodes refer already.
    ///
    /// - Returns: its own ones, which are not needed then.
    package mutating func takeOver(from former: GraphDefinition, _ delta: DefinitionDelta) -> [NodeDefinition]
    {
        self.delta = nil
        var isOther = [Bool](repeating: false, count: delta.former.count)
        for place in delta.changed + delta.altered { isOther[place] = true }
        var unused: [NodeDefinition] = []
        unused.reserveCapacity(delta.former.count)
        for place in delta.former.indices where delta.former[place] >= 0 && !isOther[place] {
            let (own, same) = (self[place: place], former[place: Int(delta.former[place])])
            same.rank = own.rank
            unused.append(own)
            if place < nodes.count { nodes[place] = same } else { families[place - nodes.count] = same }
        }
        return unused
    }

    private static func hash(
        _ name: String,
        _ settings: [String: String],
        _ nodes: [NodeDefinition]
    ) -> String {
        var digest = FNV128()
        digest.add(name)
        for (key, text) in settings.sorted(by: { $0.key < $1.key }) {
            digest.add(key)
            digest.add(text)
        }
        for node in nodes {
            digest.add(node.name)
            digest.add(node.canonical)
        }
        return digest.text
    }
}
