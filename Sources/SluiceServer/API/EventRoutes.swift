internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

enum EventRoutes {
    /// `GET …/events?node=a&node=b&every=&path=&pipe=`: the socket becomes an ``EventStreamConnection``.
    static func streamEvents(_ request: Request) throws(HostError) {
        let graph = try request.graph().graph.name
        var options = try StreamOptions(request.query)
        options.hasPath = try request.query.isSet("path")
        let nodes = request.query.strings("node")
        let cursor = request.head.value(.lastEventID).map { String(decoding: $0, as: UTF8.self) }
        request.connection.whenThereIsRoom { [options] connection in
            connection.whenParsed(options.text) { connection, pipeline in
                var options = options
                options.parsed = pipeline
                stream(nodes, of: graph, options, since: cursor, on: connection)
            }
        }
    }

    private static func stream(
        _ nodes: [String],
        of name: String,
        _ options: StreamOptions,
        since cursor: String?,
        on connection: HTTPConnection
    ) {
        let hub = connection.hub
        let stream: EventStream
        do throws(HostError) {
            guard let graph = hub.host[name] else { throw hub.host.noGraph }
            let view = try GraphView(graph, for: connection.access)
            stream = try EventStream(of: view, nodes: nodes, options, lastEventID: cursor)
        } catch {
            return connection.refuse(error)
        }
        guard !hub.isDraining else { return connection.refuse(.draining) }
        let omitsBody = connection.framing.omitsBody
        if !omitsBody { connection.framing.keepsAlive = false }
        connection.write { out in
            connection.begin(.ok, in: &out)
            out.field("Content-Type", "text/event-stream")
            out.append(
                "Cache-Control: no-cache\r\nX-Accel-Buffering: no\r\nX-Content-Type-Options: nosniff\r\n"
            )
            hub.codec.encoder.beginChunks(connection.framing, in: &out)
        }
        guard !omitsBody else { return }
        let events = EventStreamConnection(taking: connection)
        connection.wasReplaced()
        events.open(stream, for: connection.access)
    }
}

extension StreamOptions {
    /// The options in a query: `?every=250&mode=all&facets=1&load=1&pipe=…`.
    init(_ query: Query) throws(HostError) {
        self.init()
        if query.raw("every") != nil {
            guard let every = query.integer("every"), (0...86_400_000).contains(every) else {
                throw HostError(.badField, "every: a number from 0 to 86400000 is needed")
            }
            self.every = UInt64(every)
        }
        if let mode = query.string("mode") { isAll = try DeliveryMode(mode) == .all }
        hasFacets = try query.isSet("facets")
        loads = try query.isSet("load")
        if query.raw("pipe") != nil {
            guard let pipe = query.string("pipe") else {
                throw HostError(.badField, "pipe: a list of stages, percent-encoded, is needed")
            }
            self.pipe = Array(pipe.utf8)
        }
    }
}
