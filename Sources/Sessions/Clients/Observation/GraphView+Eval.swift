public import Graphs
internal import Definitions
internal import ReactiveGraph
public import Support
public import Values

extension GraphView {
    /// Computes a pipeline once, without subscribing: the value that a `snap` would have (`eval`;
    /// docs/protocol-http.md).
    ///
    /// An existing chain is used; otherwise a chain is built, and released once it has its value.
    /// That may be in a later turn, if more waits in an existing chain than the principal may use
    /// now.
    ///
    /// - Parameters:
    ///   - request: `{"node":…}`, or one of ``Catalogue/clientSources``, as `{"combine":{…}}`,
    ///     optionally with `"pipe":[…]`.
    ///   - parsed: what another thread has parsed of it (``text(ofEvaluation:)``).
    ///   - answer: receives `{"epoch","rev","t","v"|"empty"|"fail"}` once, or `expr_cost` if the
    ///     pipeline costs more than it may.
    /// - Throws: `forbidden` without the right to pipe, `pattern_limit`, and the problems of the
    ///   request, with their places in ``HostError/problems``.
    public func evaluate(
        _ request: BorrowedBytes,
        _ parsed: ParsedPipeline? = nil,
        then answer: @escaping (Result<[UInt8], HostError>) -> Void
    ) throws(HostError) {
        let subject = try question(request, parsed)
        let host = graph.host
        let known = access.name.flatMap { host.pipelines.accounts.find($0) }
        let account = known ?? PipelineAccount(name: nil, in: host)
        let (node, chain) = graph.builder.chain(subject, for: account)
        guard let chain, chain.isBehind else { return answer(result(node)) }
        chain.whenCaughtUp {
            host.later { answer(result(node)) }
        }
    }

    /// The texts in the body of an `eval`, which are parsed before it is answered.
    public func text(ofEvaluation request: [UInt8]) throws(HostError) -> PipelineText {
        try request.withBorrowedBytes { request throws(HostError) in
            let (document, word) = try words(of: request)
            return PipelineText(document, of: request, word: word)
        }
    }

    /// The body, and what it evaluates: `node`, or one of ``Catalogue/clientSources``.
    private func words(of request: BorrowedBytes) throws(HostError) -> (Document, word: String) {
        let document: Document
        graph.host.work += UInt64(request.count / Self.jsonBytesPerWork)
        do throws(DefinitionProblem) {
            document = try Document.parse(json: request)
        } catch {
            throw HostError([error])
        }
        guard document.entries != nil else { throw HostError(.badField, "the body must be an object") }
        let sources = graph.host.definitions.catalogue.clientSources
        let words = (["node"] + sources).filter { document[$0] != nil }
        guard words.count == 1 else {
            throw HostError(.badField, "one of node, \(sources.joined(separator: ", ")) is needed")
        }
        return (document, words[0])
    }

    /// How many bytes of JSON take about as long to read as building a node.
    private static var jsonBytesPerWork: Int { 32 }

    private func question(
        _ request: BorrowedBytes,
        _ parsed: ParsedPipeline?
    ) throws(HostError) -> Subject {
        let (document, word) = try words(of: request)
        let parser = PipelineParser(graph.host, parsed)
        try parser.requireBelonging(Source.clientKeys.filter { document[$0] != nil }, to: word)
        let pipeline = try parser.pipeline(PipelineText(document, of: request, word: word))
        let origin: Subject.Origin
        if let source = try parser.source(pipeline.source, in: self) {
            origin = .source(source, access)
        } else {
            let text = document["node"]?.scalar?.text
            origin = .node(try node(text.flatMap { graph.node($0) }, named: text, to: .read))
        }
        let subject = Subject(origin: origin, pipe: try pipeline.stages.get())
        if subject.node == nil { try requirePipe(on: subject) }
        return subject
    }

    /// The answer from `node`, which has the value.
    private func result(_ node: Node<Datum>) -> Result<[UInt8], HostError> {
        guard graph.isServed else { return .failure(graph.host.noGraph) }
        // A subscription shows such a failure and continues with the next value; here there is no
        // next value.
        let cost = HostError.Code.exprCost.rawValue
        if let fail = node.value?.fail, fail.code == cost, fail.at.hasPrefix("pipe/") {
            return .failure(HostError(.exprCost, "\(fail.at): \(fail.message)"))
        }
        var buffer = ByteBuffer()
        buffer.append("{")
        Answer.appendMoment(of: graph, to: &buffer)
        buffer.append(",")
        Subscription.append(node.value, to: &buffer)
        buffer.append("}\n")
        return .success(Array(buffer.bytes))
    }
}
