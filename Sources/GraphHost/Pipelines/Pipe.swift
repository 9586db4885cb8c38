internal import CEL
internal import Values

/// Reads the computation that one client request asks for: the `pipe` of a subscription, and its
/// source if that is not a single node.
///
/// All texts of the request together have at most ``longestText`` bytes, and all patterns stay
/// within ``SessionLimits/patterns`` and ``SessionLimits/patternWork``. Parts that would take too
/// long for one turn are read on another thread: then the request is refused for now, and performed
/// again later (``Host/performsAgain(_:)``).
final class Pipe {
    /// The longest text: reading it takes about 10 ms.
    static let longestText = 16 << 10
    /// The longest text that is read at once, if another thread can read longer ones: 0.04 ms.
    static let shortText = 64
    /// The most work of compiling patterns at once: 0.5 ms.
    static let quickUnits = 25_000
    /// How many bytes take about as long to read as building a node: a microsecond.
    private static let bytesPerWork = 2
    /// The same for reading them as JSON only.
    private static let jsonBytesPerWork = 32

    private let host: Host
    private let options: DefinitionOptions
    private var room = Pipe.longestText
    /// Bytes whose reading has not been counted as work yet.
    private var uncounted = 0

    init(_ host: Host) {
        self.host = host
        let units = host.limits.patternWork
        options = host.definitions.bounded(
            by: host.limits,
            units: host.readElsewhere == nil ? units : min(units, Self.quickUnits)
        )
    }

    /// The stages of a list that is part of a document.
    func stages(_ list: Document) throws(HostError) -> [Stage] {
        if let known = host.readParts?.stages { return try known.get() }
        return try stages(.stages(list))
    }

    /// The stages of a list in JSON text.
    func stages(of text: UnsafeRawBufferPointer) throws(HostError) -> [Stage] {
        if let known = host.readParts?.stages { return try known.get() }
        try take(text)
        return try stages(.json(Array(text)))
    }

    private func stages(_ text: UnreadPart.Text) throws(HostError) -> [Stage] {
        guard case .stages(let result) = try read(part(text)) else {
            preconditionFailure("stages are read as stages")
        }
        return try result.get()
    }

    /// The source under one of ``Catalogue/clientSources``; the caller must be able to read all of
    /// its nodes.
    func source(
        _ word: String,
        _ argument: Document,
        beside: [String: Document],
        in view: GraphView
    ) throws(HostError) -> Source {
        try requireBelonging(beside, to: word)
        let source = try source(part(.source(word, argument, beside: beside)))
        source.choose(for: view.access)
        for name in source.nodes { _ = try view.node(view.graph.node(name), named: name, to: .read) }
        return source
    }

    /// Throws `bad_field` for the first key that may not stand beside a source, or beside `node`.
    func requireBelonging(_ beside: [String: Document], to word: String) throws(HostError) {
        for key in beside.keys.sorted() {
            let words = options.catalogue.keysBesideSources[key] ?? []
            guard !words.contains(word) else { continue }
            let isStage = options.catalogue[key]?.isStage == true
            let message =
                "\(key): only allowed with \(words.enumeration)"
                + (isStage ? "; elsewhere it is a stage of pipe" : "")
            throw HostError(.badField, message)
        }
    }

    private func source(_ part: UnreadPart) throws(HostError) -> Source {
        if let known = host.readParts?.source { return try known.get() }
        guard case .source(let result) = try read(part) else {
            preconditionFailure("a source is read as a source")
        }
        return try result.get()
    }

    private func part(_ text: UnreadPart.Text) -> UnreadPart {
        UnreadPart(text: text, bytes: Self.longestText - room)
    }

    func document(_ text: UnsafeRawBufferPointer) throws(HostError) -> Document {
        try take(text)
        host.work += UInt64(text.count / Self.jsonBytesPerWork)
        do throws(DefinitionProblem) {
            return try Document.parse(json: text)
        } catch {
            throw HostError([error])
        }
    }

    /// Counts a text against the bytes of the request.
    private func take(_ text: UnsafeRawBufferPointer) throws(HostError) {
        guard text.count <= room else {
            throw HostError(
                .badField,
                "a pipeline and its source may have at most \(Self.longestText) bytes"
            )
        }
        room -= text.count
        uncounted += text.count
    }

    /// Reads a part now, if that is quick; reading it and compiling its patterns count as work of
    /// this turn.
    private func read(_ part: UnreadPart) throws(HostError) -> ReadPart {
        let isShort = Self.longestText - room <= Self.shortText
        if isShort || host.readElsewhere == nil {
            host.work += UInt64(uncounted / Self.bytesPerWork)
            uncounted = 0
            let literals = options.expressions.literals
            let before = literals?.spent ?? 0
            let result = part.read(options, mostStages: host.limits.stages)
            host.work += UInt64(((literals?.spent ?? 0) - before) / NodeBuilder.unitsPerNode)
            if literals?.isExhausted != true || host.readElsewhere == nil { return result }
        }
        host.unread = part
        throw HostError(.busy, "the pipeline takes long to read")
    }
}

extension Host {
    /// The stages of a list in JSON text; `pipe` reads them if they are not in the cache.
    ///
    /// - Throws: `bad_field` if it is too long, `pattern_limit`, `busy` if another thread must read
    ///   it, or the problem of a stage with its place.
    func stages(
        of text: UnsafeRawBufferPointer,
        by pipe: @autoclosure () -> Pipe
    ) throws(HostError) -> [Stage] {
        if let known = pipelineTexts.find(text) { return known }
        let stages = try pipe().stages(of: text)
        pipelineTexts.keep(stages, of: text)
        return stages
    }
}
