internal import Commits
internal import Definitions
internal import EventLoop
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// Requests that read graphs: they change nothing and keep no node alive.
enum ReadingRoutes {
    /// `GET …/nodes/{n}`: the bare value; with `If-None-Match` and `Prefer: wait=n` the next one,
    /// if it comes in time.
    static func readNode(_ request: Request) throws(HostError) {
        let (connection, head) = (request.connection, request.head)
        if !head.query.isEmpty, try looksBack(request) { return }
        let node = try request.node()
        let hasFacets = head.query.isEmpty ? false : try request.query.isSet("facets")
        if !head.query.isEmpty, try request.query.isSet("load") {
            node.graph.load(node)
            if node.awaitsSource(countingFailures: true), !connection.hub.isDraining {
                return try LongPoll.begin(on: connection, loading: node, facets: hasFacets)
            }
        }
        let reading = node.graph.read(node)
        guard let known = head.value(.ifNoneMatch),
            try Preconditions.isKnown(known, reading, of: node)
        else {
            return NodeAnswer.send(reading, of: node, facets: hasFacets, on: connection)
        }
        let seconds = head.has(.prefer) ? Preferences(head).waitSeconds ?? 0 : 0
        guard seconds > 0, !request.connection.hub.isDraining else {
            return NodeAnswer.sendUnchanged(reading, of: node, on: connection)
        }
        LongPoll.begin(on: connection, for: node, knowing: known, seconds: seconds, facets: hasFacets)
    }

    private static func looksBack(_ request: Request) throws(HostError) -> Bool {
        let view = try request.graph()
        let known = request.head.value(.ifNoneMatch).map { Array($0) }
        let subject = PastQuestion.Subject.node(request.nodeName, facets: try request.query.isSet("facets"))
        return try PastQuery.answers(request, view, subject) {
            connection,
            past throws(HostError) in
            guard let known, case .node(let reading) = past else {
                return try PastQuery.send(on: connection, past)
            }
            try NodeAnswer.send(reading, unlessKnown: known, on: connection)
        }
    }

    /// `GET …/values?nodes=a,b.*&limit=&next=`: many nodes at one rev, or a page of them.
    static func readValues(_ request: Request) throws(HostError) {
        let view = try request.graph()
        let query = request.query
        let patterns = query.strings("nodes").flatMap { $0.split(separator: ",").map(String.init) }
        let limit = request.host.limits.matches
        let hasFacets = try query.isSet("facets")
        let page = try valuesPage(query, limit: limit)
        let subject = PastQuestion.Subject.values(
            of: patterns,
            limit: limit,
            page: page,
            facets: hasFacets
        )
        if try PastQuery.answers(request, view, subject) { return }
        let loads = try query.isSet("load")
        request.connection.answerJSON(
            try view.values(of: patterns, limit: limit, page: page, facets: hasFacets, load: loads)
        )
    }

    /// The page that a query asks for; nil: all values.
    private static func valuesPage(_ query: Query, limit most: Int) throws(HostError) -> ValuesPage? {
        let next = query.strings("next").last
        guard let text = query.strings("limit").last else {
            return next.map { ValuesPage(after: $0, limit: nil) }
        }
        guard let limit = Int(text), (1...most).contains(limit) else {
            throw HostError(.badField, "limit: a number from 1 to \(most) is needed (limits.matches)")
        }
        return ValuesPage(after: next, limit: limit)
    }

    /// `GET …/nodes?match=GLOB&limit=100&next=NAME`: nodes by name, page by page.
    static func pageNodes(_ request: Request) throws(HostError) {
        let view = try request.graph()
        let query = request.query
        let limit = query.strings("limit").last.map { Int($0) } ?? 100
        guard let limit, (1...GraphView.longestPage).contains(limit) else {
            throw HostError(.badField, "limit: a number from 1 to \(GraphView.longestPage) is needed")
        }
        let match = query.strings("match").last ?? "*"
        request.connection.answerJSON(
            view.page(matching: match, after: query.strings("next").last, limit: limit)
        )
    }

    static func listGraphs(_ request: Request) throws(HostError) {
        let host = request.host
        guard !host.isCatchingUp else { throw host.noGraph }
        let access = request.access
        request.connection.answerJSON { out in
            out.append("{")
            out.member("graphs", list: access.graphs(of: host)) { graph, out in
                GraphSummary(of: graph, for: access).append(to: &out)
            }
            access.appendOrphans(of: host, to: &out)
            let failed = request.service.files.failed.filter {
                access.has(.admin, over: .graph($0.graph))
            }
            if !failed.isEmpty { out.member("failed", list: failed) { $0.append(to: &$1) } }
            out.append("}\n")
        }
    }

    /// `GET /v1/graphs/{g}`.
    static func describeGraph(_ request: Request) throws(HostError) {
        let (connection, service) = (request.connection, request.service)
        let graph = try request.graph().graph
        guard let reader = request.host.reader else {
            return describe(graph, kept: nil, on: connection, service)
        }
        // A log may have to read its disk for that.
        let (name, number) = (graph.name, connection.wait())
        FileTask.run(on: connection.hub.loop) { () throws(UVError) in
            Result { () throws(StoreError) in try reader.revs(of: name) }
        } answer: { [weak connection] (result: Result<Result<ClosedRange<UInt64>?, StoreError>, UVError>) in
            connection?.answerLater(number) { connection throws(HostError) in
                let host = connection.hub.host
                guard let graph = host[name] else { throw host.noGraph }
                switch result {
                case .success(.success(let kept)): describe(graph, kept: kept, on: connection, service)
                case .success(.failure(let error)): throw host.fault("the past: \(error)")
                case .failure(let error): throw host.fault("the past: \(error)")
                }
            }
        }
    }

    private static func describe(
        _ graph: LiveGraph,
        kept: ClosedRange<UInt64>?,
        on connection: HTTPConnection,
        _ service: Service
    ) {
        let access = connection.access
        let file = service.files.owners[graph.name]
        connection.answerJSON(fields: { $0.append(entityTag: graph.definition.hash) }) { out in
            out.append("{")
            GraphSummary(of: graph, for: access).appendMembers(to: &out)
            let counts = graph.statistics
            out.member("owner", (file == nil ? GraphOwner.api : .file).rawValue)
            out.member("live") { out in
                out.member("nodes", counts.nodes)
                out.member("edges", counts.edges)
                out.member("listeners", counts.listeners)
            }
            out.member("commits", counts.commits)
            out.member("released", counts.released)
            out.append(kept: kept)
            if (try? GraphView(graph, for: access).requireObservation()) != nil {
                service.sinks.append(of: graph, to: &out)
                service.upstreams.append(of: graph, to: &out)
            }
            out.append("}\n")
        }
    }
}

/// Where the definition of a graph comes from.
enum GraphOwner: String, CaseIterable { case file, api }

extension ByteBuffer {
    /// Appends `,"kept":{"from":…,"to":…}`: the revs at which the graph's past is kept; null if
    /// there are none.
    mutating func append(kept: ClosedRange<UInt64>?) {
        member("kept")
        guard let kept else { return append("null") }
        append("{")
        member("from", kept.lowerBound)
        member("to", kept.upperBound)
        append("}")
    }
}
