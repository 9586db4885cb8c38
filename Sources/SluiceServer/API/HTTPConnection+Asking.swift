internal import GraphHost
internal import HTTP

// Questions that are answered once and keep nothing alive.
extension HTTPConnection {
    /// `POST …/eval`: a pipeline's present result.
    func evaluate(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        guard MediaType.carriesJSON(head) else { return refuseType("application/json") }
        let (graph, question) = (view.graph.name, Array(parser.body))
        whenThereIsRoom { $0.evaluate(question, in: graph) }
    }

    private func evaluate(_ question: [UInt8], in name: String) {
        do throws(HostError) {
            guard let graph = server.host[name] else { throw server.host.noGraph }
            let view = try GraphView(graph, for: access)
            var isAnswered = false
            var number: UInt64?
            try question.withUnsafeBytes { question in
                Result { () throws(HostError) in
                    try view.evaluate(question) { [weak self] result in
                        isAnswered = true
                        guard let self else { return }
                        guard let number else { return show(result) }
                        answerLater(number) { $0.show(result) }
                    }
                }
            }.get()
            if !isAnswered { number = wait() }
        } catch {
            refuse(error) { $0.evaluate(question, in: name) }
        }
    }

    private func show(_ result: Result<[UInt8], HostError>) {
        switch result {
        case .success(let value): value.withUnsafeBytes { answer(.ok, "application/json", $0) }
        case .failure(let error): refuse(error)
        }
    }

    /// `GET …/nodes/{n}/explain`: what made the present value.
    func explainNode(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let name = String(decoding: captures[1], as: UTF8.self)
        if looksBack(head, view, at: .explanation(of: name), needsLog: true) { return }
        guard let node = findNode(captures, to: .read) else { return }
        GraphView.explain(node, to: access).withUnsafeBytes { answer(.ok, "application/json", $0) }
    }
}
