internal import Values

extension JSONSchema {
    /// Keywords that inform people and do not affect the check.
    private static let annotations = [
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
        "$schema",
        "$id",
    ]

    /// Reads the supported part of JSON Schema.
    ///
    /// Other keywords are problems, so that nothing seems to be checked that is not.
    convenience init?(_ document: Document, from reader: DocumentReader) {
        let before = reader.problems.count
        self.init()
        if case .bool(let passes)? = document.scalar?.value {
            isNever = !passes
            return
        }
        guard let members = reader.members(document, of: "a schema") else { return nil }
        var fields: [String: Document] = [:]
        for (word, entry) in members where !Self.annotations.contains(word) {
            guard Self.keywords.contains(word) else {
                let message = "'\(word)' is not a supported keyword of JSON Schema"
                reader.addUnknown(message, entry.key, among: Self.keywords)
                continue
            }
            fields[word] = entry.value
        }
        readValues(fields, reader)
        readSizes(fields, reader)
        readParts(fields, reader)
        guard reader.problems.count == before else { return nil }
    }

    private func readValues(_ fields: [String: Document], _ reader: DocumentReader) {
        if let document = fields["type"] {
            let stated: [Kind] = (document.elements ?? [document]).compactMap {
                reader.word($0, of: "type")
            }
            kinds = stated.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        if let document = fields["enum"] {
            if let elements = document.elements, !elements.isEmpty {
                allowed = AllowedValues(elements.compactMap(reader.datum))
            } else {
                reader.add("enum must be a list of values", at: document.position)
            }
        }
        if let value = fields["const"].flatMap(reader.datum) {
            allowed = allowed?.contains(value) == false ? [] : [value]
        }
        minimum = fields["minimum"].flatMap { reader.number($0, of: "minimum") }
        maximum = fields["maximum"].flatMap { reader.number($0, of: "maximum") }
        pattern = fields["pattern"].flatMap(reader.matcher)
        above = fields["exclusiveMinimum"].flatMap { reader.number($0, of: "exclusiveMinimum") }
        below = fields["exclusiveMaximum"].flatMap { reader.number($0, of: "exclusiveMaximum") }
    }

    private func readSizes(_ fields: [String: Document], _ reader: DocumentReader) {
        func range(_ low: String, _ high: String) -> ClosedRange<Int>? {
            guard fields[low] != nil || fields[high] != nil else { return nil }
            let least = fields[low].flatMap { reader.count($0, of: low, in: 0...Int.max) } ?? 0
            let most = fields[high].flatMap { reader.count($0, of: high, in: 0...Int.max) } ?? .max
            if least > most, let place = fields[high] {
                reader.add("\(high) is below \(low): no value could be set", at: place.position)
            }
            return least <= most ? least...most : nil
        }
        length = range("minLength", "maxLength")
        elements = range("minItems", "maxItems")
        members = range("minProperties", "maxProperties")
    }

    private func readParts(_ fields: [String: Document], _ reader: DocumentReader) {
        items = fields["items"].flatMap { JSONSchema($0, from: reader) }
        additional = fields["additionalProperties"].flatMap { JSONSchema($0, from: reader) }
        not = fields["not"].flatMap { JSONSchema($0, from: reader) }
        firstItems = fields["prefixItems"].map { Self.list($0, of: "prefixItems", from: reader) } ?? []
        self.all = fields["allOf"].map { Self.list($0, of: "allOf", from: reader) } ?? []
        self.any = fields["anyOf"].map { Self.list($0, of: "anyOf", from: reader) }
        one = fields["oneOf"].map { Self.list($0, of: "oneOf", from: reader) }
        for (name, entry) in fields["properties"].flatMap({ reader.members($0, of: "properties") }) ?? [] {
            names.add(name, JSONSchema(entry.value, from: reader))
        }
        guard let document = fields["required"] else { return }
        guard let elements = document.elements else {
            return reader.add(
                "required must be a list of names, not \(document.kindName)",
                at: document.position
            )
        }
        for name in elements.compactMap({ reader.text($0, of: "an element of required") }) {
            names.require(name)
        }
    }

    private static func list(
        _ document: Document,
        of what: String,
        from reader: DocumentReader
    ) -> [JSONSchema] {
        guard let elements = document.elements, !elements.isEmpty else {
            reader.add("\(what) must be a list of schemas", at: document.position)
            return []
        }
        return elements.compactMap { JSONSchema($0, from: reader) }
    }
}

extension JSONSchema {
    /// The part of JSON Schema that a node's `schema` may use.
    static let ownSchema = Schema.part(
        "schema",
        .type("object", "boolean").with("additionalProperties", false).and(
            .properties(fields + annotations.map { .optional($0, .any) })
        )
    )

    private static let keywords = fields.map(\.key)
    private static let fields: [Schema.Field] = [
        .optional("type", .anyOf([type, .list(of: type)])),
        .optional("enum", .list(of: .any, 1)),
        .optional("minimum", .number),
        .optional("maximum", .number),
        .optional("exclusiveMinimum", .number),
        .optional("exclusiveMaximum", .number),
        .optional("minLength", .count(0)),
        .optional("maxLength", .count(0)),
        .optional("pattern", .text),
        .optional("items", inner),
        .optional("prefixItems", inners),
        .optional("minItems", .count(0)),
        .optional("maxItems", .count(0)),
        .optional("properties", .map(of: inner)),
        .optional("required", .list(of: .text)),
        .optional("additionalProperties", inner),
        .optional("minProperties", .count(0)),
        .optional("maxProperties", .count(0)),
        .optional("allOf", inners),
        .optional("anyOf", inners),
        .optional("oneOf", inners),
        .optional("not", inner), .optional("const", .any),
    ]

    private static let type = Schema.part(
        "schemaType",
        .word(JSONSchema.Kind.self)
    )
    private static let inner = Schema.part(within: "schema")
    private static let inners = Schema.part("schemas", .list(of: inner, 1))
}
