internal import CEL
package import Definitions
internal import ReactiveGraph
package import Support
package import Values

/// Parses the pipeline of one request on the loop, or gives what another thread has parsed for it.
package struct PipelineParser {
    /// How many bytes take about as long to parse as building a node: a microsecond.
    private static let bytesPerWork = 2

    let host: Host
    /// What another thread has parsed; nil: the text is short.
    let parsed: ParsedPipeline?

    package init(_ host: Host, _ parsed: ParsedPipeline?) {
        self.host = host
        self.parsed = parsed
    }

    /// The stages of a list in JSON text.
    ///
    /// - Throws: `bad_field` if it is too long, `pattern_limit`, or the problem of a stage with its
    ///   place.
    package func stages(of text: BorrowedBytes) throws(HostError) -> [Stage] {
        if let known = host.pipelines.stages.find(text) { return known }
        let stages = try pipeline(PipelineText(stages: text)).stages.get()
        if stages.allSatisfy({ $0.patterns.isEmpty }) { host.pipelines.stages.keep(stages, of: text) }
        return stages
    }

    /// The expressions of a commit, compiled.
    ///
    /// - Throws: as ``stages(of:)``.
    func formulas(_ texts: [FormulaText]) throws(HostError) -> [Program] {
        let known = host.known(texts)
        if known.count == texts.count { return known }
        guard let text = PipelineText(texts) else { return [] }
        var programs: [Program] = []
        for (text, result) in zip(texts, try pipeline(text).formulas) {
            let program = try result.get()
            programs.append(program)
            guard program.matchers.isEmpty else { continue }
            text.key.withBorrowedBytes { host.pipelines.formulas.keep(program, of: $0) }
        }
        return programs
    }

    /// All of a text.
    package func pipeline(_ text: PipelineText) throws(HostError) -> ParsedPipeline {
        if let parsed { return parsed }
        return try parse(text)
    }

    /// Throws `bad_field` for the first key that may not stand beside a source, or beside `node`.
    package func requireBelonging(_ beside: [String], to word: String) throws(HostError) {
        let catalogue = host.definitions.catalogue
        for key in beside.sorted() {
            let words = catalogue.keysBesideSources[key] ?? []
            guard !words.contains(word) else { continue }
            let isStage = catalogue[key]?.isStage == true
            let message =
                "\(key): only allowed with \(words.enumeration)"
                + (isStage ? "; elsewhere it is a stage of pipe" : "")
            throw HostError(.badField, message)
        }
    }

    /// A source that was parsed; the caller must be able to read all of its nodes.
    package func source(
        _ result: Result<Source, HostError>?,
        in view: GraphView
    ) throws(HostError) -> Source? {
        guard let source = try result?.get() else { return nil }
        for name in source.nodes { _ = try view.node(view.graph.node(name), named: name, to: .read) }
        if let name = source.argument.computedName,
            !view.access.readableFamilies(view.graph).contains(where: { $0.pattern.overlaps(name) })
        {
            throw HostError(
                .unknownNode,
                "no family of \(view.graph.name) has members with names such as '\(name.text)'"
            )
        }
        return source
    }

    /// Parsing a text and compiling its patterns count as work of this turn.
    private func parse(_ text: PipelineText) throws(HostError) -> ParsedPipeline {
        guard text.bytes <= PipelineText.longest else {
            throw HostError(
                .badField,
                "a pipeline and its source, or the expressions of a commit, may have at most \(PipelineText.longest) bytes"
            )
        }
        let limits = host.limits
        let options = host.definitions.bounded(by: limits, units: limits.patternWork)
        host.work += UInt64(text.bytes / Self.bytesPerWork)
        let literals = options.expressions.literals
        let before = literals?.spent ?? 0
        let result = text.parse(options, mostStages: limits.stages)
        host.work += UInt64(((literals?.spent ?? 0) - before) / NodeBuilder.unitsPerNode)
        return result
    }
}

extension Host {
    /// Whether the stages of a text are in the cache, and there is nothing else to parse.
    package func knows(_ text: PipelineText) -> Bool {
        if !text.formulas.isEmpty { return known(text.formulas).count == text.formulas.count }
        guard text.source == nil, case .json(let stages) = text.stages else { return false }
        return stages.withBorrowedBytes { pipelines.stages.find($0) != nil }
    }

    /// Those of the expressions that are in the cache, up to the first that is not.
    fileprivate func known(_ texts: [FormulaText]) -> [Program] {
        var programs: [Program] = []
        for text in texts {
            guard let program = text.key.withBorrowedBytes({ pipelines.formulas.find($0) }) else { break }
            programs.append(program)
        }
        return programs
    }

    /// Whether another thread has to parse a text before its request is performed.
    public func parsesElsewhere(_ text: PipelineText?) -> Bool {
        guard let text, pipelines.parseElsewhere != nil else { return false }
        return text.takesLong
    }
}
