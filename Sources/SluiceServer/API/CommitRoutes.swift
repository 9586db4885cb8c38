internal import Commits
internal import Definitions
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// Requests that change values, one commit each.
enum CommitRoutes {
    /// `POST` and `PUT …/nodes/{n}`: the body is the value.
    static func setNode(_ request: Request) throws(HostError) {
        let node = try request.node()
        let (connection, head) = (request.connection, request.head)
        guard MediaType.carriesJSON(head.value(.contentType)) else {
            throw .unsupportedType("application/json")
        }
        let body = connection.parser.body
        let value: Datum
        do throws(JSONError) {
            value = try Datum.parse(body)
        } catch {
            var refusal = HostError(error, node: node.name)
            refusal.hint = hint(error)
            throw refusal
        }
        // The answer to a PUT may only have a tag if exactly the body was stored (RFC 9110 §9.3.4).
        let isTagged = if head.method == .put { value.byteCount == body.count } else { true }
        var commit = Commit(graph: node.graph)
        commit.set.append(Assignment(node, value))
        try prepare(&commit, node, request)
        try submit(commit, .set(isTagged: isTagged, isMinimal: request.returnsMinimal), connection)
    }

    /// A hint for typical mistakes in values that people write by hand.
    private static func hint(_ error: JSONError) -> String? {
        guard error.code == .badJSON else { return nil }
        return "the body is the value itself, as JSON: 21.5, true, or \"text\" with its double quotes; "
            + "in a shell: curl -d '\"text\"' URL"
    }

