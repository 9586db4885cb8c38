extension AnyNode {
    /// The graph around this node in the DOT language of Graphviz (G-106).
    ///
    /// One line per node and one per transform, in the order of ``traverse(_:)``, so the same graph
    /// gives the same text. Nodes are called `n` and their creation number. An edge that lacks an
    /// end points to or from a dot; what an ended combine is made of is dashed (G-144).
    ///
    /// - Parameters:
    ///   - values: shows what each node holds.
    ///   - listeners: shows how many listen to each node, and which inner nodes flattens follow.
    /// - Returns: the text of a `digraph`.
    public func dot(values: Bool = false, listeners: Bool = false) -> String {
        Drawing(around: self, values: values, listeners: listeners).dot
    }
}

extension Drawing {
    /// See ``AnyNode/dot(values:listeners:)``.
    fileprivate var dot: String {
        var text = "digraph {\n"
        for item in items {
            switch item {
            case .node(let node):
                let label = node.lines.map(escapedForDOT).joined(separator: "\\n")
                text += "    n\(node.id) [label=\"\(label)\"\(node.isEnded ? ", style=dashed" : "")];\n"
            case .loose(let end): text += "    \(end) [shape=point];\n"
            case .link(let link):
                let style =
                    link.isFollowing ? ", style=dotted" : link.isEnded ? ", style=dashed" : ""
                text += "    \(link.from) -> \(link.to) [label=\"\(escapedForDOT(link.name))\"\(style)];\n"
            }
        }
        return text + "}\n"
    }
}

/// The inside of a quoted string: a name cannot end it, nor be taken for an escape of Graphviz.
private func escapedForDOT(_ label: String) -> String {
    var result = ""
    for scalar in label.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case "\n": result += "\\n"
        case "\r": result += "\\r"
        case "\0": result += "\u{FFFD}"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
