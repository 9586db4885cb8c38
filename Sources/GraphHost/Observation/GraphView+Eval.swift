internal import ReactiveGraph
internal import Support
public import Values

extension GraphView {
    /// Computes a pipeline once, without subscribing: the value that a `snap` would have (`eval`;
    /// docs/protocol-http.md).
    ///
    /// An existing chain is used; otherwise a chain is built, and released once it has its value.
    /// That may be in a later turn, if it costs more than the principal may use now.
    ///
    /// - Parameters:
    ///   - request: `{"node":…}`, or one of ``Catalogue/clientSources``, as `{"combine":{…}}`,
    ///     optionally with `"pipe":[…]`.
    ///   - answer: receives `{"epoch","rev","t","v"|"empty"|"fail"}` once, or `expr_cost` if the
    ///     pipeline costs more than it may.
    /// - Throws: `forbidden` without the right to pipe, `pattern_limit`, `busy`
    ///   (``Host/performsAgain(_:)``), and the problems of the request, with their places in
    ///   ``HostError/problems``.
    public func evaluate(
        _ request: UnsafeRawBufferPointer,
        then answer: @escaping (Result<[UInt8], HostError>) -> Void
    ) throws(HostError) {
        let subject = try question(request)
        let host = graph.host
        let known = access.name.flatMap { host.accounts.find($0) }
        let account = known ?? PipelineAccount(name: nil, in: host)
        let (node, chain) = graph.builder.chain(subject, for: account)
        guard let chain, chain.isBehind else { return answer(result(node)) }
        chain.whenOpen {
            host.later { answer(result(node)) }
        }
    }

    private func question(_ request: UnsafeRawBufferPointer) throws(HostError) -> Subject {
        let pipe = Pipe(graph.host)
        let document = try pipe.document(request)
        guard document.entries != nil else { throw HostError(.badField, "the body must be an object") }
        let sources = graph.host.definitions.catalogue.clientSources
        let words = (["node"] + sources).filter { document[$0] != nil }
        guard words.count == 1, let argument = document[words[0]] else {
            throw HostError(.badField, "one of node, \(sources.joined(separator: ", ")) is needed")
        }
        var beside: [String: Document] = [:]
        for key in Source.clientKeys { beside[key] = document[key] }
        let origin: Subject.Origin
        if words[0] == "node" {
            try pipe.requireBelonging(beside, to: "node")
            let text = argument.scalar?.text
            origin = .node(try node(text.flatMap { graph.node($0) }, named: text, to: .read))
        } else {
            origin = .source(try pipe.source(words[0], argument, beside: beside, in: self))
        }
        let stages =
            try document["pipe"].map { stages throws(HostError) in try pipe.stages(stages) } ?? []
        let subject = Subject(origin: origin, pipe: stages)
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
