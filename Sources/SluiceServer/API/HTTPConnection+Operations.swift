internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support

// Operations: connections, metrics, health, version.
extension HTTPConnection {
    /// `GET /v1/connections`.
    func listConnections() {
        answerJSON { out in
            out.append("{\"connections\":")
            out.append(list: server.connections) { $1.append(connection: $0) }
            out.append("}\n")
        }
    }

    /// `DELETE /v1/connections/{c}`: ends a connection by its `c:` name.
    func endConnection(_ captures: Captures) {
        let name = String(decoding: captures[0], as: UTF8.self)
        guard let connection = server.connections.first(where: { $0.name == name }) else {
            return refuse(Refusal("unknown_id", "no connection of that name; see /v1/connections"))
        }
        if connection === self {
            framing.keepsAlive = false
        } else {
            connection.endByOperator()
        }
        answerEmpty(.noContent)
    }

    /// `POST …/flush?match=glob`: releases unused nodes that are kept until memory is short.
    func flushGraph(_ captures: Captures, _ head: RequestHead) {
        guard let graph = administered(captures) else { return }
        let query = Query(head.query)
        let pattern = query.raw("match") == nil ? "*" : query.string("match") ?? ""
        guard (1...Self.longestGlob).contains(pattern.utf8.count) else {
            return refuse(
                HostError(.badField, "match: a name or glob of 1 to \(Self.longestGlob) characters is needed")
            )
        }
        let flushed = server.flush(graph, matching: pattern)
        answerJSON { out in
            out.append("{\"graph\":")
            out.append(json: graph.name)
            out.append(",\"released\":")
            out.append(decimal: flushed.nodes)
            out.append(",\"names\":")
            out.append(list: Array(flushed.names.prefix(Self.mostNames))) { $1.append(json: $0) }
            if flushed.names.count > Self.mostNames { out.append(",\"more\":true") }
            out.append("}\n")
        }
    }

    /// The longest pattern of a flush.
    private static var longestGlob: Int { 256 }
    /// The most names in the answer to a flush.
    private static var mostNames: Int { 1_000 }

    /// `GET /metrics` in the text form of Prometheus.
    func showMetrics() {
        server.leakRounds?.begin()
        var body = ByteBuffer()
        Metrics.append(of: server, to: &body)
        answer(.ok, "text/plain; version=0.0.4; charset=utf-8", body.bytes)
    }

    /// `GET /readyz`: 503 unless the server accepts requests.
    func showReadiness() {
        if server.isDraining {
            return refuse(Refusal(.draining, "the server is about to stop", retryAfterSeconds: 5))
        }
        if let error = server.unreadiness { return refuse(error) }
        answerText("ready\n")
    }

    /// `GET /version`.
    func showVersion() {
        answerJSON { out in
            out.append("{\"name\":\"sluice\",\"version\":")
            out.append(json: Version.text)
            out.append(",\"protocol\":\"sluice.v1.json\"}\n")
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(connection: Connection) {
        append("{\"c\":")
        append(json: connection.name)
        append(",\"transport\":\"")
        append(connection.transport)
        append("\",\"peer\":")
        let peer = connection.socket?.socket.peerAddress?.description ?? ""
        append(json: connection.client?.description ?? peer)
        if connection.client != nil {
            append(",\"proxy\":")
            append(json: peer)
        }
        append(",\"since\":")
        append(decimal: Int(connection.since))
        append(",\"queued\":")
        append(decimal: connection.unsentBytes)
        if let session = (connection as? SessionConnection)?.session {
            append(",\"folded\":")
            append(decimal: session.folded)
            append(ownerNames: session.ownerNames)
        }
        if let socket = connection as? WebSocketConnection {
            if let roundTrip = socket.roundTrip {
                append(",\"rtt\":")
                append(decimal: roundTrip)
            }
            if let client = socket.session?.client {
                append(",\"client\":")
                append(json: client)
            }
        }
        append("}")
    }
}
