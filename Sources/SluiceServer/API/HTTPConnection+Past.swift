internal import GraphHost
internal import HTTP
internal import Support

// Past states of graphs: `?at=rev`, with `epoch` for the epoch of the rev.
extension HTTPConnection {
    /// Answers the request from the past if its query asks for that, now or later.
    ///
    /// - Parameters:
    ///   - head: the head of the request.
    ///   - view: the graph as the caller sees it.
    ///   - subject: what the caller wants to know.
    ///   - needsLog: whether the log is needed for the present rev as well.
    ///   - respond: answers with the result.
    /// - Returns: whether the request is being answered.
    func looksBack(
        _ head: RequestHead,
        _ view: GraphView,
        at subject: @autoclosure () -> PastQuestion.Subject,
        needsLog: Bool = false,
        _ respond: @escaping (HTTPConnection, PastAnswer) -> Void = { $0.answer($1) }
    ) -> Bool {
        guard !head.query.isEmpty else { return false }
        let query = Query(head.query)
        guard query.raw("at") != nil else { return false }
        guard let number = number("at", 0...Int.max, query), let rev = number.map(UInt64.init) else {
            return true
        }
        do throws(HostError) {
            let question = try PastQuestion(subject(), at: rev, of: query.string("epoch"), in: view)
            if rev == view.graph.rev, !needsLog || !server.looks.hasLog { return false }
            try ask(question, respond)
        } catch {
            refuse(error)
        }
        return true
    }

    /// Answers the current request once the past has been read.
    func ask(
        _ question: PastQuestion,
        _ respond: @escaping (HTTPConnection, PastAnswer) -> Void = { $0.answer($1) }
    ) throws(HostError) {
        guard let work = server.looks.work(for: question) else {
            throw HostError(
                .gone,
                "this server keeps no past; with 'dataDir' in its configuration it does"
            )
        }
        try ask(work, respond)
    }

    /// Answers the request at hand when another thread has done the work.
    func ask(
        _ work: @escaping PastLooks.Work,
        _ respond: @escaping (HTTPConnection, PastAnswer) -> Void = { $0.answer($1) }
    ) throws(HostError) {
        look = try server.looks.begin(for: access.name, work) { [weak self] answer in
            guard let self else { return }
            server.beginTurn()
            look = nil
            answerLater(waitingFor) { respond($0, answer) }
        }
        _ = wait()
    }

    /// Answers with the result.
    func answer(_ past: PastAnswer) {
        switch past {
        case .body(let body): body.withUnsafeBytes { answer(.ok, "application/json", $0) }
        case .node(let reading): answer(reading)
        case .refused(let error): refuse(error)
        case .failed(let error): refuse(server.host.fault("the past: \(error)"))
        case .stopped: refuse(Refusal("busy", "the past could not be read"))
        }
    }

    /// Answers with a node's past state, unless the client has it already.
    func answer(_ past: PastAnswer, unlessKnown known: [UInt8]) {
        guard case .node(let reading) = past else { return answer(past) }
        let isKnown = known.withUnsafeBytes { known in
            Result { () throws(HostError) in try Preconditions.isKnown(known, reading) }
        }
        switch isKnown {
        case .success(true): answerEmpty(.notModified) { $0.append(validators: reading) }
        case .success(false): answer(reading)
        case .failure(let error): refuse(error)
        }
    }

    /// Answers with a node's past state.
    private func answer(_ reading: PastReading) {
        if let state = reading.state {
            return answerObject(reading.held.member, state) { $0.append(validators: reading) }
        }
        switch reading.held {
        case .empty: answerEmpty(.noContent) { $0.append(validators: reading) }
        case .fail(let fail): fail.withUnsafeBytes { refuseFailed($0) { $0.append(validators: reading) } }
        case .value(let text):
            text.withUnsafeBytes { answer(.ok, "application/json", $0) { $0.append(validators: reading) } }
        }
    }
}

extension ByteBuffer {
    /// Appends the validators of a past state.
    fileprivate mutating func append(validators reading: PastReading) {
        append(validators: reading.epoch, reading.changed, at: reading.changedAt)
    }
}
