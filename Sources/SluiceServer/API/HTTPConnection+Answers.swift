internal import GraphHost
internal import HTTP
internal import Support

// The forms of answers.
extension HTTPConnection {
    /// Answers with a JSON body that must not be cached.
    func answerJSON(
        _ fields: (inout ByteBuffer) -> Void = { _ in },
        _ build: (inout ByteBuffer) -> Void
    ) {
        var body = ByteBuffer()
        build(&body)
        answer(.ok, "application/json", body.bytes, fields: fields)
    }

    /// Answers with a body.
    func answer(
        _ status: Status,
        _ type: StaticString,
        _ body: UnsafeRawBufferPointer,
        fields: (inout ByteBuffer) -> Void = { _ in }
    ) {
        write { out in
            begin(status, in: &out)
            out.field("Content-Type", type)
            out.append("Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n")
            fields(&out)
            server.encoder.finish(body, framing, in: &out)
        }
    }

    /// Answers with plain text.
    func answerText(_ text: StaticString) {
        answer(
            .ok,
            "text/plain; charset=utf-8",
            UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
        )
    }

    /// Answers without a body.
    func answerEmpty(_ status: Status, fields: (inout ByteBuffer) -> Void = { _ in }) {
        write { out in
            begin(status, in: &out)
            fields(&out)
            server.encoder.finishEmpty(status, in: &out)
        }
    }

    /// Sends an error answer for a refusal of the host.
    ///
    /// - Parameters:
    ///   - error: the refusal.
    ///   - hint: what the client can do about it.
    ///   - allow: the methods of a 405; nil: those of a node that cannot be set.
    func refuse(_ error: HostError, hint: String? = nil, allow: String? = nil) {
        if rate.note(error, of: server.host) { framing.keepsAlive = false }
        var members = ByteBuffer()
        if let node = error.node {
            members.append(",\"node\":")
            members.append(json: node)
        }
        if let rev = error.rev {
            members.append(",\"rev\":")
            members.append(decimal: rev)
        }
        if error.code == .gone { members.append(kept: error.kept) }
        if error.code == .conflict, let node = error.node {
            members.append(",\"failed\":")
            let one = error.rev.map { HostError.Failed(node: node, rev: $0) }
            members.append(list: error.failed.isEmpty ? one.map { [$0] } ?? [] : error.failed) {
                failed,
                members in
                members.append("{\"node\":")
                members.append(json: failed.node)
                members.append(",\"rev\":")
                members.append(decimal: failed.rev)
                members.append("}")
            }
        }
        if let problems = error.problemsJSON {
            members.append(",\"problems\":")
            members.append(problems)
        }
        if let hint = hint ?? error.hint {
            members.append(",\"hint\":")
            members.append(json: hint)
        }
        refuse(
            Refusal(
                ErrorCode(rawValue: error.code.rawValue),
                error.message,
                retry: error.retry,
                retryAfterSeconds: error.after.map { ($0 + 999) / 1000 },
                allow: error.code == .notMutable ? allow ?? "GET, HEAD, OPTIONS" : nil,
                members: Array(members.bytes)
            )
        )
    }
}
