internal import CEL
internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import HTTP
internal import Support
internal import TLS
internal import Values

/// Tokens that are made at the server, and what is revoked at it (docs/access.md).
enum TokenRoutes {
    // MARK: - Tokens

    /// `GET /v1/tokens`.
    static func listTokens(_ request: Request) throws(HostError) {
        let kept = try kept(request)
        let rows = kept.nodes(.token).compactMap { node in kept.token(node).map { (node, $0) } }
        request.connection.answerJSON { out in
            out.append("{")
            out.member("tokens", objects: rows) { row, out in append(row.1, row.0, to: &out) }
            out.append("}\n")
        }
    }

    /// `POST /v1/tokens`: the body is an entry of the file of tokens; without `hash` the server
    /// makes the token, and only this answer has it.
    static func makeToken(_ request: Request) throws(HostError) {
        let kept = try keptInStore(request)
        var (fields, made) = (try fields(request), Token?.none)
        guard fields.contains(where: { $0.key == "name" }) else {
            throw HostError(.badField, "name: whom the token stands for, such as device:7, is needed")
        }
        if !fields.contains(where: { $0.key == "hash" }) {
            let token = Token()
            fields.append((key: "hash", .string(token.hash)))
            made = token
        }
        let value = try datum(fields)
        let principal = try KeptAccess.token(value.text)
        guard kept[principal.digest] == nil else {
            throw HostError(.badField, "hash: a token with this hash exists")
        }
        try keep(.token, RandomBytes.word(letters: 10), value, by: request) { id, connection in
            connection.answerJSON(.created) { out in
                out.append("{")
                out.member("id", id)
                out.member("token", made?.text)
                append(principal, to: &out)
                out.append("}\n")
            }
        }
    }

    /// `DELETE /v1/tokens/{id}`: the token counts no longer, at any server.
    static func revokeToken(_ request: Request) throws(HostError) { try remove(.token, request) }

    private static func append(_ token: Principal, _ node: NamedNode, to out: inout ByteBuffer) {
        out.member("id", id(node))
        append(token, to: &out)
        appendOrigin(of: node, to: &out)
    }

    private static func append(_ token: Principal, to out: inout ByteBuffer) {
        out.member("name", token.name)
        out.member("roles", list: token.roles) { $1.append(json: $0) }
        for grant in token.grants {
            out.member("can", list: grant.can.words) { $1.append(json: $0) }
            out.member("graphs", list: grant.graphs) { $1.append(json: $0) }
            out.member("nodes", list: grant.nodes) { $1.append(json: $0) }
        }
        out.member("expires", token.expires.map(moment))
    }

    // MARK: - Revocations

    /// `GET /v1/revocations`.
    static func listRevocations(_ request: Request) throws(HostError) {
        let kept = try kept(request)
        let rows = kept.nodes(.revoked).compactMap { node in kept.revoked(node).map { (node, $0) } }
        request.connection.answerJSON { out in
            out.append("{")
            out.member("revocations", objects: rows) { row, out in
                out.member("id", id(row.0))
                append(row.1, to: &out)
                appendOrigin(of: row.0, to: &out)
            }
            out.append("}\n")
        }
    }

    /// `POST /v1/revocations`: tokens of an issuer count no longer, at any server.
    static func revoke(_ request: Request) throws(HostError) {
        _ = try keptInStore(request)
        guard let issued = request.connection.hub.credentials.authenticator?.issued else {
            throw HostError(.notFound, "this server accepts the tokens of no issuer (issuers)")
        }
        var fields = try fields(request)
        if let place = fields.firstIndex(where: { $0.key == "issuer" }),
            case .string(let name) = fields[place].value
        {
            guard let issuer = issued.issuer(named: name) else {
                throw HostError(.badField, "issuer: no issuer has this name, see the file of issuers")
            }
            fields[place].value = .string(issuer.id)
        }
        let value = try datum(fields)
        let revoked = try KeptAccess.revoked(value.text)
        let digest = value.text.withBorrowedBytes { SHA256.digest($0) }
        // The same revocation again is the same entry.
        let id = digest.prefix(8).hexadecimal
        try keep(.revoked, id, value, by: request) { id, connection in
            connection.answerJSON(.created) { out in
                out.append("{")
                out.member("id", id)
                append(revoked, to: &out)
                out.append("}\n")
            }
        }
    }

