internal import GraphHost
internal import HTTP
internal import Support

// What graphs look like, and who listens to them.
extension HTTPConnection {
    /// `GET …/graph?format=json|dot|mermaid&live=1`, or the format by `Accept`.
    func drawGraph(_ captures: Captures, _ head: RequestHead) {
        guard let view = findGraph(captures) else { return }
        let graph = view.graph
        let query = Query(head.query)
        let isLive = query.flag("live")
        if isLive, !mayObserve(view) { return }
        let nodes = isLive ? nil : view.nodes
        let vary = { (out: inout ByteBuffer) in out.append("Vary: Accept\r\n") }
        switch query.string("format") ?? Self.format(head) {
        case "json":
            graph.pictureJSON(live: isLive, of: nodes).withUnsafeBytes {
                answer(.ok, "application/json", $0, fields: vary)
            }
        case "dot":
            graph.pictureDOT(live: isLive, of: nodes).withUnsafeBytes {
                answer(.ok, "text/vnd.graphviz; charset=utf-8", $0, fields: vary)
            }
        case "mermaid":
            graph.pictureMermaid(live: isLive, of: nodes).withUnsafeBytes {
                answer(.ok, "text/vnd.mermaid; charset=utf-8", $0, fields: vary)
            }
        default:
            refuse(Refusal(.notAcceptable, "format is json, dot or mermaid"), fields: vary)
        }
    }

    /// The format that the client likes best; none where it takes none of them.
    private static func format(_ head: RequestHead) -> String {
        let types: [StaticString] = ["application/json", "text/vnd.graphviz", "text/vnd.mermaid"]
        return switch Accept.choose(head.value(.accept), from: types) {
        case 0: "json"
        case 1: "dot"
        case 2: "mermaid"
        default: ""
        }
    }

    /// Whether the caller may see all that lives in the graph; where not, that is answered.
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

    /// `GET /v1/operators`.
    func listOperators() {
        var body: [UInt8] = []
        Catalogue.standard.append(to: &body)
        body.withUnsafeBytes { answer(.ok, "application/json", $0) }
    }
}
