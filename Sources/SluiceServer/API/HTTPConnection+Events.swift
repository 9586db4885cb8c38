internal import GraphHost
internal import HTTP
internal import Support

// Server-sent events.
extension HTTPConnection {
    /// `GET …/events?node=a&node=b&every=&pipe=`: the socket becomes an ``EventStreamConnection``.
    func streamEvents(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let query = Query(head.query)
        guard let options = streamOptions(query) else { return }
        let (graph, nodes) = (view.graph.name, query.strings("node"))
        let cursor = head.value(.lastEventID).map { String(decoding: $0, as: UTF8.self) }
        whenThereIsRoom { $0.stream(nodes, of: graph, options, since: cursor) }
    }

    private func stream(
        _ nodes: [String],
        of name: String,
        _ options: StreamOptions,
        since cursor: String?
    ) {
        let stream: EventStream
        let view: GraphView
        do throws(HostError) {
            guard let graph = server.host[name] else { throw server.host.noGraph }
            view = try GraphView(graph, for: access)
            stream = try EventStream(of: view, nodes: nodes, options, lastEventID: cursor)
        } catch {
            return refuse(error) { $0.stream(nodes, of: name, options, since: cursor) }
        }
        guard !server.isDraining else {
            return refuse(Refusal(.draining, "the server is about to stop", retryAfterSeconds: 5))
        }
        if !framing.omitsBody { framing.keepsAlive = false }
        write { out in
            begin(.ok, in: &out)
            out.field("Content-Type", "text/event-stream")
            out.append(
                "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\n"
            )
            server.encoder.beginChunks(framing, in: &out)
        }
        guard !framing.omitsBody else { return }
        let connection = EventStreamConnection(taking: self, for: view.graph)
        isUpgraded = true
        connection.open(stream, for: access)
    }
}
