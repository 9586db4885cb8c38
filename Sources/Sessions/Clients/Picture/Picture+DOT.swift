internal import Graphs
internal import ReactiveGraph
internal import Support

extension PictureText {
    /// A diagram in the language of Graphviz.
    public func dot() -> [UInt8] {
        var buffer = ByteBuffer()
        buffer.append("digraph ")
        buffer.append(quoted: graph.name)
        buffer.append(" {\n    rankdir=LR;\n    node [shape=box, fontname=\"sans-serif\"];\n")
        for entry in picture.entries { entry.appendDOT(to: &buffer) }
        for link in picture.links {
            let style =
                link.isInner ? " [style=dashed]" : link.isFeedback ? " [style=bold, constraint=false]" : ""
            buffer.append(utf8: "    n\(link.from) -> n\(link.to)\(style);\n")
        }
        appendDeclaredLinks(to: &buffer)
        for listener in picture.listeners {
            buffer.append(utf8: "    \(listener.holder.identifier) [shape=ellipse, label=")
            buffer.append(quoted: listener.label)
            buffer.append("];\n")
            for number in listener.on {
                buffer.append(utf8: "    n\(number) -> \(listener.holder.identifier);\n")
            }
        }
        buffer.append("}\n")
        return Array(buffer.bytes)
    }

    /// Edges of declared nodes that do not live, dotted.
    private func appendDeclaredLinks(to buffer: inout ByteBuffer) {
        let shown = Set(picture.entries.compactMap(\.named?.name))
        for entry in picture.entries {
            guard let named = entry.named, entry.node == nil else { continue }
            for input in entry.inputs {
                guard shown.contains(input), let source = graph.node(input) else { continue }
                let from = source.living.map { "n\($0.id)" } ?? "\"\(source.name)\""
                buffer.append(utf8: "    \(from) -> \"\(named.name)\" [style=dotted];\n")
            }
        }
    }
}

extension Picture.Entry {
    fileprivate func appendDOT(to buffer: inout ByteBuffer) {
        buffer.append("    ")
        if let number {
            buffer.append(utf8: "n\(number)")
        } else {
            buffer.append(quoted: named?.name ?? "")
        }
        buffer.append(" [label=")
        buffer.append(quoted: label)
        switch kind {
        case "mutable": buffer.append(", style=bold")
        case "chain": buffer.append(", style=rounded")
        default: if node == nil { buffer.append(", style=dotted") }
        }
        buffer.append("];\n")
    }
}

extension ByteBuffer {
    fileprivate mutating func append(quoted text: String) {
        append("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append("\\")
                append(byte)
            case 0..<0x20: append(" ")
            default: append(byte)
            }
        }
        append("\"")
    }
}
