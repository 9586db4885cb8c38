internal import CEL
package import Values

/// A check by the part of JSON Schema (draft 2020-12) that can be evaluated in one walk over the
/// text.
///
/// Keywords: `type`, `enum`, `const`; `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`;
/// `minLength`, `maxLength`, `pattern`; `items`, `prefixItems`, `minItems`, `maxItems`;
/// `properties`, `required`, `additionalProperties`, `minProperties`, `maxProperties`; `allOf`,
/// `anyOf`, `oneOf`, `not`; and `true` and `false` as schemas. Annotations are ignored. References
/// and formats are not supported.
public final class JSONSchema {
    /// The types of JSON Schema: those of JSON, and `integer`.
    package enum Kind: String, CaseIterable {
        case null, boolean, object, array, number, string, integer
    }

    /// `false`: nothing passes.
    var isNever = false
    var kinds: [Kind]?
    var allowed: AllowedValues?
    package var minimum, maximum, above, below: Number?
    var length: ClosedRange<Int>?
    var pattern: (text: String, matcher: any RegexMatcher)?
    var elements: ClosedRange<Int>?
    var members: ClosedRange<Int>?
    var items: JSONSchema?
    var firstItems: [JSONSchema] = []
    var names = SchemaNames()
    var additional: JSONSchema?
    var all: [JSONSchema] = []
    var any: [JSONSchema]?
    var one: [JSONSchema]?
    var not: JSONSchema?

    /// Whether it reads all bytes of a value itself, besides its subschemas; computed after
    /// reading.
    private lazy var readsAll =
        allowed != nil || kinds != nil || minimum != nil || maximum != nil || above != nil || below != nil
        || length != nil || pattern != nil || elements != nil || members != nil || items != nil
        || !firstItems.isEmpty || !names.isEmpty || additional != nil

    init() {}

    /// The error message for a value, with the place as a JSON pointer; nil if the value passes.
    ///
    /// The message says what was expected and never repeats the value; the pointer contains only
    /// names that occur in the schema.
    func complaint(about datum: Datum, within budget: inout CheckBudget) -> String? {
        datum.withBytes { bytes in
            var walk = Walk(budget: budget)
            defer { budget = walk.budget }
            let found = flaw(of: JSONReader(validated: bytes), &walk)
            // A walk that ran out of budget has no result.
            if walk.budget.isSpent { return CheckBudget.complaint }
            guard let found else { return nil }
            return found.path.isEmpty
                ? found.text : "\(found.text) at /\(found.path.reversed().joined(separator: "/"))"
        }
    }

    /// What a walk over a value has used, and whether anyone reads what it finds.
    private struct Walk {
        var budget: CheckBudget
        /// False in the branches of `anyOf`, `oneOf` and `not`: their flaws are not reported, there
        /// may be thousands, and making a text takes longer than finding that it applies.
        var explains = true
    }

    /// What is wrong, and where, innermost step first; both empty in a walk that explains nothing.
    private struct Flaw {
        var text = ""
        var path: [String] = []

        init(_ text: @autoclosure () -> String, _ walk: Walk) {
            if walk.explains { self.text = text() }
        }

        func within(_ step: @autoclosure () -> String, _ walk: Walk) -> Flaw {
            guard walk.explains else { return self }
            var outer = self
            outer.path.append(step())
            return outer
        }
    }

    private func flaw(of value: JSONReader, _ walk: inout Walk) -> Flaw? {
        walk.budget.spend(bytes: readsAll ? value.bytes.count : 0)
        if walk.budget.isSpent { return Flaw("", walk) }
        if isNever { return Flaw("is not allowed", walk) }
        if let kinds, !kinds.contains(where: { $0.includes(value) }) {
            return Flaw("must be \(kinds.map(\.words).joined(separator: " or "))", walk)
        }
        if let allowed {
            walk.budget.spend(allowed.units(forBytes: value.bytes.count))
            if walk.budget.isSpent { return Flaw("", walk) }
            if !allowed.contains(value) { return Flaw(allowed.complaint, walk) }
        }
        let found: Flaw? =
            switch value.kind {
            case .number: number(value, &walk)
            case .string: text(value, &walk)
            case .array: array(value, &walk)
            case .object: object(value, &walk)
            default: nil
            }
        return found ?? combined(value, &walk)
    }

    private func number(_ value: JSONReader, _ walk: inout Walk) -> Flaw? {
        guard minimum != nil || maximum != nil || above != nil || below != nil else { return nil }
        walk.budget.spend(value.bytes.count > 15 ? CheckBudget.longNumber : 1)
        if walk.budget.isSpent { return Flaw("", walk) }
        let number = Number(text: value.bytes)
        if let minimum, number < minimum { return Flaw("must be at least \(minimum.text)", walk) }
        if let maximum, number > maximum { return Flaw("must be at most \(maximum.text)", walk) }
        if let above, number <= above { return Flaw("must be above \(above.text)", walk) }
        if let below, number >= below { return Flaw("must be below \(below.text)", walk) }
        return nil
    }

