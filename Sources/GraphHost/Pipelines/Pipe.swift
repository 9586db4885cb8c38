/// Reads what a client wants computed: the `pipe` of a subscription, and its source where that is not one node.
enum Pipe {
    /// The stages of a list as JSON text.
    ///
    /// - Throws: `pipe_limit`, or what is wrong with a stage, with its place.
    static func read(_ text: UnsafeRawBufferPointer, host: Host) throws(HostError) -> [Stage] {
        try stages(try document(text), host: host)
    }

    /// The stages of a list that is part of a document.
    static func stages(_ document: Document, host: Host) throws(HostError) -> [Stage] {
        let (stages, problems) = Stage.parse(document, options: host.definitions)
        guard problems.isEmpty else { throw HostError(problems) }
        guard stages.count <= host.limits.stages else {
            throw HostError(.pipeLimit, "at most \(host.limits.stages) stages per pipe")
        }
        return stages
    }

    /// The source under one of ``Catalogue/clientSources``, all of whose nodes must be nodes that the caller may read.
    static func source(
        _ word: String,
        _ argument: Document,
        map: Document?,
        in view: GraphView
    ) throws(HostError) -> Source {
        let options = view.graph.host.definitions
        let words = options.catalogue.keysBesideSources["map"] ?? []
        if map != nil, !words.contains(word) {
            let message =
                "map: stands beside \(words.joined(separator: " and ")) only; elsewhere it is a stage of pipe"
            throw HostError(.badField, message)
        }
        let (source, problems) = Source.parse(word, argument, map: map, options: options)
        guard problems.isEmpty, let source else { throw HostError(problems) }
        for name in source.nodes { _ = try view.node(view.graph.node(name), named: name, to: .read) }
        return source
    }

    /// A text as a document that knows its places.
    static func document(_ text: UnsafeRawBufferPointer) throws(HostError) -> Document {
        do throws(Problem) {
            return try Document.parse(json: text)
        } catch {
            throw HostError([error])
        }
    }
}