    /// `PATCH …/nodes/{n}`: changes members of an object.
    ///
    /// The patch is computed from the present value and set only if it
    /// has not changed meanwhile.
    static func patchNode(_ request: Request) throws(HostError) {
        let node = try request.node()
        guard MediaType.isMergePatch(request.head.value(.contentType)) else {
            throw .unsupportedType("application/merge-patch+json")
        }
        let reading = node.graph.read(node)
        let value: Datum
        do throws(JSONError) {
            let bytes = try MergePatch.apply(JSONReader(checking: request.body), to: reading.held.value)
            // What could not be set at once cannot be put together by patches either.
            let limit = request.connection.hub.codec.limits.bodyBytes
            guard bytes.count <= limit else {
                let message =
                    "the patched value would have \(bytes.count) bytes; "
                    + "at most \(limit) are allowed (limits.body)"
                return request.connection.refuse(Refusal(.tooLarge, message))
            }
            value = try Datum.parse(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw HostError(error, node: node.name)
        }
        var commit = Commit(graph: node.graph)
        commit.set.append(Assignment(node, value))
        try prepare(&commit, node, request)
        if node.isMutable, commit.conditions.isEmpty {
            commit.epoch = node.graph.epoch
            commit.conditions.append(Condition(node, .changedAt(reading.changed)))
        }
        try submit(commit, .set(isTagged: true, isMinimal: request.returnsMinimal), request.connection)
    }

    /// `DELETE …/nodes/{n}/value`: the node becomes empty.
    static func clearNode(_ request: Request) throws(HostError) {
        let node = try request.node()
        var commit = Commit(graph: node.graph)
        commit.clear.append(node)
        try prepare(&commit, node, request)
        try submit(commit, .cleared, request.connection)
    }

    /// `DELETE …/nodes/{n}`: drops the family member.
    static func dropNode(_ request: Request) throws(HostError) {
        let node = try request.node()
        if let refusal = node.dropRefusal {
            let allow = node.isMutable ? "GET, HEAD, POST, PUT, PATCH, OPTIONS" : nil
            return request.connection.refuse(refusal, allow: allow)
        }
        var commit = Commit(dropping: node)
        try prepare(&commit, node, request)
        try submit(commit, .cleared, request.connection)
    }

    /// `POST …/nodes/{n}/load`: a producer's report on the node besides its value.
    static func loadNode(_ request: Request) throws(HostError) {
        let node = try request.node()
        try request.requireJSON()
        var commit = Commit(graph: node.graph)
        commit.report(try FacetChange(body: request.body), of: node)
        try prepare(&commit, node, request)
        // The entity tag belongs to the value, which has not changed.
        try submit(commit, .set(isTagged: false, isMinimal: request.returnsMinimal), request.connection)
    }

    /// `POST …/batch`: several nodes at once, all or nothing.
    static func applyBatch(_ request: Request) throws(HostError) {
        let view = try request.graph()
        try request.requireJSON()
        var commit = Commit(graph: view.graph)
        try prepare(&commit, nil, request)
        let connection = request.connection
        switch try CommitReader.read(batch: request.body, for: view, into: commit) {
        case .commit(let commit):
            guard commit.transaction != nil else { return try submit(commit, .batch, connection) }
            connection.whenThereIsRoom { connection in
                do throws(HostError) { try submit(commit, .batch, connection) } catch {
                    connection.refuse(error)
                }
            }
        case .unread(let text):
            let body = Array(request.body)
            connection.whenParsed(text) { applyBatch(body, $1, into: commit, on: $0) }
        }
    }

    /// Goes on when another thread has parsed the expressions of a batch.
    private static func applyBatch(
        _ body: [UInt8],
        _ parsed: ParsedPipeline?,
        into commit: Commit,
        on connection: HTTPConnection
    ) {
        do throws(HostError) {
            let view = try GraphView(connection.hub.host[commit.graph.name], for: connection.access)
            let batch = try body.withBorrowedBytes { body in
                Result { () throws(HostError) in
                    try CommitReader.read(batch: body, for: view, parsed, into: commit)
                }
            }.get()
            if case .commit(let commit) = batch { try submit(commit, .batch, connection) }
        } catch {
            connection.refuse(error)
        }
    }

    /// `POST …/wipe?match=glob`: clears the nodes that match and that the caller may read and set.
    static func wipeGraph(_ request: Request) throws(HostError) {
        let view = try request.graph()
        var commit = Commit(graph: view.graph)
        let glob = try request.pattern("match")
        commit.transaction = try Transaction(of: commit, with: [], [], nil, globs: [glob], for: view)
        try prepare(&commit, nil, request)
        try submit(commit, .batch, request.connection)
    }

    // MARK: - Conditions

    /// Takes the commit's conditions, context, path and key from the head.
    private static func prepare(
        _ commit: inout Commit,
        _ node: NamedNode?,
        _ request: Request
    ) throws(HostError) {
        let (connection, head) = (request.connection, request.head)
        if let name = connection.access.name { commit.by = name }
        if let node, head.has(.ifMatch) || head.has(.ifNoneMatch) {
            // The result of a condition reveals something about the value.
            try connection.access.require(.read, on: node)
            try Preconditions.read(head, for: node, into: &commit)
        }
        if let text = head.value(.sluiceContext) {
            do throws(JSONError) {
                commit.context = try Datum.parse(text)
            } catch {
                throw HostError(.badJSON, "Sluice-Context: \(error.message)")
            }
        }
        if let text = head.value(.sluicePath) {
            commit.path = try ValuePath(try list(text, in: "Sluice-Path"))
            commit.skipPassed()
        }
        if let key = head.value(.idempotencyKey) {
            guard (1...128).contains(key.count), let text = String(validating: key, as: UTF8.self) else {
                throw HostError(.badField, "Idempotency-Key: 1 to 128 bytes are allowed")
            }
            commit.key = text
        }
    }

    private static func list(_ text: BorrowedBytes, in name: StaticString) throws(HostError) -> JSONReader {
        do throws(JSONError) {
            return try JSONReader(checking: text)
        } catch {
            throw HostError(.badJSON, "\(name): \(error.message)")
        }
    }

    // MARK: - Submitting

    /// Submits a commit to the host; it is answered when it is applied, now or in a later turn.
    private static func submit(
        _ commit: Commit,
        _ form: CommitAnswer,
        _ connection: HTTPConnection
    ) throws(HostError) {
        let rates = connection.hub.clients.rates
        try rates.countSet(of: Requester(connection.access.name, at: connection.networkPlace))
        try connection.answer(connection.hub.host.submit(commit)) { form.send($1, on: $0) }
    }
}
