internal import HTTP

/// `OPTIONS` on a known path: the methods, and for a browser's preflight the fields that a page may
/// send.
enum OptionsAnswer {
    static func send(_ head: RequestHead, allow: String, on connection: HTTPConnection) {
        let isPreflight = head.has(.accessControlRequestMethod) && connection.sharedWith != nil
        let mayChange = connection.listener.originCheck.accepts(head, connection.forwarding)
        connection.answerEmpty(.noContent) { out in
            out.field("Allow", string: allow)
            guard isPreflight else { return }
            out.field("Access-Control-Allow-Methods", string: mayChange ? allow : "GET, HEAD, OPTIONS")
            out.field("Access-Control-Allow-Headers", CORS.requestFields)
            out.field("Access-Control-Max-Age", CORS.lifetime)
        }
    }
}
