package import Support

/// A JSON Schema (draft 2020-12) as a value; ``append(to:references:)`` writes it.
package struct Schema: Sendable {
    /// What stands in a schema: JSON, and references to other schemas.
    package indirect enum Member: Sendable {
        case text(String)
        case number(Int)
        case flag(Bool)
        case list([Member])
        case object([(key: String, value: Member)])
        /// A schema that stands elsewhere in the document, under this name; nil where it refers to
        /// a schema that it stands in itself.
        case reference(String, Schema?)
    }

    /// In the order in which they are written.
    package private(set) var members: [(key: String, value: Member)]

    private init(_ members: [(key: String, value: Member)]) {
        assert(Set(members.map(\.key)).count == members.count, "a keyword is there twice")
        self.members = members
    }

    private init(_ key: String, _ value: Member) {
        self.init([(key, value)])
    }

    private var member: Member { .schema(self) }

    /// The same schema with a further keyword.
    package func with(_ key: String, _ value: Member) -> Schema {
        Schema(members + [(key, value)])
    }

    package func described(_ text: String) -> Schema {
        text.isEmpty ? self : with("description", .text(text))
    }
}

// MARK: - What values may be

extension Schema {
    /// Any JSON value.
    package static let any = Schema([])
    package static let null = type("null")
    package static let string = type("string")
    package static let integer = type("integer")
    package static let number = type("number")
    package static let boolean = type("boolean")
    package static let anyObject = type("object")

    package static func type(_ words: String...) -> Schema {
        Schema("type", words.count == 1 ? .text(words[0]) : .texts(words))
    }

    /// A whole number.
    package static func count(_ least: Int, _ most: Int? = nil) -> Schema {
        let schema = integer.with("minimum", .number(least))
        return most.map { schema.with("maximum", .number($0)) } ?? schema
    }

    package static func string(pattern: String) -> Schema { string.with("pattern", .text(pattern)) }

    package static func string(atMost longest: Int) -> Schema {
        string.with("maxLength", .number(longest))
    }

    package static func oneOf(words: [String]) -> Schema { Schema("enum", .texts(words)) }

    package static func word<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type,
        default word: Word? = nil
    ) -> Schema where Word.RawValue == String {
        let schema = oneOf(words: Word.allCases.map(\.rawValue))
        return word.map { schema.with("default", .text($0.rawValue)) } ?? schema
    }

    /// An array of so many elements.
    package static func list(of element: Schema, _ least: Int? = nil, _ most: Int? = nil) -> Schema {
        var schema = type("array")
        if let least { schema = schema.with("minItems", .number(least)) }
        if let most { schema = schema.with("maxItems", .number(most)) }
        return element.members.isEmpty ? schema : schema.with("items", element.member)
    }

    /// An object whose keys are names.
    package static func map(of element: Schema) -> Schema {
        anyObject.with("additionalProperties", element.member)
    }

    package static func oneOf(_ schemas: [Schema]) -> Schema {
        Schema("oneOf", .list(schemas.map(\.member)))
    }

    package static func anyOf(_ schemas: [Schema]) -> Schema {
        Schema("anyOf", .list(schemas.map(\.member)))
    }

    /// An object that has these keys.
    package static func requires(_ keys: [String]) -> Schema { Schema("required", .texts(keys)) }

    package static func either(_ a: Schema, _ b: Schema) -> Schema { oneOf([a, b]) }

    /// What both say.
    package func and(_ other: Schema) -> Schema { Schema(members + other.members) }
}

// MARK: - Objects

extension Schema {
    /// A key of an object.
    package struct Field: Sendable {
        package let key: String
        package let isRequired: Bool
        package let schema: Schema
        package let description: String

        package static func required(
            _ key: String,
            _ schema: Schema,
            _ description: String = ""
        ) -> Field {
            Field(key: key, isRequired: true, schema: schema, description: description)
        }

        package static func optional(
            _ key: String,
            _ schema: Schema,
            _ description: String = ""
        ) -> Field {
            Field(key: key, isRequired: false, schema: schema, description: description)
        }

        /// The key without what its value consists of.
        package var outline: Field {
            Field(
                key: key,
                isRequired: isRequired,
                schema: schema.outline,
                description: description
            )
        }

        /// The schema with its description.
        fileprivate var property: (key: String, value: Member) {
            (
                key,
                (description.isEmpty ? schema : Schema.any.described(description).and(schema))
                    .member
            )
        }
    }

