internal import Graphs
internal import ReactiveGraph

extension PictureText {
    /// A diagram in the language of Graphviz.
    public func dot() -> [UInt8] {
        let settings = ["rankdir=LR", "node [shape=box, fontname=\"sans-serif\"]"]
        let drawn = diagram { entry, _ in
            entry.number.map { "n\($0)" } ?? Diagram.quoted(entry.named?.name ?? "")
        }
        return Array(drawn.dot(named: graph.name, settings).utf8)
    }

    /// A Mermaid flowchart, which can be embedded in Markdown pages.
    public func mermaid() -> [UInt8] {
        Array(diagram { entry, place in entry.number.map { "n\($0)" } ?? "d\(place)" }.mermaid().utf8)
    }

    /// The picture as boxes and arrows; `id` names an entry at a place.
    private func diagram(_ id: (Picture.Entry, Int) -> String) -> Diagram {
        var diagram = Diagram()
        var places: [String: Int] = [:]
        for (place, entry) in picture.entries.enumerated() {
            if let named = entry.named { places[named.name] = place }
            diagram.add(entry.box(id(entry, place)))
        }
        for link in picture.links {
            let isBold = link.isFeedback || !link.owners.isEmpty
            let stroke: Diagram.Stroke = link.isInner ? .dashed : isBold ? .bold : .plain
            let isFeedback = link.isFeedback && !link.isInner
            // A client's link has the name of its owner.
            let name = link.owners.first?.text
            diagram.add(Diagram.Link("n\(link.from)", "n\(link.to)", name, stroke, isFeedback: isFeedback))
        }
        // Edges of declared nodes that do not live.
        for (place, entry) in picture.entries.enumerated() where entry.named != nil && entry.node == nil {
            for source in entry.inputs.compactMap({ places[$0] }) {
                let from = id(picture.entries[source], source)
                diagram.add(Diagram.Link(from, id(entry, place), nil, .dotted))
            }
        }
        for listener in picture.listeners {
            let name = listener.holder.identifier
            diagram.add(Diagram.Node(name, [listener.label], .ellipse))
            for node in listener.on { diagram.add(Diagram.Link("n\(node)", name)) }
        }
        let now = graph.host.clock.wall
        for upstream in picture.upstreams {
            let name = upstream.identifier
            diagram.add(Diagram.Node(name, [upstream.open.origin, upstream.open.words(at: now)], .hexagon))
            for node in upstream.on { diagram.add(Diagram.Link(name, "n\(node)")) }
        }
        return diagram
    }
}

extension Picture.Entry {
    fileprivate func box(_ id: String) -> Diagram.Node {
        let stroke: Diagram.Stroke =
            kind == "mutable" ? .bold : kind != "chain" && node == nil ? .dotted : .plain
        return Diagram.Node(id, [label], kind == "chain" ? .rounded : .box, stroke)
    }
}
