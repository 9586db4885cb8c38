internal import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support

// Families in pictures (F-8): one entry represents all members that are not shown.
extension Picture {
    /// Whether a live picture with these members shows only some of all members.
    static func hidesMembers(of graph: LiveGraph, besides names: [String]?) -> Bool {
        names != nil || graph.members.livingCount > mostMembers
    }

    /// The members that some members are made from, or that are made from them, without passing
    /// declared nodes or globs.
    func relatives(of members: [NamedNode]) -> Set<AnyNode> {
        var found: Set<AnyNode> = []
        let start: [AnyNode] = members.compactMap { $0.family == nil ? nil : $0.living }
        start.walk { node in
            if node is any Gathering { return [] }
            if let named = graph.name(of: node), named.family == nil { return [] }
            found.insert(node)
            return node.neededNodes + node.downstreamNodes
        }
        return found
    }

    /// The families of the nodes that are not shown, each once, in the order of the definition.
    static func families(of nodes: [AnyNode], in graph: LiveGraph, besides shown: Set<UInt64>) -> [NodeFamily]
    {
        guard !graph.members.families.isEmpty else { return [] }
        var found: Set<ObjectIdentifier> = []
        for node in nodes where !shown.contains(node.id) {
            if let family = graph.name(of: node)?.family { found.insert(ObjectIdentifier(family)) }
        }
        return graph.members.families.filter { found.contains(ObjectIdentifier($0)) }
    }

    /// The families of which an entry uses members that are not shown.
    func families(of entry: Entry, besides shown: Set<UInt64>) -> [NodeFamily] {
        let isGathering = entry.node is any Gathering
        if let all = entry.members ?? (isGathering ? entry.inner?.part.of.members : nil) {
            // If a declared node has further steps, the first of them uses the members.
            guard isGathering || entry.node == nil || entry.named == nil else { return [] }
            return graph.members.families.filter { Glob.meet(all.glob, $0.pattern.glob) }
        }
        guard let named = entry.named else {
            return entry.node.map {
                Self.families(of: $0.neededNodes, in: graph, besides: shown)
            } ?? []
        }
        // A declared node has inputs even while it does not live.
        guard named.family == nil else { return [] }
        let followed = Self.families(of: entry.node?.followedNodes ?? [], in: graph, besides: shown)
        return followed
            + named.inputNames.compactMap { name in
                if let input = graph.existing(name) {
                    if input.family == nil || input.living.map({ shown.contains($0.id) }) == true {
                        return nil
                    }
                }
                return graph.members.family(of: name)
            }
    }
}

extension NodeFamily {
    /// Appends
    /// `{"name":"sensor.{id}.hot","kind":"derived","op":"from","inputs":["sensor.{id}.celsius"],"members":3,"alive":1}`
    /// and the definition's properties; `members` counts those that globs match.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{")
        buffer.member("name", pattern.text)
        buffer.member("kind", definition.kindName.rawValue)
        buffer.append(facts: definition, inputs: definition.joined.map { [$0.text] } ?? definition.inputs)
        buffer.member("members", shown)
        buffer.member("alive", living)
        buffer.append("}")
    }
}

extension ByteBuffer {
    /// Appends `,"families":["sensor.{id}.celsius"]`; nothing if there are none.
    mutating func append(families: [NodeFamily]) {
        guard !families.isEmpty else { return }
        member("families", list: families) { $1.append(json: $0.pattern.text) }
    }
}
