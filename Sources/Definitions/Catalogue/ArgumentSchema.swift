internal import Support

/// The JSON Schema of an argument, for editors: the members of the schema as text, without the
/// surrounding braces.
package struct ArgumentSchema: Sendable {
    let members: String

    /// Any JSON value.
    static let any = ArgumentSchema(members: "")
    static let null = ArgumentSchema(members: #""type":"null""#)
    static let node = reference("name")
    static let nodes = reference("names")
    static let expression = reference("expression")
    static let duration = reference("duration")

    static func reference(_ name: String) -> ArgumentSchema {
        ArgumentSchema(members: "\"$ref\":\"#/$defs/\(name)\"")
    }

    /// A whole number.
    static func count(_ least: Int, _ most: Int? = nil) -> ArgumentSchema {
        let end = most.map { ",\"maximum\":\($0)" } ?? ""
        return ArgumentSchema(members: "\"type\":\"integer\",\"minimum\":\(least)\(end)")
    }

    static func word<Word: RawRepresentable & CaseIterable>(
        _ type: Word.Type,
        default word: Word? = nil
    ) -> ArgumentSchema where Word.RawValue == String {
        let end = word.map { ",\"default\":\"\($0.rawValue)\"" } ?? ""
        return ArgumentSchema(members: "\"enum\":\(list(Word.allCases.map(\.rawValue)))\(end)")
    }

    static func either(_ a: ArgumentSchema, _ b: ArgumentSchema) -> ArgumentSchema {
        ArgumentSchema(members: "\"oneOf\":[{\(a.members)},{\(b.members)}]")
    }

    /// A mapping with these keys and no others; `rules` are further members.
    package static func mapping(_ fields: [ArgumentField], rules: String? = nil) -> ArgumentSchema {
        let required = list(fields.filter(\.isRequired).map(\.key))
        let properties = fields.map { $0.schema.property($0.key, $0.description) }.joined(separator: ",")
        let start = "\"type\":\"object\",\"required\":\(required),\"additionalProperties\":false,"
        return ArgumentSchema(
            members: start + (rules.map { $0 + "," } ?? "") + "\"properties\":{\(properties)}"
        )
    }

    static func list(of fields: [ArgumentField], rules: String? = nil) -> ArgumentSchema {
        ArgumentSchema(members: "\"type\":\"array\",\"items\":{\(mapping(fields, rules: rules).members)}")
    }

    /// The member of `properties` for a key.
    func property(_ key: String, _ description: String) -> String {
        var bytes: [UInt8] = []
        bytes.append(json: key)
        bytes.append(contentsOf: ":{\"description\":".utf8)
        bytes.append(json: description)
        bytes.append(contentsOf: (members.isEmpty ? "}" : ",\(members)}").utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    static func list(_ words: [String]) -> String {
        "[\(words.map { "\"\($0)\"" }.joined(separator: ","))]"
    }
}

/// A key of a mapping that is an argument.
package struct ArgumentField: Sendable {
    let key: String
    let isRequired: Bool
    let schema: ArgumentSchema
    let description: String

    package static func required(
        _ key: String,
        _ schema: ArgumentSchema,
        _ description: String
    ) -> ArgumentField {
        ArgumentField(key: key, isRequired: true, schema: schema, description: description)
    }

    static func optional(_ key: String, _ schema: ArgumentSchema, _ description: String) -> ArgumentField {
        ArgumentField(key: key, isRequired: false, schema: schema, description: description)
    }
}
