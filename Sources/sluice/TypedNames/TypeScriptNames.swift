internal import Definitions
internal import Support

extension TypedNames {
    /// An interface with a property for each node, and an index signature for each family.
    ///
    /// Nodes that clients cannot set are `readonly`. The package's interface `Graphs` has it as a
    /// member.
    var typeScript: String {
        let name = Self.upperCamelCase(graph)
        let lines = nodes.map { node in
            let comment = node.comment.map { "  /** \($0) */\n" } ?? ""
            let access = node.isSettable ? "" : "readonly "
            return
                "\(comment)  \(access)\(Self.key(of: node)): \(Self.typeScript(shape(inTypeScript: node), "  "));"
        }
        return """
            // \(origin("ts"))
            import "sluice-client";

            /** The nodes of the graph `\(graph)`\(title.map { ": \($0)" } ?? ""). */
            export interface \(name) {
            \(lines.joined(separator: "\n"))
            }

            declare module "sluice-client" {
              interface Graphs {
                \(String(json: graph)): \(name);
              }
            }

            """
    }

    /// In TypeScript `${string}` stands for dots too, so that one name may belong to several index
    /// signatures, and all of them have to hold for it.
    private func shape(inTypeScript family: Node) -> ValueShape {
        guard let glob = family.glob else { return family.shape }
        let others = nodes.filter { Glob.meet(glob, $0.glob ?? $0.name) }
        return ValueShape(any: [family.shape] + others.map(\.shape))
    }

    private static func key(of node: Node) -> String {
        guard let placeholders = node.placeholders else { return String(json: node.name) }
        // A name of several placeholders needs one parameter for all of them.
        let text = (node.glob ?? node.name).replacing("*", with: "${string}")
        return "[\(placeholders.joined(separator: "_")): `\(text)`]"
    }

    private static func typeScript(_ shape: ValueShape, _ indent: String) -> String {
        switch shape {
        case .any: "unknown"
        case .null: "null"
        case .boolean: "boolean"
        case .number, .integer: "number"
        case .string: "string"
        case .constant(.composite): "unknown"
        case .constant(let constant): constant.json
        case .array(.either(let shapes)): "(\(typeScript(.either(shapes), indent)))[]"
        case .array(let element): "\(typeScript(element, indent))[]"
        case .either(let shapes): shapes.map { typeScript($0, indent) }.joined(separator: " | ")
        case .object(let members, let others): object(members, others, indent)
        }
    }

    private static func object(
        _ members: [ValueShape.Member],
        _ others: ValueShape?,
        _ indent: String
    ) -> String {
        if members.isEmpty { return "Record<string, \(typeScript(others ?? .any, indent))>" }
        let inner = indent + "  "
        var lines = members.map {
            "\(inner)\(String(json: $0.name))\($0.isRequired ? "" : "?"): \(typeScript($0.shape, inner));"
        }
        // The type of further members would have to hold for the known ones too.
        if others != nil { lines.append("\(inner)[member: string]: unknown;") }
        return "{\n\(lines.joined(separator: "\n"))\n\(indent)}"
    }
}
