internal import Support
public import Values

extension GraphDefinition {
    /// The most problems that are reported; a file can have one in each of its lines.
    static let mostProblems = 100

    /// Reads a whole graph and reports its problems at once, in the order of their places.
    ///
    /// Without a `graph` key the graph gets the file's name without folder and extension. With
    /// `named`, it has that name whatever its file, and a `graph` key must be equal to it.
    public static func read(
        _ document: Document,
        file: String?,
        named name: String? = nil,
        options: DefinitionOptions = DefinitionOptions()
    ) -> (definition: GraphDefinition?, problems: [DefinitionProblem]) {
        let reader = DocumentReader(file: file, options: options)
        var definition = GraphDefinition(document, named: name, from: reader)
        definition?.warnings = reader.warnings
        let found = reader.sortedProblems
        var problems = found.prefix(mostProblems).map { problem in
            var problem = problem
            problem.pointer = document.pointer(to: problem.position)
            return problem
        }
        if found.count > mostProblems {
            let message = "\(found.count - mostProblems) further problems are not shown"
            problems.append(DefinitionProblem(message, file: file, at: found[mostProblems].position))
        }
        return (problems.isEmpty ? definition : nil, problems)
    }

    /// The keys of a graph: its own, and the sections of the catalogue.
    package static func fields(in catalogue: Catalogue) -> [Schema.Field] {
        ownFields
            + catalogue.all.compactMap { row in
                guard case .section(let schema) = row.form else { return nil }
                return .optional(row.name, schema(), row.summary)
            }
    }

    private static let ownFields: [Schema.Field] = [
        .optional("graph", .string(pattern: Name.pattern), "The graph's name; without it, the file's."),
        .optional("title", .text, "A name for people."),
        .optional(
            "mode",
            .word(Mode.self, default: .settled),
            "How changes travel: each node once and with all its inputs settled, or every path at once."
        ),
        .required(
            "nodes",
            .map(of: .part(within: "node")).with("propertyNames", .schema(.node))
                .with("maxProperties", .number(DefinitionOptions().mostNodes)),
            "The nodes by name, in any order."
        ),
        .optional(
            "sinks",
            SinkDefinition.schema,
            "Where values are sent, by the names of the sinks; see docs/sinks.md."
        ),
        .optional(
            "upstreams",
            UpstreamDefinition.schema,
            "Where the values of source nodes come from, by name; see docs/sources.md."
        ),
        .optional("access", AccessRule.schema, "Who may do what; without it, a token decides."),
    ]

    private init?(_ document: Document, named wanted: String?, from reader: DocumentReader) {
        guard let members = reader.members(document, of: "a graph") else { return nil }
        let sections = reader.options.catalogue.all.filter(\.isSection).map(\.name)
        let keys = Self.ownFields.map(\.key) + sections
        var fields: [String: Document] = [:]
        for (key, entry) in members {
            if keys.contains(key) {
                fields[key] = entry.value
            } else {
                reader.addUnknown("unknown key '\(key)' of a graph", entry.key, among: keys)
            }
        }
        let name = Self.name(fields["graph"], document, wanted, from: reader)
        let title = fields["title"].flatMap { reader.text($0, of: "title") }
        let mode = fields["mode"].flatMap { reader.word($0, of: "mode") } ?? Mode.settled
        let access = fields["access"].map { AccessRule.list($0, from: reader) } ?? []
        let upstreams = fields["upstreams"].map { UpstreamDefinition.section($0, from: reader) } ?? []
        guard let nodes = fields["nodes"] else {
            reader.add("a graph needs 'nodes'", at: document.position)
            return nil
        }
        let sinks = fields["sinks"].map { SinkDefinition.section($0, from: reader) } ?? []
        let ties = TieDefinitions(sync: fields["sync"], links: fields["links"], from: reader)
        guard let section = NodeSection(nodes, ties, from: reader) else { return nil }
        ties.check(section.nodes, reader)
        UpstreamDefinition.check(upstreams, section.nodes, reader)
        SinkDefinition.check(sinks, section.nodes, upstreams, reader)
        Deliveries.check(section, mode, reader)
        guard let name else { return nil }
        for (rank, place) in section.order.enumerated() { section.nodes[place].rank = rank }
        self.init(
            name: name,
            title: title,
            mode: mode,
            nodes: section.nodes,
            access: access,
            ties: ties,
            sinks: sinks,
            upstreams: upstreams,
            document: document
        )
    }

    private static func name(
        _ document: Document?,
        _ whole: Document,
        _ wanted: String?,
        from reader: DocumentReader
    ) -> String? {
        guard let document else {
            if let wanted { return wanted }
            let name = (reader.file ?? "").split(separator: "/").last.map(String.init) ?? ""
            let stem = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
            guard Name.isValid(stem) else {
                return reader.refuse(
                    "the graph has no name",
                    at: whole.position,
                    hint: "write 'graph: NAME', or give the file a name that a graph can have"
                )
            }
            return stem
        }
        guard let text = reader.text(document, of: "graph") else { return nil }
        guard Name.isValid(text) else {
            return reader.refuse(
                "'\(text)' cannot be the name of a graph",
                at: document.position,
                hint: DocumentReader.nameHint
            )
        }
        if let wanted, text != wanted {
            return reader.refuse("the graph is called '\(wanted)' here, not '\(text)'", at: document.position)
        }
        return text
    }
}
