internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// Questions that are answered once and keep nothing alive.
enum EvaluationRoutes {
    /// `POST …/eval`: a pipeline's present result.
    static func evaluate(_ request: Request) throws(HostError) {
        let graph = try request.graph().graph.name
        try request.requireJSON()
        let question = Array(request.body)
        request.connection.whenThereIsRoom { read(question, in: graph, on: $0) }
    }

    /// Reads the pipeline first, which may take long.
    private static func read(_ question: [UInt8], in name: String, on connection: HTTPConnection) {
        do throws(HostError) {
            let view = try view(of: name, on: connection)
            let text = try view.text(ofEvaluation: question)
            connection.whenParsed(text) { evaluate(question, $1, in: name, on: $0) }
        } catch {
            connection.refuse(error)
        }
    }

    private static func view(of name: String, on connection: HTTPConnection) throws(HostError) -> GraphView {
        let host = connection.hub.host
        guard let graph = host[name] else { throw host.noGraph }
        return try GraphView(graph, for: connection.access)
    }

    private static func evaluate(
        _ question: [UInt8],
        _ pipeline: ParsedPipeline?,
        in name: String,
        on connection: HTTPConnection
    ) {
        do throws(HostError) {
            let view = try view(of: name, on: connection)
            var isAnswered = false
            var number: UInt64?
            try question.withBorrowedBytes { question in
                Result { () throws(HostError) in
                    try view.evaluate(question, pipeline) { [weak connection] result in
                        isAnswered = true
                        guard let connection else { return }
                        guard let number else { return send(result, on: connection) }
                        connection.answerLater(number) { send(result, on: $0) }
                    }
                }
            }.get()
            if !isAnswered { number = connection.wait() }
        } catch {
            connection.refuse(error)
        }
    }

    private static func send(_ result: Result<[UInt8], HostError>, on connection: HTTPConnection) {
        switch result {
        case .success(let value): connection.answerJSON(value)
        case .failure(let error): connection.refuse(error)
        }
    }

    /// `GET …/nodes/{n}/explain`: what made the present value.
    static func explainNode(_ request: Request) throws(HostError) {
        let view = try request.graph()
        let subject = PastQuestion.Subject.explanation(of: request.nodeName)
        if try PastQuery.answers(request, view, subject, needsLog: true) { return }
        let node = try request.node()
        request.connection.answerJSON(GraphView.explain(node, to: request.access))
    }
}
