internal import CEL

extension Check {
    /// The value of the key `set`: a type's name, or a mapping.
    static let schema = ArgumentSchema.either(.type, .mapping(fields, rules: #""minProperties":1"#))
    fileprivate static let fields: [ArgumentField] = [
        .optional("type", .type, "The type of the values."),
        .optional("enum", .reference("enum"), "The values allowed."),
    ]
}

extension ArgumentSchema {
    fileprivate static let type = word(Check.Kind.self)
}

extension Notebook {
    /// Reads the value of `set` with its sibling bounds: a type's name, or a mapping with `enum` or
    /// `type`.
    func check(_ document: Document, _ fields: [NodeKey: Document]) -> Check? {
        let before = problems.count
        var check = Check()
        if document.entries != nil {
            let inner = self.fields(document, of: "set", Check.fields)
            if let type = inner["type"] {
                check.kind = word(type, of: "the type") ?? .any
            }
            check.allowed = inner["enum"].flatMap(allowed)
            if inner.isEmpty, problems.count == before {
                add("set must name a type or an enum", at: document.position)
            }
        } else if let kind: Check.Kind = word(document, of: "set") {
            check.kind = kind
        }
        if let document = fields[.enum] {
            if check.allowed != nil {
                add("enum is given twice", at: document.position)
            }
            check.allowed = allowed(document)
        }
        bounds(of: &check, fields)
        lengths(of: &check, fields)
        pattern(of: &check, fields)
        check.schema = fields[.schema].flatMap(schema)
        if let document = document["enum"] ?? fields[.enum] {
            checkAllowed(check, at: document)
        }
        return problems.count == before ? check : nil
    }

    private func allowed(_ document: Document) -> AllowedValues? {
        guard let elements = document.elements, !elements.isEmpty else {
            add("enum must be a list of values", at: document.position)
            return nil
        }
        let values = elements.compactMap(datum)
        var seen: Set<Datum> = []
        if let twice = values.firstIndex(where: { !seen.insert($0).inserted }) {
            add("enum has a duplicate value", at: elements[min(twice, elements.count - 1)].position)
        }
        return AllowedValues(values)
    }

    /// Reports allowed values that the other checks reject.
    private func checkAllowed(_ check: Check, at document: Document) {
        guard let allowed = check.allowed?.values, let elements = document.elements,
            elements.count == allowed.count
        else {
            return
        }
        var others = check
        others.allowed = nil
        for (element, value) in zip(elements, allowed) {
            if let complaint = others.complaint(about: value, within: &checks) {
                add("this value of the enum can never be set: it \(complaint)", at: element.position)
                if checks.isSpent { return }
            }
        }
    }

    private func bounds(of check: inout Check, _ fields: [NodeKey: Document]) {
        for key in [NodeKey.min, .max] {
            guard let document = fields[key] else { continue }
            if check.kind != .number, check.kind != .integer {
                add(
                    "'\(key.rawValue)' is for numbers, this node takes \(check.kind.rawValue)",
                    at: document.position
                )
            }
            let bound = number(document, of: key.rawValue)
            if key == .min {
                check.min = bound
            } else {
                check.max = bound
            }
        }
        if let low = check.min, let high = check.max, low > high, let place = fields[.max] {
            add("max is below min: no value could be set", at: place.position)
        }
    }

    private func lengths(of check: inout Check, _ fields: [NodeKey: Document]) {
        for key in [NodeKey.minLength, .maxLength] {
            guard let document = fields[key] else { continue }
            if check.kind != .string, check.kind != .array {
                add(
                    "'\(key.rawValue)' is for strings and arrays, this node takes \(check.kind.rawValue)",
                    at: document.position
                )
            }
            let length = count(document, of: key.rawValue, in: 0...Int.max)
            if key == .minLength {
                check.minLength = length
            } else {
                check.maxLength = length
            }
        }
        if let low = check.minLength, let high = check.maxLength, low > high, let place = fields[.maxLength] {
            add("maxLength is below minLength: no value could be set", at: place.position)
        }
    }

    private func pattern(of check: inout Check, _ fields: [NodeKey: Document]) {
        guard let document = fields[.pattern] else { return }
        if check.kind != .string {
            add("'pattern' is for strings, this node takes \(check.kind.rawValue)", at: document.position)
        }
        guard let (text, matcher) = matcher(document) else { return }
        check.matcher = matcher
        check.pattern = text
    }

    /// A regular expression and its compiled form.
    func matcher(_ document: Document) -> (text: String, matcher: any RegexMatcher)? {
        guard let text = text(document, of: "pattern") else { return nil }
        guard let literals = options.expressions.literals else {
            add(
                "'pattern' needs a regular expression engine, which this server does not have",
                at: document.position
            )
            return nil
        }
        do throws(RegexProblem) {
            return (text, try literals.matcher(for: text))
        } catch {
            let isLimit = error.code == .patternLimit
            add(
                isLimit ? error.message : "pattern cannot be used: \(error.message)",
                code: isLimit ? .patternLimit : .badField,
                at: place(of: error, in: text, document),
                hint: error.hint
            )
            return nil
        }
    }

    private func place(of problem: RegexProblem, in pattern: String, _ document: Document) -> Position {
        let before = String(decoding: pattern.utf8.prefix(problem.offset), as: UTF8.self)
        guard let scalar = document.scalar, !before.contains("\n") else { return document.position }
        return scalar.position(line: 1, column: before.unicodeScalars.count + 1)
    }
}
