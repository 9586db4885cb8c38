internal import Graphs
internal import ReactiveGraph

extension PictureText {
    /// A Mermaid flowchart, which can be embedded in Markdown pages.
    public func mermaid() -> [UInt8] {
        var text = "flowchart LR\n"
        var styles = ""
        var places: [String: Int] = [:]
        for (place, entry) in picture.entries.enumerated() {
            if let named = entry.named { places[named.name] = place }
            let id = entry.mermaidID(at: place)
            text += "    \(id)\(entry.mermaidShape)\n"
            if let style = entry.mermaidStyle { styles += "    style \(id) \(style)\n" }
        }
        for link in picture.links {
            text += "    n\(link.from) \(link.isInner ? "-.->" : "-->") n\(link.to)\n"
        }
        // Edges of declared nodes that do not live.
        for (place, entry) in picture.entries.enumerated() {
            guard entry.named != nil, entry.node == nil else { continue }
            for input in entry.inputs {
                guard let source = places[input] else { continue }
                let from = picture.entries[source].mermaidID(at: source)
                text += "    \(from) -.-> \(entry.mermaidID(at: place))\n"
            }
        }
        for listener in picture.listeners {
            let name = listener.holder.identifier
            text += "    \(name)([\"\(Mermaid.escaped(listener.label))\"])\n"
            for node in listener.on { text += "    n\(node) --> \(name)\n" }
        }
        return Array((text + styles).utf8)
    }
}

extension Picture.Entry {
    /// The creation number, or the index among the names if the node does not live.
    fileprivate func mermaidID(at place: Int) -> String {
        number.map { "n\($0)" } ?? "d\(place)"
    }

    fileprivate var mermaidShape: String {
        let text = "\"\(Mermaid.escaped(label))\""
        return kind == "chain" ? "(\(text))" : "[\(text)]"
    }

    fileprivate var mermaidStyle: String? {
        if kind == "mutable" { return "stroke-width: 3px" }
        return node == nil ? "stroke-dasharray: 3" : nil
    }
}
