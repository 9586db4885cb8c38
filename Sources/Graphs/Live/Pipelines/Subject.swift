internal import CEL
package import Commits
package import Definitions
package import Values

/// What a subscription is to: a node as it stands, or a pipeline, which is what a client wants made
/// of nodes.
package struct Subject {
    /// What the stages follow.
    package enum Origin {
        case node(NamedNode)
        /// If its nodes are chosen by a glob, they are those that this caller may see.
        case source(Source, Access)

        /// Its canonical text, the beginning of the pipeline's.
        var key: String {
            switch self {
            case .node(let node): "from(\(node.name))"
            case .source(let source, _): source.key
            }
        }
    }

    package let origin: Origin
    package let pipe: [Stage]

    /// What `pipe` makes of the values of `origin`.
    package init(origin: Origin, pipe: [Stage]) {
        self.origin = origin
        self.pipe = pipe
    }

    /// The node, if it is one as it stands; nil for a pipeline.
    package var node: NamedNode? {
        if case .node(let node) = origin, pipe.isEmpty { node } else { nil }
    }

    /// The source of a pipeline that does not start from a single node.
    package var source: Source? {
        if case .source(let source, _) = origin { source } else { nil }
    }

    package var nodes: [String] {
        switch origin {
        case .node(let node): [node.name]
        case .source(let source, _): source.nodes
        }
    }

    /// What a client has to be allowed to do with these.
    package var needs: Rights { node == nil ? [.read, .pipe] : .read }

    /// The regular expressions in its expressions.
    var patterns: [any RegexMatcher] {
        pipe.reduce(source?.patterns ?? []) { $1.patterns.isEmpty ? $0 : $0 + $1.patterns }
    }

    /// Whether it has operators that clients do not share.
    package var isPrivate: Bool { source?.operator.isPrivate == true || pipe.contains(where: \.isPrivate) }

    /// Whether its emissions depend on earlier values.
    package var hasState: Bool {
        pipe.reduce(source?.stateClass ?? .none) { max($0, $1.stateClass) } != .none
    }

    /// When the nodes that it is made from last changed; nil: there are none.
    package func lastChange(in graph: LiveGraph) -> LogStamp? {
        switch origin {
        case .node(let node): node.present.lastChange
        case .source(let source, let access):
            (source.nodes.compactMap { graph.node($0)?.lastChange }
                + [graph.chains.followed(from: source, for: access)].compactMap { $0.map(graph.lastChange) })
                .max { $0.rev < $1.rev }
        }
    }
}

extension Subject {
    /// Reads what a `sub` is to, when it is not to several nodes; `parsed` is what another thread
    /// has parsed of it.
    package static func read(
        _ fields: Fields,
        in view: GraphView,
        _ parsed: ParsedPipeline?
    ) throws(HostError) -> Subject {
        let host = view.graph.host
        let parser = PipelineParser(host, parsed)
        let word = try word(of: fields, among: host.definitions.catalogue.subscribable)
        let subject: Subject
        if let field = fields[.node] {
            try fields.refuse(.reduce, because: "it is only allowed with 'all'")
            try fields.refuse(.map, because: "write it as a stage of pipe")
            let known = try field.name(.node).flatMap { view.graph.node(named: $0) }
            let node = try view.node(known, named: field.string, to: .read)
            let stages = try fields[.pipe].map { pipe throws(HostError) in try parser.stages(of: pipe.bytes)
            }
            subject = Subject(origin: .node(node), pipe: stages ?? [])
        } else {
            guard let text = PipelineText(fields, among: host.definitions.catalogue.subscribable) else {
                throw HostError(.badField, "\(word): is needed")
            }
            try parser.requireBelonging(Source.clientKeys.filter { fields[$0] != nil }, to: word)
            let pipeline = try parser.pipeline(text)
            guard let source = try parser.source(pipeline.source, in: view) else {
                throw HostError(.badField, "\(word): is needed")
            }
            subject = Subject(origin: .source(source, view.access), pipe: try pipeline.stages.get())
        }
        if subject.node == nil {
            try view.requirePipe(on: subject)
            try fields.refuse(.history, because: "a pipeline has no history")
        }
        return subject
    }

    /// The field of a message that says what it subscribes to: one of `known`.
    package static func word(of fields: Fields, among known: FieldWords) throws(HostError) -> String {
        guard let word = fields.onlyWord(among: known) else {
            let given = fields.words(among: known)
            guard given.isEmpty else {
                throw HostError(.badField, "only one of \(given.joined(separator: ", ")) is allowed")
            }
            throw HostError(.badField, "one of \(known.texts.joined(separator: ", ")) is needed")
        }
        return word
    }
}
