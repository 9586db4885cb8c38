extension AnyNode {
    /// The graph around this node as a flowchart of Mermaid, which Markdown pages draw where they
    /// stand.
    ///
    /// The same lines in the same order as ``dot(values:listeners:)``, with the same guarantees:
    /// escaped labels, creation numbers, the same text for the same graph (G-106).
    ///
    /// - Parameters:
    ///   - values: shows what each node holds.
    ///   - listeners: shows how many listen to each node, and which inner nodes flattens follow.
    /// - Returns: the text of a `flowchart`.
    public func mermaid(values: Bool = false, listeners: Bool = false) -> String {
        Drawing(around: self, values: values, listeners: listeners).mermaid
    }
}

extension Drawing {
    /// See ``AnyNode/mermaid(values:listeners:)``.
    fileprivate var mermaid: String {
        var text = "flowchart LR\n"
        var ended: [String] = []
        for item in items {
            switch item {
            case .node(let node):
                let label = node.lines.map(Mermaid.escaped).joined(separator: "<br/>")
                text += "    n\(node.id)[\"\(label)\"]\n"
                if node.isEnded { ended.append("n\(node.id)") }
            case .loose(let end): text += "    \(end)(( ))\n"
            case .link(let link):
                let arrow = link.isFollowing || link.isEnded ? "-.->" : "-->"
                text += "    \(link.from) \(arrow)|\"\(Mermaid.escaped(link.name))\"| \(link.to)\n"
            }
        }
        for node in ended { text += "    style \(node) stroke-dasharray: 4\n" }
        return text
    }
}

/// The text of labels.
package enum Mermaid {
    /// The inside of a quoted label.
    ///
    /// Everything but letters, digits, spaces and harmless signs becomes a character code: Mermaid
    /// knows no backslash, and takes some texts for Markdown or HTML.
    package static func escaped(_ label: String) -> String {
        var result = ""
        for scalar in label.unicodeScalars {
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
