internal import CEL

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
    enum Kind: String, CaseIterable {
        case null, boolean, object, array, number, string, integer
    }

    /// `false`: nothing passes.
    var isNever = false
    var kinds: [Kind]?
    var allowed: AllowedValues?
    var minimum, maximum, above, below: Double?
    var length: ClosedRange<Int>?
    var pattern: (text: String, matcher: any RegexMatcher)?
    var elements: ClosedRange<Int>?
    var members: ClosedRange<Int>?
    var items: JSONSchema?
    var firstItems: [JSONSchema] = []
    var properties: [String: JSONSchema] = [:]
    var required: [String] = []
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
        || !firstItems.isEmpty || !properties.isEmpty || !required.isEmpty || additional != nil

    init() {}

    /// The error message for a value, with the place as a JSON pointer; nil if the value passes.
    ///
    /// The message says what was expected and never repeats the value; the pointer contains only
    /// names that occur in the schema.
    func complaint(about datum: Datum, within budget: inout CheckBudget) -> String? {
        datum.withBytes { bytes in
            let found = complaint(JSONReader(validated: bytes), &budget)
            // A walk that ran out of budget has no result.
            if budget.isSpent { return CheckBudget.complaint }
            guard let found else { return nil }
            return found.path.isEmpty
                ? found.text : "\(found.text) at /\(found.path.reversed().joined(separator: "/"))"
        }
    }

    /// The error and its place, innermost step first.
    private struct Complaint {
        let text: String
        var path: [String] = []

        func within(_ step: String) -> Complaint {
            Complaint(text: text, path: path + [step])
        }
    }

    private func complaint(_ value: JSONReader, _ budget: inout CheckBudget) -> Complaint? {
        budget.spend(bytes: readsAll ? value.bytes.count : 0)
        if budget.isSpent { return Complaint(text: CheckBudget.complaint) }
        if isNever { return Complaint(text: "is not allowed") }
        if let kinds, !kinds.contains(where: { $0.includes(value) }) {
            return Complaint(text: "must be \(kinds.map(\.words).joined(separator: " or "))")
        }
        if let allowed, !allowed.contains(Datum(value)) { return Complaint(text: allowed.complaint) }
        let found: Complaint? =
            switch value.kind {
            case .number: number(value)
            case .string: text(value, &budget)
            case .array: array(value, &budget)
            case .object: object(value, &budget)
            default: nil
            }
        return found ?? combined(value, &budget)
    }

    private func number(_ value: JSONReader) -> Complaint? {
        guard minimum != nil || maximum != nil || above != nil || below != nil, let number = value.double
        else {
            return nil
        }
        if let minimum, number < minimum { return Complaint(text: "must be at least \(Self.text(minimum))") }
        if let maximum, number > maximum { return Complaint(text: "must be at most \(Self.text(maximum))") }
        if let above, number <= above { return Complaint(text: "must be above \(Self.text(above))") }
        if let below, number >= below { return Complaint(text: "must be below \(Self.text(below))") }
        return nil
    }

    private func text(_ value: JSONReader, _ budget: inout CheckBudget) -> Complaint? {
        guard length != nil || pattern != nil, let text = value.string else { return nil }
        if let length, let found = Self.count(text.unicodeScalars.count, in: length, "characters") {
            return found
        }
        guard let pattern else { return nil }
        budget.spend(pattern.matcher.cost(ofBytes: text.utf8.count))
        if budget.isSpent { return Complaint(text: CheckBudget.complaint) }
        do throws(RegexProblem) {
            return try pattern.matcher.isFound(in: text) ? nil : Complaint(text: "must match \(pattern.text)")
        } catch {
            return Complaint(text: "cannot be matched with \(pattern.text): \(error.message)")
        }
    }

    private func array(_ value: JSONReader, _ budget: inout CheckBudget) -> Complaint? {
        guard elements != nil || items != nil || !firstItems.isEmpty else { return nil }
        var place = 0
        for element in value.elements {
            let schema = place < firstItems.count ? firstItems[place] : items
            if let found = schema?.complaint(element, &budget) { return found.within("\(place)") }
            place += 1
        }
        return elements.flatMap { Self.count(place, in: $0, "elements") }
    }

    private func object(_ value: JSONReader, _ budget: inout CheckBudget) -> Complaint? {
        guard members != nil || additional != nil || !properties.isEmpty || !required.isEmpty else {
            return nil
        }
        var count = 0
        budget.spend(required.count)
        var missing = Set(required)
        for member in value.members {
            count += 1
            let key = member.key.string
            missing.remove(key)
            if let schema = properties[key] {
                if let found = schema.complaint(member.value, &budget) { return found.within(Self.step(key)) }
            } else if let additional {
                if additional.isNever {
                    return Complaint(text: "must not have members other than those of the schema")
                }
                // The key is the client's own and is not repeated.
                if let found = additional.complaint(member.value, &budget) { return found.within("*") }
            }
        }
        if let name = required.first(where: missing.contains) {
            return Complaint(text: "must have '\(name)'")
        }
        return members.flatMap { Self.count(count, in: $0, "members") }
    }

    private func combined(_ value: JSONReader, _ budget: inout CheckBudget) -> Complaint? {
        for schema in all {
            if let found = schema.complaint(value, &budget) { return found }
        }
        if let any, passing(any, value, atLeast: 1, &budget) < 1 {
            return Complaint(text: "must match one of the \(any.count) schemas of anyOf")
        }
        if let one, passing(one, value, atLeast: 2, &budget) != 1 {
            return Complaint(text: "must match exactly one of the \(one.count) schemas of oneOf")
        }
        if let not, not.complaint(value, &budget) == nil {
            return Complaint(text: "must not match the schema of 'not'")
        }
        return nil
    }

    /// How many of the schemas a value passes; stops counting at `least`.
    private func passing(
        _ schemas: [JSONSchema],
        _ value: JSONReader,
        atLeast least: Int,
        _ budget: inout CheckBudget
    ) -> Int {
        var count = 0
        for schema in schemas where count < least && !budget.isSpent {
            if schema.complaint(value, &budget) == nil { count += 1 }
        }
        return count
    }

    private static func count(_ count: Int, in range: ClosedRange<Int>, _ what: String) -> Complaint? {
        if count < range.lowerBound {
            return Complaint(text: "must have at least \(range.lowerBound) \(what)")
        }
        return count > range.upperBound
            ? Complaint(text: "must have at most \(range.upperBound) \(what)") : nil
    }

    private static func text(_ number: Double) -> String {
        var bytes: [UInt8] = []
        JSONNumber.append(number, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
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
