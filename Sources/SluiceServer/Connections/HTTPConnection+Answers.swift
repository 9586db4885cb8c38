internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

// The forms of answers to the current request.
extension HTTPConnection {
    /// Counts an answer of the current request, and writes its line of the audit.
    @inline(__always)
    func answered(_ status: Status, _ code: ErrorCode? = nil) {
        hub.traffic.count(status)
        record.take()?.end(status, code, by: access.name, at: address)
    }

    /// Begins an answer with the fields of CORS.
    @inline(__always)
    func begin(_ status: Status, in out: inout ByteBuffer) {
        answered(status)
        hub.codec.encoder.begin(status, framing, in: &out)
        if hub.codec.cors.isOn { hub.codec.cors.append(sharedWith: sharedWith, to: &out) }
    }

    func answer(
        _ status: Status,
        _ type: StaticString,
        _ body: BorrowedBytes,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        write { out in
            begin(status, in: &out)
            out.field("Content-Type", type)
            out.append("Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n")
            fields(&out)
            hub.codec.encoder.finish(body, framing, in: &out)
        }
    }

    func answerJSON(_ body: [UInt8], fields: (inout ByteBuffer) -> Void = { _ in }) {
        body.withBorrowedBytes { answer(.ok, "application/json", $0, fields: fields) }
    }

    func answerJSON(
        _ status: Status = .ok,
        fields: (inout ByteBuffer) -> Void = { _ in },
        _ build: (inout ByteBuffer) -> Void
    ) {
        var body = ByteBuffer()
        build(&body)
        answer(status, "application/json", body.bytes, fields: fields)
    }

    func answerText(_ text: StaticString) {
        answer(
            .ok,
            "text/plain; charset=utf-8",
            BorrowedBytes(text)
        )
    }

    func answerEmpty(_ status: Status, fields: (inout ByteBuffer) -> Void = { _ in }) {
        write { out in
            begin(status, in: &out)
            fields(&out)
            hub.codec.encoder.finishEmpty(status, in: &out)
        }
    }

    /// Answers with an error of the host, and closes the connection of a client that was refused
    /// too often.
    ///
    /// `allow` has the methods of a 405; nil: those of a node that cannot be set.
    func refuse(_ error: HostError, allow: String? = nil) {
        if refusals.note(error, of: hub.host) { framing.keepsAlive = false }
        refuse(Refusal(error, allow: allow))
    }

    /// Answers once the log has answered.
    private func answer(_ pending: PendingCommit, _ respond: @escaping (HTTPConnection, Applied) -> Void) {
        let number = wait()
        pending.onAnswer { [weak self, record] result in
            if case .success(let applied) = result { record?.note(applied) }
            self?.answerLater(number) { connection throws(HostError) in
                respond(connection, try result.get())
            }
        }
    }

    /// Answers when a change of a graph is applied, now or in a later turn.
    ///
    /// Inlined, so that answering now allocates no closure.
    @inline(__always)
    func answer(
        _ submission: Submission,
        _ respond: @escaping (HTTPConnection, Applied) -> Void
    ) throws(HostError) {
        switch submission {
        case .applied(let applied):
            record?.note(applied)
            respond(self, applied)
        case .refused(let error): throw error
        case .pending(let pending): answer(pending, respond)
        }
    }
}
