internal import CEL
package import Definitions
package import Support
package import Values

/// Gives the pipeline of one request: what was read for it already, or its short text, which is
/// read now.
package struct PipelineReading {
    /// How many bytes take about as long to read as building a node: a microsecond.
    private static let bytesPerWork = 2

    let host: Host
    /// What another thread has read; nil: nothing was long.
    let read: ReadPipeline?

    package init(_ host: Host, _ read: ReadPipeline?) {
        self.host = host
        self.read = read
    }

    /// The stages of a list in JSON text.
    ///
    /// - Throws: `bad_field` if it is too long, `pattern_limit`, or the problem of a stage with its
    ///   place.
    package func stages(of text: BorrowedBytes) throws(HostError) -> [Stage] {
        if let known = host.pipelines.texts.find(text) { return known }
        let stages = try pipeline(PipelineText(stages: text)).stages.get()
        host.pipelines.texts.keep(stages, of: text)
        return stages
    }

    /// All of a text.
    package func pipeline(_ text: PipelineText) throws(HostError) -> ReadPipeline {
        if let read { return read }
        return try now(text)
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

    /// A source that was read; the caller must be able to read all of its nodes.
    package func source(
        _ result: Result<Source, HostError>?,
        in view: GraphView
    ) throws(HostError) -> Source? {
        guard let source = try result?.get() else { return nil }
        for name in source.nodes { _ = try view.node(view.graph.node(name), named: name, to: .read) }
        return source
    }

    /// Reads a text now; reading it and compiling its patterns count as work of this turn.
    private func now(_ text: PipelineText) throws(HostError) -> ReadPipeline {
        guard text.bytes <= PipelineText.longest else {
            throw HostError(
                .badField,
                "a pipeline and its source may have at most \(PipelineText.longest) bytes"
            )
        }
        let limits = host.limits
        let options = host.definitions.bounded(by: limits, units: limits.patternWork)
        host.work += UInt64(text.bytes / Self.bytesPerWork)
        let literals = options.expressions.literals
        let before = literals?.spent ?? 0
        let result = text.read(options, mostStages: limits.stages)
        host.work += UInt64(((literals?.spent ?? 0) - before) / NodeBuilder.unitsPerNode)
        return result
    }
}

extension Host {
    /// Whether the stages of a text are in the cache, and there is nothing else to read.
    package func knows(_ text: PipelineText) -> Bool {
        guard text.source == nil, case .json(let stages) = text.stages else { return false }
        return stages.withBorrowedBytes { pipelines.texts.find($0) != nil }
    }

    /// Whether another thread has to read a text before its request is performed.
    public func readsElsewhere(_ text: PipelineText?) -> Bool {
        guard let text, pipelines.readElsewhere != nil else { return false }
        return text.takesLong
    }
}
