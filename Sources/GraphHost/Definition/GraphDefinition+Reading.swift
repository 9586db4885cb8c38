extension GraphDefinition {
    /// The most nodes of one graph (wire-protocol.md §5).
    public static let mostNodes = 100_000

    /// Reads a whole graph and reports everything that is wrong with it at once.
    ///
    /// - Parameters:
    ///   - document: the file as a tree.
    ///   - file: the file's name for messages; without a `graph` key the graph is called as the file, less folder
    ///     and extension.
    ///   - options: what expressions and patterns may use.
    /// - Returns: the definition when there are no problems, and the problems in the order of their places.
    public static func read(
        _ document: Document,
        file: String?,
        options: DefinitionOptions = DefinitionOptions()
    ) -> (definition: GraphDefinition?, problems: [Problem]) {
        let notebook = Notebook(file: file, options: options)
        let definition = notebook.graph(document)
        let problems = notebook.sorted
        return (problems.isEmpty ? definition : nil, problems)
    }
}

extension Notebook {
    private static let graphKeys = ["graph", "title", "mode", "nodes", "access"]
    private static let laterGraphKeys: Set<String> = ["sync", "links"]

    fileprivate func graph(_ document: Document) -> GraphDefinition? {
        guard let members = members(document, of: "a graph") else { return nil }
        var fields: [String: Document] = [:]
        for (key, entry) in members {
            if Notebook.graphKeys.contains(key) {
                fields[key] = entry.value
            } else if Notebook.laterGraphKeys.contains(key) {
                add("'\(key)' is not supported by this version", at: entry.key.position)
            } else {
                add(
                    "unknown key '\(key)' of a graph",
                    at: entry.key.position,
                    hint: Spelling.hint(for: key, among: Notebook.graphKeys)
                )
            }
        }
        let name = graphName(fields["graph"], document)
        let title = fields["title"].flatMap { text($0, of: "title") }
        let mode: GraphDefinition.Mode? = fields["mode"].flatMap { word($0, of: "mode") }
        let access = fields["access"].map(accessRules) ?? []
        guard let section = fields["nodes"] else {
            add("a graph needs 'nodes'", at: document.position)
            return nil
        }
        guard let (nodes, order) = nodes(section), let name else { return nil }
        return GraphDefinition(
            name: name,
            title: title,
            mode: mode ?? .settled,
            nodes: nodes,
            order: order,
            access: access
        )
    }

    private func graphName(_ document: Document?, _ whole: Document) -> String? {
        guard let document else {
            let name = (file ?? "").split(separator: "/").last.map(String.init) ?? ""
            let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
            guard Words.isName(stem) else {
                add(
                    "the graph has no name",
                    at: whole.position,
                    hint: "write 'graph: NAME', or give the file a name that a graph can have"
                )
                return nil
            }
            return stem
        }
        guard let text = text(document, of: "graph") else { return nil }
        guard Words.isName(text) else {
            add("'\(text)' cannot be the name of a graph", at: document.position, hint: Notebook.nameHint)
            return nil
        }
        return text
    }

    /// All nodes, and an order in which each stands behind those it is made from.
    private func nodes(_ section: Document) -> (nodes: [NodeDefinition], order: [Int])? {
        guard let members = members(section, of: "nodes") else { return nil }
        guard members.count <= GraphDefinition.mostNodes else {
            add("a graph has at most \(GraphDefinition.mostNodes) nodes", at: section.position)
            return nil
        }
        let names = members.map(\.key)
        let index = Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var nodes: [NodeDefinition] = []
        var upstream: [[NodeReference]] = []
        var unknown = 0
        for (name, entry) in members {
            var references: [NodeReference] = []
            if let node = node(name, entry, references: &references) {
                nodes.append(node)
            }
            for reference in references where index[reference.node] == nil {
                unknown += 1
                // Guessing costs time by the number of names; a file with so many mistakes needs no guesses.
                let hint = unknown <= 20 ? Spelling.hint(for: reference.node, among: names) : nil
                add(
                    "there is no node '\(reference.node)'",
                    code: .unknownNode,
                    at: reference.position,
                    hint: hint
                )
            }
            upstream.append(references.filter { index[$0.node] != nil })
        }
        let order = NodeOrder(names: names, upstream: upstream, index: index)
        for cycle in order.cycles {
            add(
                "a node cannot be made from itself: \(cycle.names.joined(separator: " → "))",
                at: cycle.position,
                hint: "cycles are declared under 'links', in a later version"
            )
        }
        return nodes.count == names.count ? (nodes, order.sorted) : nil
    }
}
