internal import Commits
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Logging
internal import Support
internal import TLS
internal import Values

/// Requests of the server's operator: connections, memory, metrics, health, version.
enum OperatorRoutes {
    /// `GET /v1/connections`: the connections, and the upstreams that are open.
    ///
    /// With the right over everything all of them, otherwise those for the caller's graphs, without
    /// what they do in others.
    static func listConnections(_ request: Request) {
        let access = request.access
        let hasAll = access.has(request.need.rights, over: .everything)
        let isShown = { (graph: LiveGraph) in
            hasAll || access.has(request.need.rights, over: .graph(graph.name))
        }
        let rows = request.connection.hub.connections.compactMap { connection -> ConnectionRow? in
            let session = (connection as? SessionConnection)?.session
            let interest = session.map { Interest(of: $0, where: isShown) }
            guard hasAll || interest?.graphs.isEmpty == false else { return nil }
            return ConnectionRow(connection: connection, interest: interest, isWhole: hasAll)
        }
        request.connection.answerJSON { out in
            out.append("{")
            out.member("connections", list: rows) { $0.append(to: &$1) }
            request.service.upstreams.append(where: isShown, to: &out)
            out.append("}\n")
        }
    }

    /// `DELETE /v1/connections/{c}`: ends a connection by its `c:` name.
    static func endConnection(_ request: Request) throws(HostError) {
        let name = request.name
        guard let other = request.connection.hub.connections.first(where: { $0.name == name }) else {
            throw HostError(.unknownID, "no connection of that name; see /v1/connections")
        }
        if other === request.connection {
            request.connection.framing.keepsAlive = false
        } else {
            other.endByOperator()
        }
        request.connection.answerEmpty(.noContent)
    }

    /// `POST …/flush?match=glob`: releases unused nodes that are kept until memory is short.
    static func flushGraph(_ request: Request) throws(HostError) {
        let graph = try request.wholeGraph()
        let pattern = try request.pattern("match")
        let flushed = request.host.flushUnused(of: graph, matching: pattern)
        request.service.onFreed()
        request.service.log.info(
            "flushed",
            metadata: [
                "graph": "\(graph.name)", "match": "\(pattern)", "releasedNodes": .number(flushed.nodes),
            ]
        )
        request.connection.answerJSON { out in
            out.append("{")
            out.member("graph", graph.name)
            out.member("released", flushed.nodes)
            out.member("names", list: Array(flushed.names.prefix(mostNames))) { $1.append(json: $0) }
            if flushed.names.count > mostNames { out.member("more", true) }
            out.append("}\n")
        }
    }

    private static let mostNames = 1_000

    /// `GET /metrics` in the text form of Prometheus.
    static func showMetrics(_ request: Request) {
        var body = ByteBuffer()
        request.service.appendMetrics(request.access, &body)
        request.connection.answer(.ok, "text/plain; version=0.0.4; charset=utf-8", body.bytes)
    }

    /// `GET /healthz`.
    static func showHealth(_ request: Request) { request.connection.answerText("ok\n") }

    /// `GET /readyz`: 503 unless the server accepts requests; with `for=writes`, unless it also
    /// accepts changes.
    static func showReadiness(_ request: Request) throws(HostError) {
        let purpose = request.query.string("for")
        guard purpose == nil || purpose == "writes" else {
            throw HostError(.badField, "for: only 'writes' is known")
        }
        if let error = unreadiness(of: request.connection.hub, forWrites: purpose != nil) { throw error }
        request.connection.answerText("ready\n")
    }

    /// Why the server should get no requests, or no changes; nil if it should.
    ///
    /// While the store takes no commits, reads go on, here as well as elsewhere. A graph that is
    /// not served here is a reason to send clients elsewhere: other servers may have it.
    private static func unreadiness(of hub: Hub, forWrites: Bool) -> HostError? {
        if hub.isDraining { return .draining }
        let host = hub.host
        if host.isCatchingUp || forWrites, let refusal = host.health.refusal { return refusal }
        let names = host.unbuilt
        guard !names.isEmpty else { return nil }
        let shown = names.prefix(10).joined(separator: ", ") + (names.count > 10 ? ", …" : "")
        let sentence = "not served here, because what is stored cannot be read: \(shown)"
        return HostError(.notReady, sentence, after: 10_000)
    }

    static func showVersion(_ request: Request) {
        request.connection.answerJSON { out in
            out.append(utf8: Build.json)
            out.append("\n")
        }
    }

    /// `GET /openapi.json`.
    static func showOpenAPI(_ request: Request) {
        let document = OpenAPI.document(of: request.connection.listener.side)
        request.connection.answer(.ok, "application/json", document.bytes)
    }
}

/// A connection as one caller may see it.
private struct ConnectionRow {
    let connection: Connection
    /// Its subscriptions to graphs that the caller may see; nil if it has no session.
    let interest: Interest?
    /// Whether the caller may see what is not about one graph.
    let isWhole: Bool

    func append(to out: inout ByteBuffer) {
        out.append("{")
        out.member("c", connection.name)
        out.member("transport", connection.transport.rawValue)
        let peer = connection.socket?.socket.peerAddress?.description ?? ""
        out.member("peer", connection.client?.description ?? peer)
        if connection.client != nil { out.member("proxy", peer) }
        out.member("since", Int(connection.since))
        if isWhole { out.member("queued", connection.unsentBytes) }
        if let interest {
            if isWhole { out.member("folded", interest.folded) }
            out.append(ownerNames: interest.owners)
            if interest.links > 0 { out.member("links", interest.links) }
            out.member("subscriptions", objects: interest.graphs) { subscriptions, out in
                out.member("graph", subscriptions.graph)
                out.member("count", subscriptions.count)
            }
        }
        if let socket = connection as? WebSocketConnection {
            if isWhole { out.member("rtt", socket.roundTrip) }
            out.member("client", socket.session?.client)
        }
        out.append("}")
    }
}
