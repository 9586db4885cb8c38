internal import Definitions
internal import Values

extension TypedNames {
    /// An enum with a constant for each node, and a function for each family.
    var swift: String {
        var writer = SwiftNames(of: self)
        return writer.write()
    }
}

private struct SwiftNames {
    private let names: TypedNames
    /// What the graph's own enum is called.
    private let type: String
    /// Names of constants and functions, and of types, each once.
    private var members = UniqueNames(reserved: ["graph"])
    private var types = UniqueNames(reserved: ["Type", "Protocol", "Self"])
    /// The types that values need, in the order in which they were needed.
    private var nested: [String] = []

    init(of names: TypedNames) {
        self.names = names
        type = TypedNames.upperCamelCase(names.graph)
    }

    mutating func write() -> String {
        let nodes = names.nodes.map { node($0) }.joined()
        let title = names.title.map { ": \($0)" } ?? ""
        return """
            // \(names.origin("swift"))
            import SluiceClient

            /// The nodes of the graph `\(names.graph)`\(title).
            public enum \(type) {
                /// The graph's name.
                public static let graph = "\(names.graph)"

            \(nodes)\(nested.map { "\n" + $0.indented(by: 4) }.joined())}

            """
    }

    private mutating func node(_ node: TypedNames.Node) -> String {
        let value = value(node.shape, TypedNames.upperCamelCase(node.name), of: node.name)
        let kind = "\(node.isSettable ? "NodeName" : "DerivedNodeName")<\(value)>"
        let comment = node.comment.map { "    /// \($0)\n" } ?? ""
        guard let placeholders = node.placeholders else {
            let name = members.add(Self.lowerCamelCase(node.name))
            return "\(comment)    public static let \(name) = \(kind)(\"\(names.graph)/\(node.name)\")\n"
        }
        let fixed = node.name.replacing(#/\{[^}]*\}/#, with: "")
        let name = members.add(Self.lowerCamelCase(fixed.isEmpty ? "member" : fixed))
        let labels = placeholders.map { Self.escaped($0) + ": String" }.joined(separator: ", ")
        let path = node.name.replacing(#/\{([^}]*)\}/#) { "\\(\(Self.escaped(String($0.output.1))))" }
        return """
            \(comment)    /// A member of the family `\(node.name)`.
                public static func \(name)(\(labels)) -> \(kind) {
                    \(kind)("\(names.graph)/\(path)")
                }

            """
    }

    /// The type for values of a shape; `name` is that of a type which they may need.
    private mutating func value(_ shape: ValueShape, _ name: String, of place: String) -> String {
        switch shape {
        case .any, .null, .constant(.null), .constant(.composite): "JSONValue"
        case .boolean, .constant(.boolean): "Bool"
        case .number, .constant(.number): "Double"
        case .integer: "Int64"
        case .string, .constant(.string): "String"
        case .array(let element): "[\(value(element, name + "Element", of: "an element of \(place)"))]"
        case .object([], let others?):
            "[String: \(value(others, name + "Member", of: "a member of \(place)"))]"
        case .object(let members, _): object(members, name, of: place)
        case .either(let shapes): either(shapes, name, of: place)
        }
    }

    private mutating func either(_ shapes: [ValueShape], _ name: String, of place: String) -> String {
        let others = shapes.filter { $0 != .null && $0 != .constant(.null) }
        if others.count < shapes.count {
            let value =
                others.count == 1 ? value(others[0], name, of: place) : either(others, name, of: place)
            return value == "JSONValue" ? value : value + "?"
        }
        let texts: [String] = shapes.compactMap {
            if case .constant(.string(let text)) = $0 { text } else { nil }
        }
        if texts.count == shapes.count { return enumeration(of: texts, name, of: place) }
        let kinds = Set(shapes.map { value($0, name, of: place) })
        if kinds.count == 1 { return kinds.first! }
        return kinds == ["Double", "Int64"] ? "Double" : "JSONValue"
    }

    private mutating func enumeration(of texts: [String], _ name: String, of place: String) -> String {
        let name = types.add(name)
        var cases = UniqueNames(reserved: [])
        let lines = texts.map { text in
            let word = cases.add(Self.lowerCamelCase(text))
            return word == text ? "    case \(word)" : "    case \(word) = \(text.swiftLiteral)"
        }
        nested.append(
            """
            /// The values of `\(place)`.
            public enum \(name): String, Codable, Hashable, Sendable, CaseIterable {
            \(lines.joined(separator: "\n"))
            }

            """
        )
        return name
    }

    private mutating func object(_ members: [ValueShape.Member], _ name: String, of place: String) -> String {
        let name = types.add(name)
        var words = UniqueNames(reserved: [])
        var fields: [(word: String, key: String, type: String, isRequired: Bool)] = []
        for member in members {
            let word = words.add(Self.lowerCamelCase(member.name))
            let type = value(
                member.shape,
                name + TypedNames.upperCamelCase(member.name),
                of: "\(member.name) of \(place)"
            )
            let isOptional = !member.isRequired && !type.hasSuffix("?")
            fields.append((word, member.name, type + (isOptional ? "?" : ""), member.isRequired))
        }
        let properties = fields.map { "    public var \($0.word): \($0.type)" }
        let parameters = fields.map { "\($0.word): \($0.type)" + ($0.type.hasSuffix("?") ? " = nil" : "") }
        let assignments = fields.map { "        self.\($0.word) = \($0.word)" }
        let keys = fields.map { "        case \($0.word) = \($0.key.swiftLiteral)" }
        // What the compiler writes leaves out what is nil; a required member has to be null.
        let encoded = fields.map {
            let method = $0.type.hasSuffix("?") && !$0.isRequired ? "encodeIfPresent" : "encode"
            return "        try members.\(method)(\($0.word), forKey: .\($0.word))"
        }
        let encoding = """


                public func encode(to encoder: any Encoder) throws {
                    var members = encoder.container(keyedBy: CodingKeys.self)
            \(encoded.joined(separator: "\n"))
                }
            """
        let needsEncoding = fields.contains { $0.type.hasSuffix("?") && $0.isRequired }
        nested.append(
            """
            /// The values of `\(place)`.
            public struct \(name): Codable, Hashable, Sendable {
            \(properties.joined(separator: "\n"))

                public init(\(parameters.joined(separator: ", "))) {
            \(assignments.joined(separator: "\n"))
                }

                private enum CodingKeys: String, CodingKey {
            \(keys.joined(separator: "\n"))
                }\(needsEncoding ? encoding : "")
            }

            """
        )
        return name
    }

    // MARK: - Names

    private static func lowerCamelCase(_ name: String) -> String {
        let words = TypedNames.words(name)
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        // An abbreviation that a name begins with, such as `OFF`, is small as a whole.
        let first = words.first ?? ""
        let isAbbreviation = first.allSatisfy { $0.isUppercase || $0.isNumber }
        let start = isAbbreviation ? first.lowercased() : first.prefix(1).lowercased() + first.dropFirst()
        let joined = start + rest
        return joined.first.map { escaped($0.isNumber ? "_" + joined : joined) } ?? "_value"
    }

    private static func escaped(_ word: String) -> String { keywords.contains(word) ? "`\(word)`" : word }

    /// Words that cannot be names as they are.
    private static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue",
        "default", "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false",
        "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout", "internal", "is",
        "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows",
        "return", "self", "static", "struct", "subscript", "super", "switch", "throw", "throws", "true",
        "try", "typealias", "var", "where", "while",
    ]
}

extension String {
    /// As a string literal.
    fileprivate var swiftLiteral: String {
        let escaped = unicodeScalars.map { scalar in
            switch scalar {
            case "\"", "\\": "\\\(scalar)"
            case "\n": "\\n"
            case _ where scalar.value < 32: "\\u{\(String(scalar.value, radix: 16))}"
            default: String(scalar)
            }
        }
        return "\"\(escaped.joined())\""
    }
}
