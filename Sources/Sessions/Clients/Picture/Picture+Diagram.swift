internal import ReactiveGraph

extension PictureText {
    /// A diagram in the language of Graphviz.
    public func dot() -> [UInt8] {
        let settings = ["rankdir=LR", "node [shape=box, fontname=\"sans-serif\"]"]
        return Array(diagram.dot(named: graph.name, settings).utf8)
    }

    /// A Mermaid flowchart, which can be embedded in Markdown pages.
    public func mermaid() -> [UInt8] { Array(diagram.mermaid().utf8) }

    private var diagram: Diagram {
        var diagram = Diagram()
        var places: [String: Int] = [:]
        for (place, entry) in picture.entries.enumerated() {
            if let named = entry.named { places[named.name] = place }
            diagram.add(entry.box(at: place))
        }
        for link in picture.links {
            let stroke: Diagram.Stroke = link.isInner ? .dashed : link.isFeedback ? .bold : .plain
            let isFeedback = link.isFeedback && !link.isInner
            diagram.add(Diagram.Link("n\(link.from)", "n\(link.to)", nil, stroke, isFeedback: isFeedback))
        }
        // Edges of declared nodes that do not live.
        for (place, entry) in picture.entries.enumerated() where entry.named != nil && entry.node == nil {
            for source in entry.inputs.compactMap({ places[$0] }) {
                let from = picture.entries[source].id(at: source)
                diagram.add(Diagram.Link(from, entry.id(at: place), nil, .dotted))
            }
        }
        for listener in picture.listeners {
            let name = listener.holder.identifier
            diagram.add(Diagram.Node(name, [listener.label], .ellipse))
            for node in listener.on { diagram.add(Diagram.Link("n\(node)", name)) }
        }
        return diagram
    }
}

extension Picture.Entry {
    /// The creation number, or the index among the names if the node does not live.
    fileprivate func id(at place: Int) -> String {
        number.map { "n\($0)" } ?? "d\(place)"
    }

    fileprivate func box(at place: Int) -> Diagram.Node {
        let stroke: Diagram.Stroke =
            kind == "mutable" ? .bold : kind != "chain" && node == nil ? .dotted : .plain
        return Diagram.Node(id(at: place), [label], kind == "chain" ? .rounded : .box, stroke)
    }
}
