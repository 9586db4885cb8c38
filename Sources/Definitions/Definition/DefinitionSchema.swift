internal import Support
package import Values

extension Catalogue {
    /// The JSON Schema of graph definitions, for editors: made from the rows of operators and of
    /// the keys of nodes.
    public var definitionSchema: String {
        let schemas = definitionSchemas
        let parts = Schema.parts(of: schemas).map { part in
            Schema.Field.optional(part.name, part.schema)
        }
        var text = ByteBuffer()
        schemas[0].with("$defs", .fields(parts)).append(to: &text, references: "#/$defs/")
        do throws(DefinitionProblem) {
            return try Document.parse(json: String(decoding: text.bytes, as: UTF8.self)).lines()
        } catch {
            preconditionFailure("the schema is no JSON: \(error)")
        }
    }

    /// The schema of a graph, and the parts that it refers to by name only.
    package var definitionSchemas: [Schema] {
        let graph = Schema.any
            .with("$schema", "https://json-schema.org/draft/2020-12/schema")
            .with("title", "A graph of a Sluice server")
            .described(
                """
                What config/graphs/*.yaml may contain. The server checks more: that the nodes named \
                exist, that none is made from itself except by links, that expressions are right and \
                that initial values pass their own checks. Try `sluice check FILE`.
                """
            )
            .and(.mapping(GraphDefinition.fields(in: self)))
        let node = Schema.part("node", .oneOf([mutableSchema, sourceSchema] + derivedSchemas))
        let pipe = Schema.list(of: stageSchema).with("maxItems", .number(Stage.longestPipe))
        return [graph, node, .part("pipe", pipe)]
    }

    /// What a node that is set may be.
    private var mutableSchema: Schema {
        Schema.any.with("title", "set").and(.mapping(NodeKeys.all.compactMap { $0.field(of: .mutable) }))
    }

    /// What a node may be that an upstream sets.
    private var sourceSchema: Schema {
        Schema.any.with("title", "source").and(.mapping(NodeKeys.all.compactMap { $0.field(of: .source) }))
    }

    /// What a derived node may be: one form for each source.
    private var derivedSchemas: [Schema] {
        all.compactMap { row in
            guard case .source(_, let type, _) = row.form else { return nil }
            let fields = [.required(row.name, type.schema, row.summary)] + type.beside
            let keys = NodeKeys.all.compactMap { $0.field(of: .derived) }
            return Schema.any.with("title", .text(row.name)).and(.mapping(fields + keys))
        }
    }

    /// What a stage may be: a word, or a mapping with one key.
    private var stageSchema: Schema {
        var words: [String] = []
        var fields: [Schema.Field] = []
        for row in all {
            guard case .stage(let type, _) = row.form else { continue }
            for word in [row.name] + (row.alias.map { [$0] } ?? []) {
                if type.isOptional { words.append(word) }
                fields.append(.optional(word, type.schema, row.summary))
            }
        }
        return .part(
            "stage",
            .oneOf([
                Schema.any.described("Stages that need no argument.").and(.oneOf(words: words)),
                .object(fields).with("minProperties", 1).with("maxProperties", 1)
                    .with("additionalProperties", false),
            ])
        )
    }

    /// The JSON Schema of a client's pipeline.
    ///
    /// A pipeline begins with a node, or with one of ``clientSources``; beside it are stages and
    /// the source's own keys.
    package var pipelineSchema: Schema {
        var forms = [Self.form("node", beside: [:])]
        var fields: [Schema.Field] = [.optional("node", .node, "The node whose values it takes.")]
        var siblings: [String: Schema.Field] = [:]
        for row in all where clientSources.contains(row.name) {
            guard case .source(_, let type, _) = row.form else { continue }
            fields.append(.optional(row.name, type.schema, row.summary))
            let beside = type.beside.filter { Source.clientKeys.contains($0.key) }
            for field in beside {
                siblings[field.key] = .optional(field.key, field.schema, field.description)
            }
            forms.append(
                Self.form(
                    row.name,
                    beside: Dictionary(uniqueKeysWithValues: beside.map { ($0.key, $0.isRequired) })
                )
            )
        }
        fields += siblings.keys.sorted().compactMap { siblings[$0] }
        fields.append(.optional("pipe", .list(of: .type("string", "object"))))
        return .part("Pipeline", Schema.object(fields).and(.oneOf(forms)))
    }

    /// One way to write a pipeline: which keys it needs, and which of the others it may not have.
    private static func form(_ source: String, beside keys: [String: Bool]) -> Schema {
        let required = [source] + keys.keys.filter { keys[$0] == true }.sorted()
        let refused = Source.clientKeys.filter { keys[$0] == nil }.map { Schema.requires([$0]) }
        let form = Schema.requires(required)
        return refused.isEmpty ? form : form.with("not", .schema(.anyOf(refused)))
    }
}

extension Document {
    /// JSON for people: what fits on one line is written on one line.
    fileprivate func lines(indent: String = "") -> String {
        let inner = indent + "  "
        let parts: [String]
        if let entries {
            parts = entries.map { "\($0.key.json()): \($0.value.lines(indent: inner))" }
        } else if let elements {
            parts = elements.map { $0.lines(indent: inner) }
        } else {
            return json()
        }
        let brackets = entries == nil ? ("[", "]") : ("{", "}")
        let line = parts.joined(separator: ", ")
        guard line.utf8.contains(UInt8(ascii: "\n")) || indent.utf8.count + line.utf8.count > 100 else {
            return brackets.0 + line + brackets.1
        }
        let start = "\n" + inner
        return brackets.0 + start + parts.joined(separator: "," + start) + "\n" + indent + brackets.1
    }
}
