internal import ReactiveGraph
internal import Support

// Families in pictures (F-8): one entry stands for all members that are not shown.
extension Picture {
    /// Whether a live picture that is asked for these members shows only some of those that there are.
    static func hidesMembers(of graph: LiveGraph, besides names: [String]?) -> Bool {
        names != nil || graph.livingMembers > mostMembers
    }

    /// The members that some members are made from, or that are made from them, over no declared node and no glob.
    func relatives(of members: [NamedNode]) -> Set<AnyNode> {
        var found: Set<AnyNode> = []
        var open: [AnyNode] = members.compactMap { $0.family == nil ? nil : $0.living }
        while let next = open.popLast() {
            if next is any Gathering { continue }
            if let named = graph.name(of: next), named.family == nil { continue }
            guard found.insert(next).inserted else { continue }
            open += next.upstreamNodes + next.followedNodes + next.downstreamNodes
        }
        return found
    }

    /// The families that the nodes belong to that are not shown, each once, in the order of the definition.
    static func families(of nodes: [AnyNode], in graph: LiveGraph, besides shown: Set<UInt64>) -> [NodeFamily]
    {
        guard !graph.families.isEmpty else { return [] }
        var found: Set<ObjectIdentifier> = []
        for node in nodes where !shown.contains(node.id) {
            if let family = graph.name(of: node)?.family { found.insert(ObjectIdentifier(family)) }
        }
        return graph.families.filter { found.contains(ObjectIdentifier($0)) }
    }

    /// The families that an entry is made from by members that are not shown.
    func families(of entry: Entry, besides shown: Set<UInt64>) -> [NodeFamily] {
        let isGathering = entry.node is any Gathering
        if let all = entry.members ?? (isGathering ? entry.inner?.of.members : nil) {
            // The members of a declared node with further steps come in by the first of them.
            guard isGathering || entry.node == nil || entry.named == nil else { return [] }
            return graph.families.filter { Glob.meet(all.glob, $0.pattern.glob) }
        }
        guard let named = entry.named else {
            return entry.node.map { Self.families(of: $0.upstreamNodes, in: graph, besides: shown) } ?? []
        }
        // A declared node has its inputs also while it does not exist.
        guard named.family == nil else { return [] }
        return named.inputNames.compactMap { name in
            if let input = graph.existing(name) {
                if input.family == nil || input.living.map({ shown.contains($0.id) }) == true { return nil }
            }
            return graph.family(of: name)
        }
    }
}

extension NodeFamily {
    /// Appends `{"name":"sensor.{id}.hot","kind":"derived","op":"from","inputs":["sensor.{id}.celsius"],"members":3,"alive":1}`, with what
    /// the definition says about each member; `members` are those that globs mean.
    func append(to buffer: inout ByteBuffer) {
        buffer.append("{\"name\":")
        buffer.append(json: pattern.text)
        buffer.append(",\"kind\":")
        buffer.append(json: definition.kindName)
        buffer.append(facts: definition, inputs: definition.inputs)
        buffer.append(",\"members\":")
        buffer.append(decimal: shown)
        buffer.append(",\"alive\":")
        buffer.append(decimal: living)
        buffer.append("}")
    }
}

extension ByteBuffer {
    /// Appends `,"families":["sensor.{id}.celsius"]`; nothing without any.
    mutating func append(families: [NodeFamily]) {
        guard !families.isEmpty else { return }
        append(",\"families\":")
        append(list: families) { $1.append(json: $0.pattern.text) }
    }
}
