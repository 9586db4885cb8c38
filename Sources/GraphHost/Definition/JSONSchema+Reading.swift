internal import CEL

extension Notebook {
    /// Keywords that inform people and do not affect the check.
    private static let annotations: Set<String> = [
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment",
        "$schema",
        "$id",
    ]

    /// Keywords that are checked.
    private static let keywords = [
        "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
        "maxLength", "pattern", "items", "prefixItems", "minItems", "maxItems", "properties", "required",
        "additionalProperties", "minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not",
    ]

    /// Reads the supported part of JSON Schema.
    ///
    /// Other keywords are problems, so that nothing seems to be checked that is not.
    func schema(_ document: Document) -> JSONSchema? {
        let before = problems.count
        let schema = JSONSchema()
        if case .bool(let passes)? = document.scalar?.value {
            schema.isNever = !passes
            return schema
        }
        guard let members = members(document, of: "a schema") else { return nil }
        var fields: [String: Document] = [:]
        for (word, entry) in members where !Notebook.annotations.contains(word) {
            guard Notebook.keywords.contains(word) else {
                add(
                    "'\(word)' is not a supported keyword of JSON Schema",
                    at: entry.key.position,
                    hint: Spelling.hint(for: word, among: Notebook.keywords)
                )
                continue
            }
            fields[word] = entry.value
        }
        values(of: schema, fields)
        sizes(of: schema, fields)
        parts(of: schema, fields)
        return problems.count == before ? schema : nil
    }

    private func values(of schema: JSONSchema, _ fields: [String: Document]) {
        if let document = fields["type"] {
            let kinds: [JSONSchema.Kind] = (document.elements ?? [document]).compactMap {
                word($0, of: "type")
            }
            schema.kinds = kinds.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        }
        if let document = fields["enum"] {
            if let elements = document.elements, !elements.isEmpty {
                schema.allowed = AllowedValues(elements.compactMap(datum))
            } else {
                add("enum must be a list of values", at: document.position)
            }
        }
        if let value = fields["const"].flatMap(datum) {
            schema.allowed = schema.allowed?.contains(value) == false ? [] : [value]
        }
        schema.minimum = fields["minimum"].flatMap { number($0, of: "minimum") }
        schema.maximum = fields["maximum"].flatMap { number($0, of: "maximum") }
        schema.pattern = fields["pattern"].flatMap(matcher)
        schema.above = fields["exclusiveMinimum"].flatMap { number($0, of: "exclusiveMinimum") }
        schema.below = fields["exclusiveMaximum"].flatMap { number($0, of: "exclusiveMaximum") }
    }

    private func sizes(of schema: JSONSchema, _ fields: [String: Document]) {
        func range(_ low: String, _ high: String) -> ClosedRange<Int>? {
            guard fields[low] != nil || fields[high] != nil else { return nil }
            let least = fields[low].flatMap { count($0, of: low, in: 0...Int.max) } ?? 0
            let most = fields[high].flatMap { count($0, of: high, in: 0...Int.max) } ?? .max
            if least > most, let place = fields[high] {
                add("\(high) is below \(low): no value could be set", at: place.position)
            }
            return least <= most ? least...most : nil
        }
        schema.length = range("minLength", "maxLength")
        schema.elements = range("minItems", "maxItems")
        schema.members = range("minProperties", "maxProperties")
    }

    private func parts(of schema: JSONSchema, _ fields: [String: Document]) {
        schema.items = fields["items"].flatMap(self.schema)
        schema.additional = fields["additionalProperties"].flatMap(self.schema)
        schema.not = fields["not"].flatMap(self.schema)
        schema.firstItems = fields["prefixItems"].map { schemas($0, of: "prefixItems") } ?? []
        schema.all = fields["allOf"].map { schemas($0, of: "allOf") } ?? []
        schema.any = fields["anyOf"].map { schemas($0, of: "anyOf") }
        schema.one = fields["oneOf"].map { schemas($0, of: "oneOf") }
        for (name, entry) in fields["properties"].flatMap({ members($0, of: "properties") }) ?? [] {
            schema.properties[name] = self.schema(entry.value)
        }
        guard let document = fields["required"] else { return }
        guard let elements = document.elements else {
            return add("required must be a list of names, not \(document.kindName)", at: document.position)
        }
        schema.required = elements.compactMap { text($0, of: "an element of required") }
    }

    private func schemas(_ document: Document, of what: String) -> [JSONSchema] {
        guard let elements = document.elements, !elements.isEmpty else {
            add("\(what) must be a list of schemas", at: document.position)
            return []
        }
        return elements.compactMap(schema)
    }
}
