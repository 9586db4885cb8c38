internal import CEL
internal import Values

extension Check {
    /// The value of the key `set`: a type's name, or a mapping.
    static let schema = Schema.either(.type, .mapping(fields).with("minProperties", 1))
    private static let fields: [Schema.Field] = [
        .optional("type", .type, "The type of the values."),
        .optional("enum", .values, "The values allowed."),
    ]

    /// Reads the value of `set` with its sibling bounds: a type's name, or a mapping with `enum` or
    /// `type`.
    init?(_ document: Document, _ fields: NodeFields, from reader: DocumentReader) {
        let before = reader.problems.count
        self.init()
        if document.entries != nil {
            let inner = reader.fields(document, of: "set", Self.fields)
            if let type = inner["type"] {
                kind = reader.word(type, of: "the type") ?? .any
            }
            allowed = inner["enum"].flatMap { Self.allowed($0, reader) }
            if inner.isEmpty, reader.problems.count == before {
                reader.add("set must name a type or an enum", at: document.position)
            }
        } else if let kind: Check.Kind = reader.word(document, of: "set") {
            self.kind = kind
        }
        if let document = fields[NodeKeys.enum] {
            if allowed != nil {
                reader.add("enum is given twice", at: document.position)
            }
            allowed = fields.read(NodeKeys.enum)
        }
        readBounds(fields, reader)
        readLengths(fields, reader)
        readPattern(fields, reader)
        schema = fields.read(NodeKeys.schema)
        if let document = document["enum"] ?? fields[NodeKeys.enum] {
            checkAllowed(at: document, reader)
        }
        guard reader.problems.count == before else { return nil }
    }

    static func allowed(_ document: Document, _ reader: DocumentReader) -> AllowedValues? {
        guard let elements = document.elements, !elements.isEmpty else {
            return reader.refuse("enum must be a list of values", at: document.position)
        }
        let values = elements.compactMap(reader.datum)
        var seen: Set<Datum> = []
        if let twice = values.firstIndex(where: { !seen.insert($0).inserted }) {
            reader.add(
                "enum has a duplicate value",
                at: elements[Swift.min(twice, elements.count - 1)].position
            )
        }
        return AllowedValues(values)
    }

    /// Reports allowed values that the other checks reject.
    private func checkAllowed(at document: Document, _ reader: DocumentReader) {
        guard let allowed = allowed?.values, let elements = document.elements,
            elements.count == allowed.count
        else {
            return
        }
        var others = self
        others.allowed = nil
        for (element, value) in zip(elements, allowed) {
            if let complaint = others.complaint(about: value, within: &reader.checks) {
                reader.add("this value of the enum can never be set: it \(complaint)", at: element.position)
                if reader.checks.isSpent { return }
            }
        }
    }

    private mutating func readBounds(_ fields: NodeFields, _ reader: DocumentReader) {
        let isNumber = kind == .number || kind == .integer
        for key in [NodeKeys.min, NodeKeys.max] where !isNumber { refuse(key, "numbers", fields, reader) }
        min = fields.read(NodeKeys.min)
        max = fields.read(NodeKeys.max)
        if let low = min, let high = max, low > high, let place = fields[NodeKeys.max] {
            reader.add("max is below min: no value could be set", at: place.position)
        }
    }

    private mutating func readLengths(_ fields: NodeFields, _ reader: DocumentReader) {
        let hasLength = kind == .string || kind == .array
        for key in [NodeKeys.minLength, NodeKeys.maxLength] where !hasLength {
            refuse(key, "strings and arrays", fields, reader)
        }
        minLength = fields.read(NodeKeys.minLength)
        maxLength = fields.read(NodeKeys.maxLength)
        if let low = minLength, let high = maxLength, low > high, let place = fields[NodeKeys.maxLength] {
            reader.add("maxLength is below minLength: no value could be set", at: place.position)
        }
    }

    private mutating func readPattern(_ fields: NodeFields, _ reader: DocumentReader) {
        if kind != .string { refuse(NodeKeys.pattern, "strings", fields, reader) }
        guard let (text, matcher) = fields.read(NodeKeys.pattern) else { return }
        self.matcher = matcher
        pattern = text
    }

    /// Reports a key that is not for values of this type.
    private func refuse(
        _ key: any NodeKeyRow,
        _ takers: String,
        _ fields: NodeFields,
        _ reader: DocumentReader
    ) {
        guard let document = fields[key] else { return }
        let message = "'\(key.word)' is for \(takers), this node takes \(kind.rawValue)"
        reader.add(message, at: document.position)
    }
}

extension Schema {
    fileprivate static let type = word(Check.Kind.self)
}