    /// `DELETE /v1/revocations/{id}`.
    static func takeBack(_ request: Request) throws(HostError) { try remove(.revoked, request) }

    private static func append(_ revoked: KeptAccess.Revoked, to out: inout ByteBuffer) {
        out.member("issuer", revoked.issuer)
        out.member("jti", revoked.revocation.id)
        out.member("sub", revoked.revocation.subject)
        out.member("before", revoked.revocation.before.map { moment(UInt64(max(0, $0) * 1000)) })
        out.member("expires", revoked.expires.map(moment))
    }

    // MARK: - Parts

    private static func kept(_ request: Request) throws(HostError) -> KeptAccess {
        guard request.connection.hub.credentials.authenticator != nil else {
            throw HostError(.notFound, "this server asks for no tokens (auth, issuers)")
        }
        return request.service.kept
    }

    /// The same, if what is added is still there after a restart.
    private static func keptInStore(_ request: Request) throws(HostError) -> KeptAccess {
        let kept = try kept(request)
        guard request.host.keepsCommits else {
            var error = HostError(.readOnly, "tokens are kept in the store, and this server has none")
            error.hint = "set dataDir or redis, or use the files that auth and issuers name"
            throw error
        }
        return kept
    }

    private typealias Fields = [(key: String, value: Value)]

    /// The members of the object in the body.
    private static func fields(_ request: Request) throws(HostError) -> Fields {
        try request.requireJSON()
        let tree: Value
        do throws(JSONError) {
            tree = try Datum.parse(request.body).tree
        } catch {
            throw HostError(error)
        }
        guard case .map(let map) = tree else { throw HostError(.badField, "an object is needed") }
        return map.compactMap { entry in
            if case .string(let key) = entry.key { (key, entry.value) } else { nil }
        }
    }

    private static func datum(_ fields: Fields) throws(HostError) -> Datum {
        do throws(JSONError) {
            return try Datum(tree: .map(ValueMap(fields.map { ($0.key, $0.value) })))
        } catch {
            throw HostError(error)
        }
    }

    private static func keep(
        _ kind: KeptAccess.Kind,
        _ id: String,
        _ value: Datum,
        by request: Request,
        _ respond: @escaping (_ id: String, HTTPConnection) -> Void
    ) throws(HostError) {
        let connection = request.connection
        let now = UInt64(max(0, connection.hub.loop.wallClock))
        connection.record?.subjects.append(AuditEntry.Field(kind.rawValue, id))
        let (kept, number) = (request.service.kept, connection.wait())
        kept.keep(kind, id, value, by: request.access.name, at: now) { [weak connection] result in
            connection?.answerLater(number) { connection throws(HostError) in
                _ = try result.get()
                respond(id, connection)
            }
        }
    }

    private static func remove(_ kind: KeptAccess.Kind, _ request: Request) throws(HostError) {
        let kept = try kept(request)
        let (connection, id) = (request.connection, request.name)
        guard let node = kept.node(kind, id) else {
            throw HostError(.notFound, "there is no entry with this id")
        }
        connection.record?.subjects.append(AuditEntry.Field(kind.rawValue, id))
        let number = connection.wait()
        kept.remove(node, by: request.access.name) { [weak connection] result in
            connection?.answerLater(number) { connection throws(HostError) in
                _ = try result.get()
                connection.answerEmpty(.noContent)
            }
        }
    }

    private static func id(_ node: NamedNode) -> String {
        node.placeholders.first?.text ?? node.name
    }

    /// The client that made an entry, and when.
    private static func appendOrigin(of node: NamedNode, to out: inout ByteBuffer) {
        out.member("by", node.writer?.by)
        out.member("at", moment(node.lastChange.time))
    }

    private static func moment(_ milliseconds: UInt64) -> String {
        CEL.Timestamp(milliseconds: Int64(clamping: milliseconds)).map { "\($0)" } ?? ""
    }
}
