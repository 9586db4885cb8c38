internal import GraphHost
internal import HTTP
internal import Support

// Pictures of graphs, and their listeners.
extension HTTPConnection {
    /// `GET …/graph?format=json|dot|mermaid&live=1&around=node&depth=2`, or the format by `Accept`.
    func drawGraph(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let query = Query(head.query)
        let isLive = query.flag("live")
        let vary = { (out: inout ByteBuffer) in out.append("Vary: Accept\r\n") }
        guard let format = query.string("format").map(PictureFormat.init) ?? Self.format(head) else {
            return refuse(Refusal(.notAcceptable, "format is json, dot or mermaid"), fields: vary)
        }
        guard let surroundings = surroundings(query) else { return }
        let subject = PastQuestion.Subject.picture(format, live: isLive, around: surroundings)
        let isPast = looksBack(head, view, at: subject, needsLog: true) { connection, past in
            guard case .body(let body) = past else { return connection.answer(past) }
            body.withUnsafeBytes { connection.answer(.ok, format.mediaType, $0, fields: vary) }
        }
        if isPast { return }
        do throws(HostError) {
            let body = try view.picture(format, live: isLive, around: surroundings)
            body.withUnsafeBytes { answer(.ok, format.mediaType, $0, fields: vary) }
        } catch {
            refuse(error)
        }
    }

    /// `around` and `depth`.
    ///
    /// The inner nil means absent; the outer nil means invalid, which has been answered then.
    private func surroundings(_ query: Query) -> Surroundings?? {
        guard let depth = number("depth", Surroundings.depths, query) else { return nil }
        guard let node = query.string("around") else {
            if depth == nil { return .some(nil) }
            refuse(Surroundings.depthAlone)
            return nil
        }
        return Surroundings(of: node, depth: depth)
    }

    /// The format that the client prefers; nil if it accepts none of them.
    private static func format(_ head: RequestHead) -> PictureFormat? {
        let formats: [PictureFormat] = [.json, .dot, .mermaid]
        let types: [StaticString] = ["application/json", "text/vnd.graphviz", "text/vnd.mermaid"]
        return Accept.choose(head.value(.accept), from: types).map { formats[$0] }
    }

    /// Whether the caller may see everything that lives in the graph; if not, that has been
    /// answered.
    private func mayObserve(_ view: GraphView) -> Bool {
        do throws(HostError) {
            try view.requireObservation()
            return true
        } catch {
            refuse(error)
            return false
        }
    }

    /// `GET /v1/graphs/{g}/listeners`.
    func listListeners(_ captures: Captures) {
        guard let view = findGraph(captures), mayObserve(view) else { return }
        view.graph.listenersJSON().withUnsafeBytes { answer(.ok, "application/json", $0) }
    }

    /// `GET …/nodes/{n}/why?limit=16`: what keeps the node alive.
    func explainLife(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures), let node = findNode(captures, to: .read),
            let limit = number("limit", 1...100, Query(head.query))
        else { return }
        do throws(HostError) {
            try view.whyAlive(node, limit: limit ?? 16).withUnsafeBytes {
                answer(.ok, "application/json", $0)
            }
        } catch {
            refuse(error)
        }
    }

    /// `GET /v1/operators`.
    func listOperators() {
        var body: [UInt8] = []
        Catalogue.standard.append(to: &body)
        body.withUnsafeBytes { answer(.ok, "application/json", $0) }
    }
}

extension PictureFormat {
    /// The `Content-Type` of a picture.
    fileprivate var mediaType: StaticString {
        switch self {
        case .json: "application/json"
        case .dot: "text/vnd.graphviz; charset=utf-8"
        case .mermaid: "text/vnd.mermaid; charset=utf-8"
        }
    }
}
