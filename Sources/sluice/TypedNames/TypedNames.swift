internal import ArgumentParser
internal import Definitions
internal import Values

/// The nodes of a graph with their types, as source text for clients.
struct TypedNames {
    enum Language: String, CaseIterable, ExpressibleByArgument {
        case ts, python, swift
    }

    /// A node, or a family with its placeholders.
    struct Node {
        let name: String
        /// Of a family.
        let placeholders: [String]?
        /// Of a family: its name, with wildcards in place of the placeholders.
        var glob: String? {
            placeholders.map { $0.reduce(name) { $0.replacing("{\($1)}", with: "*") } }
        }
        let shape: ValueShape
        /// Whether clients may set it.
        let isSettable: Bool
        /// What people call it, with its unit, and what it is about; nil if the definition does not
        /// say.
        let comment: String?
    }

    let graph: String
    let title: String?
    private let hash: String
    /// Families come after all others.
    let nodes: [Node]

    init(of definition: GraphDefinition) {
        graph = definition.name
        title = definition.title
        hash = definition.hash
        nodes = (definition.nodes + definition.families).map { node in
            let name = [node.title, node.unit].compactMap(\.self).joined(separator: ", ")
            let texts = [name, node.description ?? ""].filter { !$0.isEmpty }
            return Node(
                name: node.name,
                placeholders: node.placeholders,
                shape: definition.shape(of: node),
                isSettable: node.kindName == .mutable,
                comment: texts.isEmpty ? nil : Self.line(texts.joined(separator: ": "))
            )
        }
    }

    func text(for language: Language) -> String {
        switch language {
        case .ts: typeScript
        case .python: python
        case .swift: swift
        }
    }

    /// A comment that says where the text comes from.
    func origin(_ language: String) -> String {
        "Written by `sluice types \(graph) --for \(language)` from the definition \(hash). Do not edit."
    }

    /// A text on one line, which ends no comment.
    private static func line(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").replacing("*/", with: "* /")
    }

    /// Words of a name: `sensor.{id}.celsius` has `sensor`, `id` and `celsius`.
    static func words(_ name: String) -> [String] {
        name.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.map(String.init)
    }

    /// A name of a type: `IndoorC` for `indoor_c`.
    static func upperCamelCase(_ name: String) -> String {
        let words = words(name).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return words.first.map { $0.isNumber ? "_" + words : words } ?? "_"
    }
}
