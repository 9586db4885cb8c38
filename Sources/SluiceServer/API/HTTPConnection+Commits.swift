internal import GraphHost
internal import HTTP
internal import Support

/// The form of the answer to an applied commit.
enum CommitAnswer {
    /// `{"epoch","rev"}`, with an entity tag if `isTagged`; only the tag if `isMinimal`.
    case set(isTagged: Bool, isMinimal: Bool)
    /// 204.
    case cleared
    /// `{"epoch","rev","changed"}`.
    case batch
}

// Requests that change a graph, one commit each.
extension HTTPConnection {
    /// The graph of the first capture; nil if there is none for this caller, which has been
    /// answered then.
    func findGraph(_ captures: Captures) -> GraphView? {
        do throws(HostError) {
            let graph = hub._withUnsafeGuaranteedRef { $0.host.graph(named: captures[0]) }
            guard let graph else { throw server.host.noGraph }
            return try GraphView(graph, for: access)
        } catch {
            refuse(error)
            return nil
        }
    }

    /// The node of the captures, if the caller has the right; otherwise nil, and the error has been
    /// answered.
    func findNode(_ captures: Captures, to right: Rights) -> NamedNode? {
        guard let view = findGraph(captures) else { return nil }
        do throws(HostError) {
            let name = captures[1]
            return try view.node(
                view.graph.node(named: name),
                named: String(decoding: name, as: UTF8.self),
                to: right
            )
        } catch {
            refuse(error)
            return nil
        }
    }

