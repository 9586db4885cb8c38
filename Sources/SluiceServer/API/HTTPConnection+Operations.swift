internal import EventLoop
internal import GraphHost
internal import HTTP
internal import Support

// The server about itself: connections, metrics, health, version.
extension HTTPConnection {
    /// `GET /v1/connections`.
    func listConnections() {
        answerJSON { out in
            out.append("{\"connections\":")
            out.append(list: server.connections) { $1.append(connection: $0) }
            out.append("}\n")
        }
    }

    /// `DELETE /v1/connections/{c}`: ends one, by its `c:` name.
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

    /// `GET /metrics` in the text form of Prometheus.
    func showMetrics() {
        var body = ByteBuffer()
        Metrics.append(of: server, to: &body)
        answer(.ok, "text/plain; version=0.0.4; charset=utf-8", body.bytes)
    }

    /// `GET /readyz`: 503 unless requests are welcome.
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
        server.leakRounds?.begin()
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
