internal import Definitions
internal import Graphs
internal import Sessions
internal import HTTP
internal import Support
internal import Values

/// Pictures of graphs, their listeners, and what keeps nodes alive.
enum InspectionRoutes {
    /// `GET …/graph?format=json|dot|mermaid&live=1&around=node&depth=2`, or the format by `Accept`.
    static func drawGraph(_ request: Request) throws(HostError) {
        let view = try request.graph()
        let connection = request.connection
        let isLive = try request.query.isSet("live")
        let vary = { (out: inout ByteBuffer) in out.append("Vary: Accept\r\n") }
        let format = request.query.string("format").map(PictureFormat.init) ?? accepted(request.head)
        guard let format else {
            return connection.refuse(
                Refusal(.notAcceptable, "format is json, dot or mermaid"),
                fields: vary
            )
        }
        let surroundings = try surroundings(request)
        let subject = PastQuestion.Subject.picture(format, live: isLive, around: surroundings)
        let isPast = try PastQuery.answers(request, view, subject, needsLog: true) {
            connection,
            past throws(HostError) in
            guard case .body(let body) = past else { return try PastQuery.send(on: connection, past) }
            body.withBorrowedBytes { connection.answer(.ok, format.contentType, $0, fields: vary) }
        }
        if isPast { return }
        let body = try view.picture(format, live: isLive, around: surroundings)
        body.withBorrowedBytes { connection.answer(.ok, format.contentType, $0, fields: vary) }
    }

    /// `around` and `depth`; nil if they are absent.
    private static func surroundings(_ request: Request) throws(HostError) -> Surroundings? {
        let depth = try request.number("depth", Surroundings.depths)
        guard let node = request.query.string("around") else {
            if depth == nil { return nil }
            throw Surroundings.depthAlone
        }
        return Surroundings(of: node, depth: depth)
    }

    /// The format that the client prefers; nil if it accepts none of them.
    private static func accepted(_ head: RequestHead) -> PictureFormat? {
        let formats = PictureFormat.allCases
        return Accept.choose(head.value(.accept), from: formats.map(\.mediaType)).map { formats[$0] }
    }

    /// `GET /v1/graphs/{g}/listeners`.
    static func listListeners(_ request: Request) throws(HostError) {
        let view = try request.graph()
        request.connection.answerJSON(PictureText.listenersJSON(of: view.graph))
    }

    /// `GET …/nodes/{n}/why?limit=16`: what keeps the node alive.
    static func explainLife(_ request: Request) throws(HostError) {
        let view = try request.graph()
        let node = try request.node()
        let limit = try request.number("limit", 1...100) ?? 16
        request.connection.answerJSON(try view.whyAlive(node, limit: limit))
    }

    static func listOperators(_ request: Request) {
        var body: [UInt8] = []
        Catalogue.standard.append(to: &body)
        request.connection.answerJSON(body)
    }
}

extension PictureFormat {
    var mediaType: StaticString {
        switch self {
        case .json: "application/json"
        case .dot: "text/vnd.graphviz"
        case .mermaid: "text/vnd.mermaid"
        }
    }

    fileprivate var contentType: StaticString {
        switch self {
        case .json: "application/json"
        case .dot: "text/vnd.graphviz; charset=utf-8"
        case .mermaid: "text/vnd.mermaid; charset=utf-8"
        }
    }
}
