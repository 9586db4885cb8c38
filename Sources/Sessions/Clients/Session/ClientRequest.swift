internal import Graphs
internal import CEL
internal import Definitions
internal import Support
internal import Values

/// One request of a client while it is performed: an object with an `op`.
///
/// It reads the fields, does what the client wants, and answers through the session, which keeps
/// the order of answers. Each operation is a method.
struct ClientRequest {
    let session: Session
    let host: Host
    let fields: Fields
    let id: UInt64?
    /// The size of its text.
    let bytes: Int
    /// What another thread has read of its pipeline or its expressions, if they are long.
    let pipeline: ParsedPipeline?
    /// What was found of its token, if that was checked elsewhere.
    let token: Result<Access?, HostError>?

    /// Performs it.
    ///
    /// - Throws: the error to answer with.
    func perform() throws(HostError) {
        let operation = fields.operation
        guard session.access != nil || operation == .hello || operation == .auth else {
            throw HostError(.unauthenticated, "send hello with a token first")
        }
        if let id, operation != .unsub, session.isTaken(id) {
            throw HostError(.idInUse, "id \(id) is in use")
        }
        switch operation {
        case .hello: try hello()
        case .sub: try subscribe(as: neededID())
        case .link: try link(as: neededID())
        case .sync: try sync(as: neededID())
        case .unsub: try unsubscribe(neededID())
        case .release: try release(neededID())
        case .observe: try observe(as: neededID())
        case .demand: try demand(as: neededID())
        case .mod: try modify(neededID())
        case .set: try set()
        case .drop: try drop()
        case .load: try load()
        case .get: try get(neededID())
        case .list: try list(neededID())
        case .auth: try authenticate()
        case .ping: answer { Answer.ok(id: id, to: &$0) }
        case .unknown: throw unknownOperation
        }
    }

    /// The commit that a read must include (`after`); nil: any state will do.
    func commitBefore() throws(HostError) -> CommitStamp? {
        guard fields.operation == .get || fields.operation == .sub, let field = fields[.after] else {
            return nil
        }
        guard let stamp = CommitStamp(field) else {
            throw HostError(.badField, "after: the epoch and the rev of an answer are needed")
        }
        return stamp
    }

    /// The texts that are parsed before it is performed; nil: there are none, or they are invalid.
    var text: PipelineText? {
        switch fields.operation {
        case .sub, .link: PipelineText(fields, among: host.definitions.catalogue.subscribable)
        case .set, .drop, .load: (try? FormulaText.all(in: fields)).flatMap { PipelineText($0) }
        default: nil
        }
    }

    /// What only HTTP has, by the word that a client may take for an `op`.
    private static let overHTTP = [
        "eval": "POST /v1/graphs/{g}/eval", "explain": "GET /v1/graphs/{g}/nodes/{n}/explain",
        "why": "GET /v1/graphs/{g}/nodes/{n}/why", "history": "GET /v1/graphs/{g}/nodes/{n}/history",
    ]

    private var unknownOperation: HostError {
        guard let word = fields[.op]?.string?.prefix(64) else {
            return HostError(.badOp, "op: a word is needed")
        }
        var error = HostError(.badOp, "unknown op '\(word)'")
        error.hint =
            Self.overHTTP[String(word)].map { "this is available over HTTP: \($0)" }
            ?? Spelling.hint(for: String(word), among: Fields.Operation.names)
        return error
    }

    private func neededID() throws(HostError) -> UInt64 {
        guard let id else { throw HostError(.badField, "id: a number from 1 to 2^53-1 is needed") }
        return id
    }

    /// The graph that the request names, as its client sees it.
    ///
    /// - Throws: `unknown_graph`, also for graphs in which the client may see nothing; `not_ready`.
    func graph() throws(HostError) -> GraphView {
        guard let name = fields[.graph] else { throw HostError(.badField, "graph: a name is needed") }
        guard let access = session.access else {
            throw HostError(.unauthenticated, "send hello with a token first")
        }
        guard let graph = try name.name(.graph).flatMap({ host.graph(named: $0) }) else {
            throw host.noGraph(named: name.string ?? "", for: access)
        }
        return try GraphView(graph, for: access)
    }

    /// Answers now, or after the answers to earlier requests.
    func answer(_ build: (inout ByteBuffer) -> Void) {
        session.answer(id: id, bytes: 0, build)
    }

    // MARK: - hello, auth

    private func hello() throws(HostError) {
        let token = try fields.string(.token)
        if let token { try session.authenticate(with: token, self.token) }
        guard session.access != nil else { throw HostError(.unauthenticated, "a token is needed") }
        if let client = try fields.string(.client) { session.madeExtras.client = String(client.prefix(128)) }
        session.greeted()
        let limits = host.limits
        answer { buffer in
            Answer.begin("hello", id: id, to: &buffer)
            buffer.member("session", "c:\(session.number)")
            buffer.member("server", "sluice/\(Version.text)")
            buffer.member("hb", limits.heartbeatSeconds)
            buffer.member("limits") { buffer in
                buffer.member("subs", limits.subscriptions)
                buffer.member("msg", limits.messageBytes)
                buffer.member("pipe", limits.stages)
            }
            appendExpiry(to: &buffer)
            buffer.append("}")
        }
    }

    /// `auth`: the client sends another token before its present one expires.
    private func authenticate() throws(HostError) {
        guard let token = try fields.string(.token) else {
            throw HostError(.badField, "token: a string is needed")
        }
        try session.authenticate(with: token, self.token)
        session.greeted()
        answer { buffer in
            Answer.begin("ok", id: id, to: &buffer)
            appendExpiry(to: &buffer)
            buffer.append("}")
        }
    }

    /// Appends the whole seconds until the token expires.
    private func appendExpiry(to buffer: inout ByteBuffer) {
        guard let expires = session.access?.principal?.expires else { return }
        let now = host.clock.wall
        buffer.member("expires", expires > now ? (expires - now) / 1000 : 0)
    }
}
