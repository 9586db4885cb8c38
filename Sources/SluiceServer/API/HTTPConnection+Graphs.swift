internal import GraphHost
internal import HTTP

// What graphs look like, and who listens to them.
extension HTTPConnection {
    /// `GET …/graph?format=json|dot&live=1`, or the format by `Accept`.
    func drawGraph(_ captures: Captures, _ head: RequestHead) {
        guard let graph = findGraph(captures) else { return }
        let query = Query(head.query)
        let isLive = query.flag("live")
        switch query.string("format") ?? Self.format(head) {
        case "json":
            graph.pictureJSON(live: isLive).withUnsafeBytes { answer(.ok, "application/json", $0) }
        case "dot":
            graph.pictureDOT(live: isLive).withUnsafeBytes {
                answer(.ok, "text/vnd.graphviz; charset=utf-8", $0)
            }
        default:
            refuse(Refusal(.notAcceptable, "format is json or dot"))
        }
    }

    /// DOT only for those who ask for it and not for JSON.
    private static func format(_ head: RequestHead) -> String {
        guard let accept = head.value(.accept)?.text else { return "json" }
        return accept.contains("text/vnd.graphviz") && !accept.contains("json") ? "dot" : "json"
    }

    /// `GET /v1/graphs/{g}/listeners`.
    func listListeners(_ captures: Captures) {
        guard let graph = findGraph(captures) else { return }
        graph.listenersJSON().withUnsafeBytes { answer(.ok, "application/json", $0) }
    }

    /// `GET /v1/operators`.
    func listOperators() {
        var body: [UInt8] = []
        Catalogue.append(to: &body)
        body.withUnsafeBytes { answer(.ok, "application/json", $0) }
    }
}