    /// An object with at least these keys.
    package static func object(_ groups: [Field]..., requiring others: [String] = []) -> Schema {
        let fields = groups.flatMap(\.self)
        let required = fields.filter(\.isRequired).map(\.key) + others
        let start = required.isEmpty ? anyObject : anyObject.and(requires(required))
        return fields.isEmpty ? start : start.and(properties(fields))
    }

    /// A mapping with these keys and no others.
    package static func mapping(_ fields: [Field]) -> Schema {
        anyObject.and(requires(fields.filter(\.isRequired).map(\.key)))
            .with("additionalProperties", .flag(false)).and(properties(fields))
    }

    package static func properties(_ fields: [Field]) -> Schema {
        Schema("properties", .fields(fields))
    }
}

// MARK: - References

extension Schema {
    /// Of an object only that it is one, of an array also what its elements are.
    fileprivate var outline: Schema {
        if case .reference(_, let schema?)? = members.first(where: { $0.key == "$ref" })?.value {
            return schema.outline
        }
        return Schema(
            members.compactMap { member in
                switch (member.key, member.value) {
                case ("items", .object(let members)): ("items", Schema(members).outline.member)
                case ("type", _), ("enum", _), ("default", _), ("pattern", _): member
                default: nil
                }
            }
        )
    }

    /// A schema that the document has once, under this name.
    package struct Part: Sendable {
        package let name: String
        package let schema: Schema
    }

    /// A reference to a schema that the document has once, under this name.
    package static func part(_ name: String, _ schema: Schema) -> Schema {
        Schema("$ref", .reference(name, schema))
    }

    /// A reference to a schema from within it.
    package static func part(within name: String) -> Schema {
        Schema("$ref", .reference(name, nil))
    }

    /// The schemas that these refer to, directly or through others, each once.
    package static func parts(of schemas: [Schema]) -> [Part] {
        var known: Set<String> = []
        var parts: [Part] = []
        func visit(_ member: Member) {
            switch member {
            case .text, .number, .flag: break
            case .list(let elements): elements.forEach(visit)
            case .object(let members): members.forEach { visit($0.value) }
            case .reference(let name, let schema):
                guard let schema, known.insert(name).inserted else { return }
                visit(schema.member)
                parts.append(Part(name: name, schema: schema))
            }
        }
        schemas.forEach { visit($0.member) }
        return parts
    }

    /// Appends it as JSON; parts stand under `place`, such as `#/$defs/`.
    package func append(to out: inout ByteBuffer, references place: String) {
        member.append(to: &out, references: place)
    }
}

extension Schema.Member {
    package static func schema(_ schema: Schema) -> Schema.Member { .object(schema.members) }

    /// Schemas by their keys.
    package static func fields(_ fields: [Schema.Field]) -> Schema.Member {
        .object(fields.map(\.property))
    }

    package static func texts(_ words: [String]) -> Schema.Member { .list(words.map { .text($0) }) }

    fileprivate func append(to out: inout ByteBuffer, references place: String) {
        switch self {
        case .text(let text): out.append(json: text)
        case .number(let number): out.append(decimal: number)
        case .flag(let flag): out.append(flag ? "true" : "false")
        case .reference(let name, _): out.append(json: place + name)
        case .list(let elements):
            out.append("[")
            out.append(separated: elements) { $0.append(to: &$1, references: place) }
            out.append("]")
        case .object(let members):
            out.append("{")
            out.append(separated: members) { member, out in
                out.append(json: member.key)
                out.append(":")
                member.value.append(to: &out, references: place)
            }
            out.append("}")
        }
    }
}

extension Schema.Member: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .text(value) }
    package init(integerLiteral value: Int) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .flag(value) }
    package init(arrayLiteral elements: Schema.Member...) { self = .list(elements) }
    package init(dictionaryLiteral elements: (String, Schema.Member)...) {
        self = .object(elements.map { ($0, $1) })
    }
}
