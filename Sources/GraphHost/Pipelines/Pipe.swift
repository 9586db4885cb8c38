internal import CEL

/// Reads what one request of a client wants computed: the `pipe` of a subscription, and its source where that is not one node.
///
/// All texts of the request together have at most ``longestText`` bytes, and all patterns the bounds of ``SessionLimits/patterns`` and
/// ``SessionLimits/patternWork``.
final class Pipe {
    /// The longest text that is read: it takes some 10 ms, which nothing can interrupt.
    static let longestText = 16 << 10
    /// So many bytes of it take about as long as a node that is built: a microsecond.
    private static let bytesPerWork = 2

    private let host: Host
    private let options: DefinitionOptions
    private var room = Pipe.longestText

    init(_ host: Host) {
        self.host = host
        options = host.requestOptions()
    }

    /// The stages of a list as JSON text.
    ///
    /// - Throws: `pipe_limit`, `pattern_limit`, or what is wrong with a stage, with its place.
    func stages(_ text: UnsafeRawBufferPointer) throws(HostError) -> [Stage] {
        try stages(try document(text))
    }

    /// The stages of a list that is part of a document.
    func stages(_ document: Document) throws(HostError) -> [Stage] {
        let (stages, problems) = host.countingPatterns(of: options) {
            Stage.parse(document, options: options)
        }
        guard problems.isEmpty else { throw HostError(problems) }
        guard stages.count <= host.limits.stages else {
            throw HostError(.pipeLimit, "at most \(host.limits.stages) stages per pipe")
        }
        return stages
    }

    /// The source under one of ``Catalogue/clientSources``, all of whose nodes must be nodes that the caller may read.
    func source(
        _ word: String,
        _ argument: Document,
        map: Document?,
        in view: GraphView
    ) throws(HostError) -> Source {
        let words = options.catalogue.keysBesideSources["map"] ?? []
        if map != nil, !words.contains(word) {
            let message =
                "map: stands beside \(words.joined(separator: " and ")) only; elsewhere it is a stage of pipe"
            throw HostError(.badField, message)
        }
        let (source, problems) = host.countingPatterns(of: options) {
            Source.parse(word, argument, map: map, options: options)
        }
        guard problems.isEmpty, let source else { throw HostError(problems) }
        for name in source.nodes { _ = try view.node(view.graph.node(name), named: name, to: .read) }
        return source
    }

    /// A text as a document that knows its places; what it costs to read it, and to compile its expressions, is counted as work
    /// of this turn.
    func document(_ text: UnsafeRawBufferPointer) throws(HostError) -> Document {
        guard text.count <= room else {
            throw HostError(
                .pipeLimit,
                "a pipeline and its source are written in at most \(Self.longestText) bytes"
            )
        }
        room -= text.count
        host.work += UInt64(text.count / Self.bytesPerWork)
        do throws(Problem) {
            return try Document.parse(json: text)
        } catch {
            throw HostError([error])
        }
    }
}
