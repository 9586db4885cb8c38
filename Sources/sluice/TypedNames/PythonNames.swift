internal import Definitions
internal import Support

extension TypedNames {
    /// A class with a property for each node, and a method for each family.
    var python: String {
        var writer = PythonNames(of: self)
        return writer.write()
    }
}

private struct PythonNames {
    private let names: TypedNames
    private var members = UniqueNames(reserved: [])
    private var types: UniqueNames
    /// The types that values need, in the order in which they were needed.
    private var needed: [String] = []
    private let type: String

    init(of names: TypedNames) {
        self.names = names
        type = TypedNames.upperCamelCase(names.graph)
        types = UniqueNames(reserved: [
            type, "Any", "Client", "Literal", "Node", "NotRequired", "ReadOnlyNode", "TypedDict",
        ])
    }

    mutating func write() -> String {
        let nodes = names.nodes.map { node($0) }.joined(separator: "\n")
        let title = names.title.map { ": \($0)" } ?? ""
        return """
            # \(names.origin("python"))
            from typing import Any, Literal, NotRequired, TypedDict

            from sluice_client import Client, Node, ReadOnlyNode

            \(needed.joined())
            class \(type):
                \(Self.documentation("The nodes of the graph `\(names.graph)`\(title)."))

                def __init__(self, client: Client) -> None:
                    self._client = client

            \(nodes)
            """
    }

    private mutating func node(_ node: TypedNames.Node) -> String {
        let value = value(node.shape, TypedNames.upperCamelCase(node.name))
        let kind = node.isSettable ? "Node" : "ReadOnlyNode"
        let type = value == "Any" ? "None" : value
        guard let placeholders = node.placeholders else {
            let name = members.add(Self.name(node.name))
            let comment = node.comment.map { "        \(Self.documentation($0))\n" } ?? ""
            return """
                    @property
                    def \(name)(self) -> \(kind)[\(value)]:
                \(comment)        return \(kind)(self._client, "\(names.graph)/\(node.name)", \(type))

                """
        }
        let fixed = node.name.replacing(#/\{[^}]*\}/#, with: ".")
        let name = members.add(Self.name(fixed.contains { $0.isLetter } ? fixed : "member"))
        let parameters = placeholders.map { "\(Self.name($0)): str" }.joined(separator: ", ")
        let path = node.name.replacing(#/\{([^}]*)\}/#) { "{\(Self.name(String($0.output.1)))}" }
        let comment = "A member of the family `\(node.name)`" + (node.comment.map { ": \($0)" } ?? "") + "."
        return """
                def \(name)(self, \(parameters)) -> \(kind)[\(value)]:
                    \(Self.documentation(comment))
                    return \(kind)(self._client, f"\(names.graph)/\(path)", \(type))

            """
    }

    /// The type for values of a shape; `name` is that of a type which they may need.
    private mutating func value(_ shape: ValueShape, _ name: String) -> String {
        switch shape {
        case .any: "Any"
        case .null: "None"
        case .boolean: "bool"
        case .number: "float"
        case .integer: "int"
        case .string: "str"
        case .constant(let constant):
            Self.literal(constant).map { "Literal[\($0)]" } ?? Self.type(of: constant)
        case .array(let element): "list[\(value(element, name + "Element"))]"
        case .object([], let others?): "dict[str, \(value(others, name + "Member"))]"
        case .object(let members, _): object(members, name)
        case .either(let shapes): either(shapes, name)
        }
    }

    private mutating func either(_ shapes: [ValueShape], _ name: String) -> String {
        let literals: [String] = shapes.compactMap { shape in
            if case .constant(let constant) = shape { Self.literal(constant) } else { nil }
        }
        if literals.count == shapes.count { return "Literal[\(literals.joined(separator: ", "))]" }
        var types: [String] = []
        for shape in shapes {
            let type = value(shape, name)
            if !types.contains(type) { types.append(type) }
        }
        return types.contains("Any") ? "Any" : types.joined(separator: " | ")
    }

    private mutating func object(_ members: [ValueShape.Member], _ name: String) -> String {
        let name = types.add(name)
        // Not as a class: names of members need not be names in Python.
        let lines = members.map { member in
            let type = value(member.shape, name + TypedNames.upperCamelCase(member.name))
            return "    \(Self.text(member.name)): \(member.isRequired ? type : "NotRequired[\(type)]"),"
        }
        needed.append("\(name) = TypedDict(\"\(name)\", {\n\(lines.joined(separator: "\n"))\n})\n")
        return name
    }

    /// A constant that may stand in `Literal`.
    private static func literal(_ constant: ValueShape.Constant) -> String? {
        switch constant {
        case .null: "None"
        case .boolean(let flag): flag ? "True" : "False"
        case .number(let text): Int(text) == nil ? nil : text
        case .string(let text): self.text(text)
        case .composite: nil
        }
    }

    private static func type(of constant: ValueShape.Constant) -> String {
        if case .number = constant { "float" } else { "Any" }
    }

    // MARK: - Names

    private static func name(_ name: String) -> String {
        let words = TypedNames.words(name).joined(separator: "_")
        let safe = words.first?.isNumber != false ? "_" + words : words
        return keywords.contains(safe) || builtins.contains(safe) ? safe + "_" : safe
    }

    /// A string literal: JSON's escapes are Python's.
    private static func text(_ text: String) -> String { String(json: text) }

    private static func documentation(_ text: String) -> String {
        "\"\"\"\(text.replacing("\\", with: "\\\\").replacing("\"\"\"", with: "'''"))\"\"\""
    }

    /// What the annotations of the same class mean by these words.
    private static let builtins: Set<String> = ["bool", "dict", "float", "int", "list", "property", "str"]

    private static let keywords: Set<String> = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
        "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in",
        "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "self", "try", "while", "with",
        "yield",
    ]
}
