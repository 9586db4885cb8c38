internal import CEL

/// What a value must be, by the part of JSON Schema (draft 2020-12) that can be checked in one walk over its text.
///
/// Keywords: `type`, `enum`, `const`; `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`; `minLength`, `maxLength`, `pattern`; `items`, `prefixItems`,
/// `minItems`, `maxItems`; `properties`, `required`, `additionalProperties`, `minProperties`, `maxProperties`; `allOf`, `anyOf`,
/// `oneOf`, `not`; and `true` and `false` as schemas. Annotations are let pass. There are no references and no formats.
public final class JSONSchema {
    /// The types of JSON Schema: those of JSON, and `integer`.
    enum Kind: String, CaseIterable {
        case null, boolean, object, array, number, string, integer
    }

    /// `false`: nothing passes.
    var isNever = false
    var kinds: [Kind]?
    var allowed: [Datum]?
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

    init() {}

    /// What is wrong with a value, with the place as a JSON pointer; nil when it passes.
    ///
    /// The sentence says what was expected, never what came; the pointer has no names that the schema does not have.
    func complaint(about datum: Datum) -> String? {
        datum.withBytes { bytes in
            guard let found = complaint(about: JSONReader(validated: bytes)) else { return nil }
            return found.path.isEmpty
                ? found.text : "\(found.text) at /\(found.path.reversed().joined(separator: "/"))"
        }
    }

    /// What is wrong, and where: innermost step first.
    private struct Complaint {
        let text: String
        var path: [String] = []

        func within(_ step: String) -> Complaint {
            Complaint(text: text, path: path + [step])
        }
    }

    private func complaint(about value: JSONReader) -> Complaint? {
        if isNever { return Complaint(text: "must not be there") }
        if let kinds, !kinds.contains(where: { $0.includes(value) }) {
            return Complaint(text: "must be \(kinds.map(\.words).joined(separator: " or "))")
        }
        if let allowed, !allowed.contains(where: { $0.withBytes { JSONEquality.areEqual($0, value.bytes) } })
        {
            return Complaint(text: "must be one of \(allowed.map(\.text).joined(separator: ", "))")
        }
        let found: Complaint? =
            switch value.kind {
            case .number: number(value)
            case .string: text(value)
            case .array: array(value)
            case .object: object(value)
            default: nil
            }
        return found ?? combined(value)
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

    private func text(_ value: JSONReader) -> Complaint? {
        guard length != nil || pattern != nil, let text = value.string else { return nil }
        if let length, let found = Self.count(text.unicodeScalars.count, in: length, "characters") {
            return found
        }
        guard let pattern else { return nil }
        do throws(RegexProblem) {
            return try pattern.matcher.isFound(in: text) ? nil : Complaint(text: "must match \(pattern.text)")
        } catch {
            return Complaint(text: "cannot be matched with \(pattern.text): \(error.message)")
        }
    }

    private func array(_ value: JSONReader) -> Complaint? {
        guard elements != nil || items != nil || !firstItems.isEmpty else { return nil }
        var place = 0
        for element in value.elements {
            let schema = place < firstItems.count ? firstItems[place] : items
            if let found = schema?.complaint(about: element) { return found.within("\(place)") }
            place += 1
        }
        return elements.flatMap { Self.count(place, in: $0, "elements") }
    }

    private func object(_ value: JSONReader) -> Complaint? {
        guard members != nil || additional != nil || !properties.isEmpty || !required.isEmpty else {
            return nil
        }
        var count = 0
        var missing = Set(required)
        for member in value.members {
            count += 1
            let key = member.key.string
            missing.remove(key)
            if let schema = properties[key] {
                if let found = schema.complaint(about: member.value) { return found.within(Self.step(key)) }
            } else if let additional {
                if additional.isNever {
                    return Complaint(text: "must not have members besides those of the schema")
                }
                // The key is the client's own and is not repeated.
                if let found = additional.complaint(about: member.value) { return found.within("*") }
            }
        }
        if let name = required.first(where: missing.contains) {
            return Complaint(text: "must have '\(name)'")
        }
        return members.flatMap { Self.count(count, in: $0, "members") }
    }

    private func combined(_ value: JSONReader) -> Complaint? {
        for schema in all {
            if let found = schema.complaint(about: value) { return found }
        }
        if let any, !any.contains(where: { $0.complaint(about: value) == nil }) {
            return Complaint(text: "must be as one of the \(any.count) of anyOf")
        }
        if let one, one.count(where: { $0.complaint(about: value) == nil }) != 1 {
            return Complaint(text: "must be as exactly one of the \(one.count) of oneOf")
        }
        if let not, not.complaint(about: value) == nil {
            return Complaint(text: "must not be what 'not' describes")
        }
        return nil
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
    /// Whether a value is of this type; a number without fraction is an integer, however it is written.
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