    /// `POST` and `PUT …/nodes/{n}`: the body is the value.
    func setNode(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .set) else { return }
        if head.method == .post { door.addresses.keep(node, at: head.path, in: server.host) }
        set(node, head)
    }

    /// The same, at an address that is known.
    func setNode(_ node: NamedNode, _ head: RequestHead) {
        do throws(HostError) {
            try GraphView(node.graph, for: access).require(.set, on: node)
        } catch {
            return refuse(error)
        }
        set(node, head)
    }

    private func set(_ node: NamedNode, _ head: RequestHead) {
        guard MediaType.carriesJSON(head) else { return refuseType("application/json") }
        let body = parser.body
        let value: Datum
        do throws(JSONError) {
            value = try Datum.parse(body)
        } catch {
            return refuse(HostError(error, node: node.name), hint: Self.hint(error))
        }
        // The answer to a PUT may only have a tag if exactly the body was stored (RFC 9110 §9.3.4).
        let isTagged = head.method != .put || value.byteCount == body.count
        let isMinimal = head.has(.prefer) && Preferences(head).returnsMinimal
        let form = CommitAnswer.set(isTagged: isTagged, isMinimal: isMinimal)
        guard access.name != nil || Self.remarks.contains(where: head.has) else {
            return submit(form) { $0.set(node, to: value) }
        }
        var commit = Commit(graph: node.graph)
        commit.set.append(Assignment(node, value))
        guard prepare(&commit, node, head) else { return }
        submit(commit, form)
    }

    /// What makes more of a change than a node and its value.
    private static let remarks: [HeaderName] = [.ifMatch, .ifNoneMatch, .sluiceContext, .idempotencyKey]

    /// `DELETE …/nodes/{n}/value`: the node becomes empty.
    func clearNode(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .set) else { return }
        var commit = Commit(graph: node.graph)
        commit.clear.append(node)
        guard prepare(&commit, node, head) else { return }
        submit(commit, .cleared)
    }

    /// `DELETE …/nodes/{n}`: drops the family member.
    func dropNode(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .set) else { return }
        if let refusal = node.dropRefusal {
            return refuse(refusal, allow: node.isMutable ? "GET, HEAD, POST, PUT, PATCH, OPTIONS" : nil)
        }
        var commit = Commit(dropping: node)
        guard prepare(&commit, node, head) else { return }
        submit(commit, .cleared)
    }

    /// `POST …/nodes/{n}/load`: a producer's report on the node besides its value.
    func loadNode(_ captures: Captures, _ head: RequestHead) {
        guard let node = findNode(captures, to: .set) else { return }
        guard MediaType.carriesJSON(head) else { return refuseType("application/json") }
        var commit = Commit(graph: node.graph)
        do throws(HostError) {
            commit.report(try FacetChange(body: parser.body), of: node)
        } catch {
            return refuse(error)
        }
        guard prepare(&commit, node, head) else { return }
        let isMinimal = head.has(.prefer) && Preferences(head).returnsMinimal
        // The entity tag belongs to the value, which has not changed.
        submit(commit, .set(isTagged: false, isMinimal: isMinimal))
    }

    /// `POST …/batch`: several nodes at once, all or nothing.
    func applyBatch(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        guard MediaType.carriesJSON(head) else { return refuseType("application/json") }
        do throws(HostError) {
            var commit = try CommitReader.read(batch: parser.body, for: view)
            guard prepare(&commit, nil, head) else { return }
            submit(commit, .batch)
        } catch {
            refuse(error)
        }
    }

    // MARK: - Conditions

    /// Takes the commit's conditions, context and key from the head.
    ///
    /// - Returns: false if something is invalid, which has been answered then.
    func prepare(_ commit: inout Commit, _ node: NamedNode?, _ head: RequestHead) -> Bool {
        if let name = access.name { commit.by = name }
        if let node, head.has(.ifMatch) || head.has(.ifNoneMatch) {
            do throws(HostError) {
                // The result of a condition reveals something about the value.
                try GraphView(node.graph, for: access).require(.read, on: node)
                try Preconditions.read(head, for: node, into: &commit)
            } catch {
                refuse(error)
                return false
            }
        }
        if let text = head.value(.sluiceContext) {
            do throws(JSONError) {
                commit.context = try Datum.parse(text)
            } catch {
                refuse(HostError(.badJSON, "Sluice-Context: \(error.message)"))
                return false
            }
        }
        if let key = head.value(.idempotencyKey) {
            guard (1...128).contains(key.count), let text = String(validating: key, as: UTF8.self) else {
                refuse(Refusal("bad_field", "Idempotency-Key: 1 to 128 bytes are allowed"))
                return false
            }
            commit.key = text
        }
        return true
    }

    func refuseType(_ wanted: String) {
        refuse(Refusal(.unsupportedType, "the body must be \(wanted), in UTF-8"))
    }

    /// A hint for typical mistakes in values that people write by hand.
    static func hint(_ error: JSONError) -> String? {
        guard error.code == .badJSON else { return nil }
        return "the body is the value itself, as JSON: 21.5, true, or \"text\" with its double quotes; "
            + "in a shell: curl -d '\"text\"' URL"
    }

    // MARK: - Submitting

    /// Answers once the log has answered.
    func answer(_ pending: PendingCommit, _ respond: @escaping (HTTPConnection, Applied) -> Void) {
        let number = wait()
        pending.onAnswer { [weak self] result in
            self?.answerLater(number) { connection in
                switch result {
                case .success(let applied): respond(connection, applied)
                case .failure(let error): connection.refuse(error)
                }
            }
        }
    }

    /// Submits a commit to the host; it is answered when it is applied, now or in a later turn.
    func submit(_ commit: Commit, _ form: CommitAnswer) {
        submit(form) { $0.submit(commit) }
    }

    @inline(__always)
    private func submit(_ form: CommitAnswer, _ change: (Host) -> Submission) {
        do throws(HostError) {
            try rate.set(server.host)
        } catch {
            return refuse(error)
        }
        let submission = hub._withUnsafeGuaranteedRef { change($0.host) }
        switch submission {
        case .applied(let applied): answer(applied, form)
        case .refused(let error): refuse(error)
        case .pending(let pending): answer(pending) { $0.answer($1, form) }
        }
    }

    private func answer(_ applied: Applied, _ form: CommitAnswer) {
        switch form {
        case .set(let isTagged, let isMinimal): answerSet(applied, isTagged: isTagged, isMinimal: isMinimal)
        case .cleared:
            answerEmpty(.noContent) { out in
                out.append(tagField: applied.epoch, applied.rev)
                if applied.isReplay { out.append("Idempotent-Replayed: true\r\n") }
            }
        case .batch: answerBatch(applied)
        }
    }

    @inline(__always)
    private func answerSet(_ applied: Applied, isTagged: Bool, isMinimal: Bool) {
        let isUsual = isTagged && !isMinimal && !applied.isReplay && framing.keepsAlive && !framing.isHTTP10
        let isAnswered = hub._withUnsafeGuaranteedRef { server in
            guard isUsual, !server.cors.isOn else { return false }
            server.count(.ok)
            write { server.setAnswer.append(applied, server.encoder, to: &$0) }
            return true
        }
        if !isAnswered { compose(applied, isTagged: isTagged, isMinimal: isMinimal) }
    }

    /// The same answer for unusual cases.
    private func compose(_ applied: Applied, isTagged: Bool, isMinimal: Bool) {
        write { out in
            begin(isMinimal ? .noContent : .ok, in: &out)
            if isTagged { out.append(tagField: applied.epoch, applied.rev) }
            if applied.isReplay { out.append("Idempotent-Replayed: true\r\n") }
            if isMinimal {
                out.append("Preference-Applied: return=minimal\r\n\r\n")
                return
            }
            out.append("Content-Type: application/json\r\nContent-Length: ")
            out.append(decimal: 20 + applied.epoch.utf8.count + applied.rev.digits)
            out.append("\r\n\r\n{\"epoch\":\"")
            out.append(utf8: applied.epoch)
            out.append("\",\"rev\":")
            out.append(decimal: applied.rev)
            out.append("}\n")
        }
    }

    private func answerBatch(_ applied: Applied) {
        var body = ByteBuffer()
        body.append("{\"epoch\":")
        body.append(json: applied.epoch)
        body.append(",\"rev\":")
        body.append(decimal: applied.rev)
        body.append(",\"changed\":")
        body.append(decimal: applied.changed)
        body.append("}\n")
        write { out in
            begin(.ok, in: &out)
            out.append("Content-Type: application/json\r\n")
            if applied.isReplay { out.append("Idempotent-Replayed: true\r\n") }
            server.encoder.finish(body.bytes, framing, in: &out)
        }
    }
}

extension ByteBuffer {
    /// Appends the header line `ETag: "epoch:rev"`.
    mutating func append(tagField epoch: String, _ rev: UInt64) {
        append("ETag: \"")
        append(utf8: epoch)
        append(UInt8(ascii: ":"))
        append(decimal: rev)
        append("\"\r\n")
    }
}

extension UInt64 {
    /// The number of decimal digits.
    fileprivate var digits: Int {
        var count = 1
        var rest = self
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        return count
    }
}
