internal import CEL
internal import Support

extension GraphDefinition {
    /// Reads a whole graph and reports all problems at once.
    ///
    /// - Parameters:
    ///   - document: the file as a tree.
    ///   - file: the file's name for messages; without a `graph` key the graph gets the file's name
    ///     without folder and extension.
    ///   - name: the name of the graph, whatever its file; a `graph` key must be equal to it.
    ///   - options: what expressions and patterns may use.
    /// - Returns: the definition if there are no problems, and the problems in the order of their
    ///   places.
    public static func read(
        _ document: Document,
        file: String?,
        named name: String? = nil,
        options: DefinitionOptions = DefinitionOptions()
    ) -> (definition: GraphDefinition?, problems: [DefinitionProblem]) {
        let notebook = Notebook(file: file, options: options)
        let definition = notebook.graph(document, named: name)
        let problems = notebook.sorted.map { problem in
            var problem = problem
            problem.pointer = document.pointer(to: problem.position)
            return problem
        }
        return (problems.isEmpty ? definition : nil, problems)
    }
}

extension Notebook {
    private static let graphKeys = ["graph", "title", "mode", "nodes", "sync", "links", "sinks", "access"]

    fileprivate func graph(_ document: Document, named wanted: String?) -> GraphDefinition? {
        guard let members = members(document, of: "a graph") else { return nil }
        var fields: [String: Document] = [:]
        for (key, entry) in members {
            if Notebook.graphKeys.contains(key) {
                fields[key] = entry.value
            } else {
                add(
                    "unknown key '\(key)' of a graph",
                    at: entry.key.position,
                    hint: Spelling.hint(for: key, among: Notebook.graphKeys)
                )
            }
        }
        let name = graphName(fields["graph"], document, wanted)
        let title = fields["title"].flatMap { text($0, of: "title") }
        let mode: GraphDefinition.Mode? = fields["mode"].flatMap { word($0, of: "mode") }
        let access = fields["access"].map(accessRules) ?? []
        guard let section = fields["nodes"] else {
            add("a graph needs 'nodes'", at: document.position)
            return nil
        }
        let sinks = fields["sinks"].map(sinks) ?? []
        let ties = ties(sync: fields["sync"], links: fields["links"])
        guard let (read, order, families) = nodes(section, ties) else { return nil }
        var nodes = read
        checkTies(ties, &nodes)
        checkSinks(sinks, nodes)
        checkDeliveries(nodes, order: order, mode: mode ?? .settled, families)
        guard let name else { return nil }
        for (rank, place) in order.enumerated() { nodes[place].rank = rank }
        return GraphDefinition(
            name: name,
            title: title,
            mode: mode ?? .settled,
            nodes: nodes,
            access: access,
            ties: ties,
            sinks: sinks.map(\.sink),
            document: document
        )
    }

    private func graphName(_ document: Document?, _ whole: Document, _ wanted: String?) -> String? {
        guard let document else {
            if let wanted { return wanted }
            let name = (file ?? "").split(separator: "/").last.map(String.init) ?? ""
            let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
            guard Name.isValid(stem) else {
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
        guard Name.isValid(text) else {
            add("'\(text)' cannot be the name of a graph", at: document.position, hint: Notebook.nameHint)
            return nil
        }
        if let wanted, text != wanted {
            add("the graph is called '\(wanted)' here, not '\(text)'", at: document.position)
            return nil
        }
        return text
    }

    /// All nodes, and an order in which each comes after the nodes it is made from.
    private func nodes(
        _ section: Document,
        _ ties: TieDefinitions
    ) -> (nodes: [NodeDefinition], order: [Int], families: FamilyIndex)? {
        guard let members = members(section, of: "nodes") else { return nil }
        guard members.count <= options.mostNodes else {
            add(
                "a graph has at most \(options.mostNodes) nodes",
                code: .tooLarge,
                at: section.position,
                hint: "limits.nodes"
            )
            return nil
        }
        types = KnownTypes(declaredIn: members, except: ties)
        defer { types = KnownTypes() }
        var nodes: [NodeDefinition] = []
        // The names in the order of the file; the sides of an `if` come right after its own name.
        var names: [String] = []
        var sidePlaces: [String: Position] = [:]
        var upstream: [[NodeReference]] = []
        var joins: [Int: GlobReference] = [:]
        for (name, entry) in members {
            var references: [NodeReference] = []
            var sides: [NodeReference] = []
            nodes += node(name, entry, &references, &sides)
            joins[names.count] = globs.popLast()
            globs = []
            names.append(name)
            upstream.append(references)
            for side in sides {
                names.append(side.node)
                sidePlaces[side.node] = side.position
                upstream.append([NodeReference(node: name, position: side.position)])
            }
        }
        var index = index(of: names, sidePlaces)
        let families = familyIndex(of: names, index)
        checkReferences(&upstream, names, &index, families)
        connect(joins, names, nodes, &upstream)
        checkCases(nodes)
        checkOverlaps(nodes)
        let order = NodeOrder(names: names, upstream: upstream, index: index)
        for cycle in order.cycles {
            add(
                "a node cannot be made from itself: \(cycle.names.joined(separator: " → "))",
                at: cycle.position,
                hint: joins.values.contains { $0.position == cycle.position }
                    ? "the glob must match neither the node itself nor what is made from it"
                    : "declare an edge that closes a cycle under 'links'"
            )
        }
        return nodes.count == names.count ? (nodes, order.sorted, families) : nil
    }

    /// The index of each name; reports names under `then` and `else` that already exist.
    private func index(of names: [String], _ sidePlaces: [String: Position]) -> [String: Int] {
        var index: [String: Int] = [:]
        for (place, name) in names.enumerated() {
            guard index[name] != nil else {
                index[name] = place
                continue
            }
            add("a node '\(name)' exists already", at: sidePlaces[name] ?? .start)
        }
        return index
    }

    /// Reports names of nodes that do not exist, and removes them; a member of a family gets the
    /// family's index.
    private func checkReferences(
        _ upstream: inout [[NodeReference]],
        _ names: [String],
        _ index: inout [String: Int],
        _ families: FamilyIndex
    ) {
        for place in upstream.indices {
            for reference in upstream[place] where index[reference.node] == nil {
                if let family = families.place(of: reference.node) {
                    index[reference.node] = family
                    continue
                }
                addUnknown(node: reference.node, among: names, at: reference.position)
            }
            upstream[place].removeAll { index[$0.node] == nil }
        }
    }

    /// Reports the first case above the limit of each switch.
    private func checkCases(_ nodes: [NodeDefinition]) {
        var cases: [String: Int] = [:]
        for node in nodes {
            guard case .derived(let derived) = node.kind, let of = derived.source.caseOf else { continue }
            cases[of, default: 0] += 1
            if cases[of] == options.switchKeys + 1 {
                add(
                    "a switch has at most \(options.switchKeys) cases",
                    at: node.position,
                    hint: "limits.switchKeys"
                )
            }
        }
    }
}
