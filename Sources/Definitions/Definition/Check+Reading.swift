internal import CEL
internal import Values

extension Check {
    /// The value of the key `set`: a type's name, or a mapping.
    static let schema = ArgumentSchema.either(.type, .mapping(fields, rules: #""minProperties":1"#))
    private static let fields: [ArgumentField] = [
        .optional("type", .type, "The type of the values."),
        .optional("enum", .reference("enum"), "The values allowed."),
    ]

    /// Reads the value of `set` with its sibling bounds: a type's name, or a mapping with `enum` or
    /// `type`.
    init?(_ document: Document, _ fields: [NodeKey: Document], from reader: DocumentReader) {
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
        if let document = fields[.enum] {
            if allowed != nil {
                reader.add("enum is given twice", at: document.position)
            }
            allowed = Self.allowed(document, reader)
        }
        readBounds(fields, reader)
        readLengths(fields, reader)
        readPattern(fields, reader)
        schema = fields[.schema].flatMap { JSONSchema($0, from: reader) }
        if let document = document["enum"] ?? fields[.enum] {
            checkAllowed(at: document, reader)
        }
        guard reader.problems.count == before else { return nil }
    }

    private static func allowed(_ document: Document, _ reader: DocumentReader) -> AllowedValues? {
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

    private mutating func readBounds(_ fields: [NodeKey: Document], _ reader: DocumentReader) {
        for key in [NodeKey.min, .max] {
            guard let document = fields[key] else { continue }
            if kind != .number, kind != .integer {
                reader.add(
                    "'\(key.rawValue)' is for numbers, this node takes \(kind.rawValue)",
                    at: document.position
                )
            }
            let bound = reader.number(document, of: key.rawValue)
            if key == .min {
                min = bound
            } else {
                max = bound
            }
        }
        if let low = min, let high = max, low > high, let place = fields[.max] {
            reader.add("max is below min: no value could be set", at: place.position)
        }
    }

    private mutating func readLengths(_ fields: [NodeKey: Document], _ reader: DocumentReader) {
        for key in [NodeKey.minLength, .maxLength] {
            guard let document = fields[key] else { continue }
            if kind != .string, kind != .array {
                reader.add(
                    "'\(key.rawValue)' is for strings and arrays, this node takes \(kind.rawValue)",
                    at: document.position
                )
            }
            let length = reader.count(document, of: key.rawValue, in: 0...Int.max)
            if key == .minLength {
                minLength = length
            } else {
                maxLength = length
            }
        }
        if let low = minLength, let high = maxLength, low > high, let place = fields[.maxLength] {
            reader.add("maxLength is below minLength: no value could be set", at: place.position)
        }
    }

    private mutating func readPattern(_ fields: [NodeKey: Document], _ reader: DocumentReader) {
        guard let document = fields[.pattern] else { return }
        if kind != .string {
            reader.add("'pattern' is for strings, this node takes \(kind.rawValue)", at: document.position)
        }
        guard let (text, matcher) = reader.matcher(document) else { return }
        self.matcher = matcher
        pattern = text
    }
}

extension ArgumentSchema {
    fileprivate static let type = word(Check.Kind.self)
}
