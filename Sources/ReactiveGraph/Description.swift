extension AnyNode {
    /// The graph around this node in the DOT language of Graphviz (G-106).
    ///
    /// One line per node and one per transform, in the order of ``traverse(_:)``, so the same graph gives the same
    /// text. Half-connected edges point to or from nowhere.
    ///
    /// - Parameters:
    ///   - values: shows what each node holds.
    ///   - listeners: shows how many listen to each node.
    /// - Returns: the text of a `digraph`.
    public func dot(values: Bool = false, listeners: Bool = false) -> String {
        var writer = DotWriter(values: values, listeners: listeners)
        traverse(&writer)
        return writer.text + "}\n"
    }
}

private struct DotWriter: GraphVisitor {
    let values: Bool
    let listeners: Bool
    var text = "digraph {\n"
    var loose = 0

    mutating func visit(node: AnyNode, depth: Int) -> Bool {
        var label = node.name ?? "n\(node.id)"
        if values { label += "\n\(node.valueDescription)" }
        if listeners, node.hasListener { label += "\nlisteners: \(node.listenerCount)" }
        text += "    n\(node.id) [label=\"\(escaped(label))\"];\n"
        return false
    }

    mutating func visit(edge: AnyEdge) -> Bool {
        let from = edge.fromNode.map { "n\($0.id)" } ?? nowhere()
        let to = edge.toNode.map { "n\($0.id)" } ?? nowhere()
        text += "    \(from) -> \(to) [label=\"\(escaped(edge.name))\"];\n"
        return false
    }

    private mutating func nowhere() -> String {
        loose += 1
        text += "    x\(loose) [shape=point];\n"
        return "x\(loose)"
    }

    private func escaped(_ label: String) -> String {
        var result = ""
        for scalar in label.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
