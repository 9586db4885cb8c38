public import Graphs
internal import Definitions
internal import ReactiveGraph
internal import Support
internal import Values

// Nodes and members of families by name, page by page (F-8).
extension GraphView {
    public static var longestPage: Int { 1_000 }

    /// The most names looked at for one page.
    ///
    /// A page that reaches this is short, and the next one goes on from there.
    private static var mostLooks: Int { 10_000 }

    /// At most `limit` nodes that match a name or glob and that the caller may read, in the byte
    /// order of their names, from those after `after` on.
    ///
    /// A page ends as soon as its values have ``SessionLimits/answerBytes``.
    ///
    /// - Returns: JSON, `{"epoch","rev","t","nodes":[{"name","kind","v"|"empty"|"fail"}],"next"}`;
    ///   `next` asks for the next page, if there may be one.
    public func page(matching glob: String, after: String?, limit: Int) -> [UInt8] {
        var (names, next) = names(matching: glob, after: after, limit: limit)
        var values: [Node<Datum>] = []
        var bytes = 0
        for node in names {
            guard values.isEmpty || bytes < graph.host.limits.answerBytes else { break }
            values.append(graph.builder.materialise(node))
            bytes += values.last?.value?.knownByteCount ?? 0
        }
        if values.count < names.count {
            names.removeSubrange(values.count...)
            next = names.last?.name
        }
        var buffer = ByteBuffer()
        buffer.append("{")
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.member("nodes", objects: zip(names, values)) { entry, buffer in
            let (node, living) = entry
            buffer.member("name", node.name)
            buffer.member("kind", node.definition.kindName.rawValue)
            buffer.member("family", node.family?.pattern.text)
            buffer.append(",")
            graph.host.work += 1
            Subscription.append(living.value, to: &buffer)
        }
        buffer.member("next", next)
        buffer.append("}\n")
        return Array(buffer.bytes)
    }

    func names(
        matching glob: String,
        after: String?,
        limit: Int
    ) -> (nodes: [NamedNode], next: String?) {
        let prefix = Glob.prefix(of: glob)
        var declared = DeclaredNames(of: graph.definition, matching: glob, prefix: prefix, after: after)
        var found: [NamedNode] = []
        var next: String?
        var looks = 0
        var last = after
        /// Whether there is room for more.
        func take(_ name: String) -> Bool {
            guard found.count < limit else {
                next = last
                return false
            }
            last = name
            if let node = graph.node(name), access.rights(on: node).contains(.read) { found.append(node) }
            return true
        }
        graph.members.names.visit(prefix: prefix, after: after) { name in
            while let first = declared.first, first < name {
                guard take(first) else { return false }
                declared.advance()
            }
            looks += 1
            guard looks <= Self.mostLooks else {
                next = last ?? after
                return false
            }
            guard NodeSelection.matches(glob, name) else {
                last = name
                return true
            }
            return take(name)
        }
        while next == nil, let first = declared.first {
            guard take(first) else { break }
            declared.advance()
        }
        graph.host.work += Access.work(looking: looks + declared.looks)
        return (found, next)
    }
}

/// The names of declared nodes for a page, one after the other: it looks no further than the page
/// goes.
private struct DeclaredNames {
    /// The next one; nil at the end.
    private(set) var first: String?
    /// How many names were looked at.
    private(set) var looks = 0
    private let nodes: [NodeDefinition]
    private var places: ArraySlice<Int32>
    private let glob: String
    private let prefix: String

    init(of definition: GraphDefinition, matching glob: String, prefix: String, after: String?) {
        nodes = definition.nodes
        places = definition.lookup.places(from: max(prefix, after ?? ""), in: nodes)
        (self.glob, self.prefix) = (glob, prefix)
        if let place = places.first, nodes[Int(place)].name == after { places.removeFirst() }
        advance()
    }

    mutating func advance() {
        first = nil
        while let place = places.popFirst() {
            let name = nodes[Int(place)].name
            looks += 1
            guard name.utf8.starts(with: prefix.utf8) else { return places = [] }
            if NodeSelection.matches(glob, name) { return first = name }
        }
    }
}
