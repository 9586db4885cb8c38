/// A picture of boxes and arrows, which Graphviz and Mermaid can draw.
package struct Diagram {
    /// A box.
    package struct Node {
        package enum Shape { case box, rounded, ellipse, hexagon, point }

        /// A word of letters and digits; for Graphviz also a quoted string.
        package let id: String
        let lines: [String]
        let shape: Shape
        let stroke: Stroke

        package init(_ id: String, _ lines: [String], _ shape: Shape = .box, _ stroke: Stroke = .plain) {
            (self.id, self.lines, self.shape, self.stroke) = (id, lines, shape, stroke)
        }
    }

    /// An arrow.
    package struct Link {
        let from: String
        let to: String
        let name: String?
        let stroke: Stroke
        /// Closes a ring.
        let isFeedback: Bool

        package init(
            _ from: String,
            _ to: String,
            _ name: String? = nil,
            _ stroke: Stroke = .plain,
            isFeedback: Bool = false
        ) {
            (self.from, self.to, self.name) = (from, to, name)
            (self.stroke, self.isFeedback) = (stroke, isFeedback)
        }
    }

    /// How a line is drawn.
    package enum Stroke: String { case plain, bold, dashed, dotted }

    private enum Item {
        case node(Node)
        case link(Link)
    }

    private var items: [Item] = []

    package init() {}

    package mutating func add(_ node: Node) { items.append(.node(node)) }

    package mutating func add(_ link: Link) { items.append(.link(link)) }

    // MARK: - Graphviz

    /// The text of a `digraph`.
    ///
    /// - Parameters:
    ///   - name: the name of the graph.
    ///   - settings: lines before the first node.
    /// - Returns: the text.
    package func dot(named name: String? = nil, _ settings: [String] = []) -> String {
        var text = name.map { "digraph \(Self.quoted($0)) {\n" } ?? "digraph {\n"
        for line in settings { text += "    \(line);\n" }
        for item in items {
            switch item {
            case .node(let node): text += "    \(node.id)\(Self.attributes(of: node));\n"
            case .link(let link): text += "    \(link.from) -> \(link.to)\(Self.attributes(of: link));\n"
            }
        }
        return text + "}\n"
    }

    private static func attributes(of node: Node) -> String {
        var all = node.shape == .point ? [] : ["label=\(quoted(node.lines.joined(separator: "\n")))"]
        switch node.shape {
        case .box: break
        case .rounded: all.append("style=rounded")
        case .ellipse: all.insert("shape=ellipse", at: 0)
        case .hexagon: all.insert("shape=hexagon", at: 0)
        case .point: all.append("shape=point")
        }
        if node.stroke != .plain { all.append("style=\(node.stroke.rawValue)") }
        return " [\(all.joined(separator: ", "))]"
    }

    private static func attributes(of link: Link) -> String {
        var all = link.name.map { ["label=\(quoted($0))"] } ?? []
        if link.stroke != .plain { all.append("style=\(link.stroke.rawValue)") }
        if link.isFeedback { all.append("constraint=false") }
        return all.isEmpty ? "" : " [\(all.joined(separator: ", "))]"
    }

    /// A string that no name can end, nor make an escape of Graphviz.
    package static func quoted(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\0": result += "\u{FFFD}"
            case "\u{1}"..."\u{1F}": result += " "
            default: result.unicodeScalars.append(scalar)
            }
        }
        return "\"\(result)\""
    }

    // MARK: - Mermaid

    /// The text of a `flowchart`, whose styles stand at its end.
    package func mermaid() -> String {
        var text = "flowchart LR\n"
        var styles = ""
        for item in items {
            switch item {
            case .node(let node):
                text += "    \(node.id)\(Self.shape(of: node))\n"
                if let style = Self.style(of: node) { styles += "    style \(node.id) \(style)\n" }
            case .link(let link):
                let arrow = link.stroke == .dashed || link.stroke == .dotted ? "-.->" : "-->"
                let name = link.name.map { "|\"\(Self.escaped([$0]))\"|" } ?? ""
                text += "    \(link.from) \(arrow)\(name) \(link.to)\n"
            }
        }
        return text + styles
    }

    private static func shape(of node: Node) -> String {
        let label = "\"\(escaped(node.lines))\""
        return switch node.shape {
        case .box: "[\(label)]"
        case .rounded: "(\(label))"
        case .ellipse: "([\(label)])"
        case .hexagon: "{{\(label)}}"
        case .point: "(( ))"
        }
    }

    private static func style(of node: Node) -> String? {
        switch node.stroke {
        case .plain: nil
        case .bold: "stroke-width: 3px"
        case .dashed: "stroke-dasharray: 4"
        case .dotted: "stroke-dasharray: 3"
        }
    }

    /// The inside of a quoted label.
    ///
    /// Everything but letters, digits, spaces and harmless signs becomes a character code: Mermaid
    /// knows no backslash, and takes some texts for Markdown or HTML.
    private static func escaped(_ lines: [String]) -> String {
        var result = ""
        for scalar in lines.joined(separator: "\n").unicodeScalars {
            switch scalar {
            case "\n": result += "<br/>"
            case "a"..."z", "A"..."Z", "0"..."9", " ", ".", ",", ":", "-", "_", "(", ")", "/", "+", "=", "?",
                "!":
                result.unicodeScalars.append(scalar)
            case "\0"..."\u{1F}": result += " "
            case "\u{A0}"...: result.unicodeScalars.append(scalar)
            default: result += "#\(scalar.value);"
            }
        }
        // The grammar has no empty string.
        return result.isEmpty ? " " : result
    }
}