    private func text(_ value: JSONReader, _ walk: inout Walk) -> Flaw? {
        guard length != nil || pattern != nil else { return nil }
        walk.budget.spend(CheckBudget.text + value.bytes.count >> 3)
        if walk.budget.isSpent { return Flaw("", walk) }
        guard let text = value.string else { return nil }
        if let length, let found = Self.count(text.unicodeScalars.count, in: length, "characters", walk) {
            return found
        }
        guard let pattern else { return nil }
        walk.budget.spend(pattern.matcher.cost(ofBytes: text.utf8.count))
        if walk.budget.isSpent { return Flaw("", walk) }
        do throws(RegexProblem) {
            return try pattern.matcher.isFound(in: text) ? nil : Flaw("must match \(pattern.text)", walk)
        } catch {
            return Flaw("cannot be matched with \(pattern.text): \(error.message)", walk)
        }
    }

    private func array(_ value: JSONReader, _ walk: inout Walk) -> Flaw? {
        guard elements != nil || items != nil || !firstItems.isEmpty else { return nil }
        var place = 0
        for element in value.elements {
            let schema = place < firstItems.count ? firstItems[place] : items
            if let found = schema?.flaw(of: element, &walk) { return found.within("\(place)", walk) }
            place += 1
        }
        return elements.flatMap { Self.count(place, in: $0, "elements", walk) }
    }

    private func object(_ value: JSONReader, _ walk: inout Walk) -> Flaw? {
        guard members != nil || additional != nil || !names.isEmpty else { return nil }
        var count = 0
        // A text with the same key twice is refused before.
        var missing = names.requiredCount
        for member in value.members {
            count += 1
            walk.budget.spend(CheckBudget.member)
            let known = names.find(member.key)
            if known?.isRequired == true { missing -= 1 }
            if let schema = known?.schema {
                if let found = schema.flaw(of: member.value, &walk) {
                    return found.within(Self.step(known?.text ?? ""), walk)
                }
            } else if let additional {
                if additional.isNever {
                    return Flaw("must not have members other than those of the schema", walk)
                }
                // The key is the client's own and is not repeated.
                if let found = additional.flaw(of: member.value, &walk) { return found.within("*", walk) }
            }
        }
        if missing > 0 { return Flaw("must have '\(names.missing(in: value) ?? "")'", walk) }
        return members.flatMap { Self.count(count, in: $0, "members", walk) }
    }

    private func combined(_ value: JSONReader, _ walk: inout Walk) -> Flaw? {
        for schema in all {
            if let found = schema.flaw(of: value, &walk) { return found }
        }
        if let any, passing(any, value, atLeast: 1, &walk) < 1 {
            return Flaw("must match one of the \(any.count) schemas of anyOf", walk)
        }
        if let one, passing(one, value, atLeast: 2, &walk) != 1 {
            return Flaw("must match exactly one of the \(one.count) schemas of oneOf", walk)
        }
        if let not, passing([not], value, atLeast: 1, &walk) > 0 {
            return Flaw("must not match the schema of 'not'", walk)
        }
        return nil
    }

    /// How many of the schemas a value passes; stops counting at `least`.
    private func passing(
        _ schemas: [JSONSchema],
        _ value: JSONReader,
        atLeast least: Int,
        _ walk: inout Walk
    ) -> Int {
        let explained = walk.explains
        walk.explains = false
        defer { walk.explains = explained }
        var count = 0
        for schema in schemas where count < least && !walk.budget.isSpent {
            if schema.flaw(of: value, &walk) == nil { count += 1 }
        }
        return count
    }

    private static func count(
        _ count: Int,
        in range: ClosedRange<Int>,
        _ what: String,
        _ walk: Walk
    ) -> Flaw? {
        if count < range.lowerBound { return Flaw("must have at least \(range.lowerBound) \(what)", walk) }
        guard count > range.upperBound else { return nil }
        return Flaw("must have at most \(range.upperBound) \(what)", walk)
    }

    /// A name as a step of a JSON pointer (RFC 6901 §3).
    private static func step(_ name: String) -> String {
        name.replacing("~", with: "~0").replacing("/", with: "~1")
    }
}

extension JSONSchema.Kind {
    /// Whether a value is of this type; a number without fraction is an integer, however it is
    /// written.
    func includes(_ value: JSONReader) -> Bool {
        switch (self, value.kind) {
        case (.null, .null), (.boolean, .bool), (.object, .object), (.array, .array), (.number, .number),
            (.string, .string):
            true
        case (.integer, .number): JSONNumber.isWhole(value.bytes)
        default: false
        }
    }

    var words: String {
        switch self {
        case .null: "null"
        case .integer: "a whole number"
        case .object, .array: "an \(rawValue)"
        default: "a \(rawValue)"
        }
    }
}
