/// What a subscription is to: a node as it stands, or what a client wants made of nodes.
enum Subject {
    case node(NamedNode)
    case pipeline(Source, [Stage])

    /// A node with these stages after it.
    init(_ node: NamedNode, _ pipe: [Stage]) {
        self = pipe.isEmpty ? .node(node) : .pipeline(.from(node.name), pipe)
    }

    /// The names of the nodes that it is made from.
    var nodes: [String] {
        switch self {
        case .node(let node): [node.name]
        case .pipeline(let source, _): source.nodes
        }
    }

    /// What a client has to be allowed to do with these.
    var needs: Rights {
        switch self {
        case .node: .read
        case .pipeline: [.read, .pipe]
        }
    }
}

extension Subject {
    /// Reads what a `sub` is to, when it is not to several nodes.
    static func read(_ fields: Fields, in view: GraphView) throws(HostError) -> Subject {
        let graph = view.graph
        let word = try word(of: fields, among: graph.host.definitions.catalogue.subscribable)
        let subject: Subject
        if let field = fields[.node] {
            try fields.refuse(.reduce, because: "it is only allowed with 'all'")
            try fields.refuse(.map, because: "write it as a stage of pipe")
            let known = try field.name(.node).flatMap { graph.node(named: $0) }
            let node = try view.node(known, named: field.string, to: .read)
            subject = Subject(node, try pipe(fields) { Pipe(graph.host) })
        } else {
            let reading = Pipe(graph.host)
            let source = try source(fields, word, in: view, reading)
            subject = .pipeline(source, try pipe(fields) { reading })
        }
        if case .pipeline(let source, _) = subject {
            try view.requirePipe(on: source)
            try fields.refuse(.history, because: "a pipeline has no history")
        }
        return subject
    }

    /// The field of a message that says what it subscribes to: one of `known`.
    static func word(of fields: Fields, among known: FieldWords) throws(HostError) -> String {
        guard let word = fields.onlyWord(among: known) else {
            throw HostError(.badField, "one of \(known.texts.joined(separator: ", ")) is needed")
        }
        return word
    }

    private static func pipe(_ fields: Fields, _ reading: () -> Pipe) throws(HostError) -> [Stage] {
        guard let field = fields[.pipe] else { return [] }
        return try reading().stages(field.bytes)
    }

    /// The source of a message, under its `word`.
    private static func source(
        _ fields: Fields,
        _ word: String,
        in view: GraphView,
        _ reading: Pipe
    ) throws(HostError) -> Source {
        guard let field = fields[word] else { throw HostError(.badField, "\(word): is needed") }
        var beside: [String: Document] = [:]
        for key in Source.clientKeys {
            if let field = fields[key] { beside[key] = try reading.document(field.bytes) }
        }
        return try reading.source(word, try reading.document(field.bytes), beside: beside, in: view)
    }
}
