internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// Requests for past states of graphs: `?at=rev`, with `epoch` for the epoch of the rev, or
/// `?at=@TIME`.
enum PastQuery {
    /// Answers a connection's current request with the result.
    typealias Respond = (HTTPConnection, PastAnswer) throws(HostError) -> Void

    /// Answers the request from the past if its query asks for that, now or later.
    ///
    /// - Returns: whether the request is being answered; with `needsLog` also if it asks for the
    ///   present state.
    /// - Throws: `bad_field`, `gone`, `busy`, and what the question itself may fail with.
    static func answers(
        _ request: Request,
        _ view: GraphView,
        _ subject: @autoclosure () -> PastQuestion.Subject,
        needsLog: Bool = false,
        _ respond: @escaping Respond = send(on:_:)
    ) throws(HostError) -> Bool {
        guard !request.head.query.isEmpty, let moment = try moment(in: request.query) else { return false }
        let epoch = request.query.string("epoch")
        let question = try PastQuestion(subject(), at: moment, of: epoch, in: view)
        if question.isPresent, !needsLog || !request.service.looks.hasLog { return false }
        try answer(question, by: request.service.looks, on: request.connection, respond)
        return true
    }

    /// What `at` says; nil if it is absent.
    private static func moment(in query: Query) throws(HostError) -> PastQuestion.Moment? {
        guard query.raw("at") != nil else { return nil }
        let text = query.string("at") ?? ""
        if text.first == "@", let time = Request.milliseconds(String(text.dropFirst())) { return .time(time) }
        if let rev = query.integer("at"), rev >= 0 { return .rev(UInt64(rev)) }
        var error = HostError(.badField, "at: a rev, or @ and a time, is needed")
        error.hint = "a time is milliseconds since 1970, or for instance @2026-01-31T12:00:00Z"
        throw error
    }

    /// Answers the current request once the past has been read.
    static func answer(
        _ question: PastQuestion,
        by looks: PastLooks,
        on connection: HTTPConnection,
        _ respond: @escaping Respond = send(on:_:)
    ) throws(HostError) {
        guard let work = looks.work(for: question) else {
            throw HostError(
                .gone,
                "this server keeps no past; with 'dataDir' in its configuration it does"
            )
        }
        try answer(work, by: looks, on: connection, respond)
    }

    /// Answers the current request when another thread has done the work.
    static func answer(
        _ work: @escaping PastLooks.Work,
        by looks: PastLooks,
        on connection: HTTPConnection,
        _ respond: @escaping Respond = send(on:_:)
    ) throws(HostError) {
        let look = try looks.begin(for: connection.access.name, work) { [weak connection] answer in
            guard let connection else { return }
            connection.held = nil
            connection.answerLater(connection.waitingFor) { connection throws(HostError) in
                try respond(connection, answer)
            }
        }
        connection.held = .past(look)
        _ = connection.wait()
    }

    static func send(on connection: HTTPConnection, _ past: PastAnswer) throws(HostError) {
        switch past {
        case .body(let body): connection.answerJSON(body)
        case .node(let reading): NodeAnswer.send(reading, on: connection)
        case .refused(let error): throw error
        case .failed(let error): throw connection.hub.host.fault("the past: \(error)")
        case .stopped: throw HostError(.busy, "the past could not be read")
        }
    }
}
